// Fills in ONNX's messages.
#include "tests/onnx/make_model.h"

#include <cstring>

namespace frit::onnx {
namespace {

AttributeProto& add_attribute(NodeProto& node, const std::string& name,
                              AttributeProto::AttributeType type) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

TensorProto empty_tensor(const std::string& name, const Ints& dims, int type) {
  TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(type);
  tensor.mutable_dims()->Add(dims.begin(), dims.end());
  return tensor;
}

}  // namespace

TensorProto float_tensor(const std::string& name, const Ints& dims,
                         const std::vector<float>& data) {
  TensorProto tensor = empty_tensor(name, dims, TensorProto::FLOAT);
  tensor.mutable_float_data()->Add(data.begin(), data.end());
  return tensor;
}

TensorProto int64_tensor(const std::string& name, const Ints& dims, const Ints& data) {
  TensorProto tensor = empty_tensor(name, dims, TensorProto::INT64);
  tensor.mutable_int64_data()->Add(data.begin(), data.end());
  return tensor;
}

NodeProto& set(NodeProto& node, const std::string& name, int64_t value) {
  add_attribute(node, name, AttributeProto::INT).set_i(value);
  return node;
}

NodeProto& set(NodeProto& node, const std::string& name, float value) {
  add_attribute(node, name, AttributeProto::FLOAT).set_f(value);
  return node;
}

NodeProto& set(NodeProto& node, const std::string& name, const char* value) {
  add_attribute(node, name, AttributeProto::STRING).set_s(value);
  return node;
}

NodeProto& set(NodeProto& node, const std::string& name, const Ints& value) {
  add_attribute(node, name, AttributeProto::INTS).mutable_ints()->Add(value.begin(), value.end());
  return node;
}

NodeProto& set(NodeProto& node, const std::string& name, const TensorProto& value) {
  *add_attribute(node, name, AttributeProto::TENSOR).mutable_t() = value;
  return node;
}

NodeProto& set(NodeProto& node, const std::string& name, const GraphProto& value) {
  *add_attribute(node, name, AttributeProto::GRAPH).mutable_g() = value;
  return node;
}

void GraphMaker::input(const std::string& name, int type, const Ints& dims) {
  auto& input = *graph.add_input();
  input.set_name(name);
  auto& tensor = *input.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const int64_t size : dims) {
    auto& dim = *tensor.mutable_shape()->add_dim();
    if (size < 0) {
      dim.set_dim_param("n");
    } else {
      dim.set_dim_value(size);
    }
  }
}

void GraphMaker::output(const std::string& name) { graph.add_output()->set_name(name); }

NodeProto& GraphMaker::node(const std::string& op_type, const Strings& inputs,
                            const Strings& outputs) {
  NodeProto& node = *graph.add_node();
  node.set_op_type(op_type);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

ModelMaker::ModelMaker(int64_t opset) {
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
}

std::vector<std::byte> ModelMaker::bytes() const {
  ModelProto whole = model;
  *whole.mutable_graph() = graph;
  const std::string text = whole.SerializeAsString();
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace frit::onnx
