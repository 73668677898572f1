// Makes small ONNX models for tests, right or wrong.
//
//   ModelMaker m;
//   m.input("x", TensorProto::FLOAT, {2, 3});
//   m.node("Relu", {"x"}, {"y"});
//   m.output("y");
//   parse_model(m.bytes(), "m.onnx");
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/error_of.h"

namespace frit::onnx {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

using Strings = std::vector<std::string>;
using Ints = std::vector<int64_t>;

// A tensor with its numbers in the field for its type.
TensorProto float_tensor(const std::string& name, const Ints& dims, const std::vector<float>& data);
TensorProto int64_tensor(const std::string& name, const Ints& dims, const Ints& data);

// Each adds an attribute and gives the node back, for chains: set(set(node, "axis", 1), "keepdims",
// 0).
NodeProto& set(NodeProto& node, const std::string& name, int64_t value);
NodeProto& set(NodeProto& node, const std::string& name, float value);
NodeProto& set(NodeProto& node, const std::string& name, const char* value);
NodeProto& set(NodeProto& node, const std::string& name, const Ints& value);
NodeProto& set(NodeProto& node, const std::string& name, const TensorProto& value);
NodeProto& set(NodeProto& node, const std::string& name, const GraphProto& value);
inline NodeProto& set(NodeProto& node, const std::string& name, int value) {
  return set(node, name, int64_t{value});
}

class GraphMaker {
 public:
  // A size of -1 becomes the symbol "n".
  void input(const std::string& name, int type, const Ints& dims);
  void output(const std::string& name);  // without a type
  void initializer(const TensorProto& tensor) { *graph.add_initializer() = tensor; }
  NodeProto& node(const std::string& op_type, const Strings& inputs, const Strings& outputs);

  GraphProto graph;
};

class ModelMaker : public GraphMaker {
 public:
  explicit ModelMaker(int64_t opset = 13);
  std::vector<std::byte> bytes() const;

  ModelProto model;  // but for the graph
};

}  // namespace frit::onnx
