// Models of one node, run on small tensors.
#pragma once

#include <string>
#include <vector>

#include "frit/onnx.h"
#include "frit/ops.h"
#include "tests/error_of.h"
#include "tests/onnx/make_model.h"

namespace frit::onnx {

using Floats = std::vector<float>;

inline Model load(const ModelMaker& maker) { return Model::parse(maker.bytes(), "m.onnx"); }
inline std::string load_error(const ModelMaker& maker) {
  return error_of([&] { load(maker); });
}

inline Tensor f32(const Ints& sizes, const Floats& values) { return tensor(values).reshape(sizes); }
inline Tensor i64(const Ints& sizes, const Ints& values) { return tensor(values).reshape(sizes); }

// A model of one node, to which a test adds attributes, with inputs in0, in1, ... of any rank.
struct OneNode {
  explicit OneNode(const std::string& op_type, int num_inputs = 1, int64_t opset = 13)
      : maker(opset) {
    Strings names;
    for (int i = 0; i < num_inputs; ++i) {
      names.push_back("in" + std::to_string(i));
      maker.graph.add_input()->set_name(names.back());
    }
    node = &maker.node(op_type, names, {"out"});
    maker.output("out");
  }

  OneNode(const OneNode&) = delete;
  OneNode& operator=(const OneNode&) = delete;

  // A further input with a known value.
  OneNode& constant(const TensorProto& tensor) {
    maker.initializer(tensor);
    node->add_input(tensor.name());
    return *this;
  }
  template <class T>
  OneNode& with(const std::string& name, const T& value) {
    set(*node, name, value);
    return *this;
  }
  Tensor run(const std::vector<Tensor>& inputs) const { return load(maker).run(inputs).at(0); }

  ModelMaker maker;
  NodeProto* node;
};

}  // namespace frit::onnx
