// Collects the parts of a model, then writes them as the messages of onnx.proto.
#include "src/onnx/model_writer.h"

#include <algorithm>

#include "src/onnx/dtypes.h"
#include "src/onnx/wire.h"

namespace frit::onnx {
namespace {

// Fields of AttributeProto, and the values of its `type`, for each kind.
struct AttributeWriter {
  Message& message;

  void operator()(int64_t value) const { message.add(3, value).add(20, int64_t{2}); }
  void operator()(float value) const { message.add(2, value).add(20, int64_t{1}); }
  void operator()(const std::string& value) const { message.add(4, value).add(20, int64_t{3}); }
  void operator()(const std::vector<int64_t>& values) const {
    for (const int64_t value : values) message.add(8, value);
    message.add(20, int64_t{7});
  }
  void operator()(const std::vector<std::string>& values) const {
    for (const std::string& value : values) message.add(9, value);
    message.add(20, int64_t{8});
  }
};

// ValueInfoProto: the name, then TypeProto with its tensor_type.
Message value_info(const std::string& name, const TensorType& type) {
  Message shape, tensor, proto, info;
  for (const int64_t size : type.sizes) shape.add(1, Message().add(1, size));
  tensor.add(1, dtype_to_onnx(type.dtype)).add(2, shape);
  proto.add(1, tensor);
  return info.add(1, name).add(2, proto);
}

Message tensor_proto(const std::string& name, const TensorType& type, const std::string& bytes) {
  Message tensor;
  for (const int64_t size : type.sizes) tensor.add(1, size);
  return tensor.add(2, dtype_to_onnx(type.dtype)).add(8, name).add(9, bytes);
}

}  // namespace

std::string ModelWriter::new_name(const char* prefix, int* count) {
  for (;;) {
    std::string name = prefix + std::to_string((*count)++);
    if (names_.insert(name).second) return name;
  }
}

std::string ModelWriter::input(const std::string& name, TensorType type) {
  names_.insert(name);
  inputs_.push_back({name, std::move(type)});
  return name;
}

void ModelWriter::output(const std::string& value, TensorType type) {
  std::string name = new_name("out", &num_outputs_);
  const bool made_here = std::ranges::any_of(
      nodes_, [&](const Node& node) { return std::ranges::count(node.outputs, value) != 0; });
  const auto renamed = renamed_.find(value);
  if (renamed != renamed_.end()) {
    nodes_.push_back({"Identity", {renamed->second}, {name}, {}});
  } else if (!made_here) {
    nodes_.push_back({"Identity", {value}, {name}, {}});
  } else {
    renamed_[value] = name;
  }
  outputs_.push_back({std::move(name), std::move(type)});
}

std::string ModelWriter::final_name(const std::string& value) const {
  const auto renamed = renamed_.find(value);
  return renamed == renamed_.end() ? value : renamed->second;
}

Names ModelWriter::node(std::string_view op_type, Names inputs, Attributes attributes,
                        int num_outputs) {
  Names outputs;
  for (int i = 0; i < num_outputs; ++i) outputs.push_back(new_name("v", &num_values_));
  nodes_.push_back({op_type, std::move(inputs), outputs, std::move(attributes)});
  return outputs;
}

std::string ModelWriter::constant(const TensorType& type, std::string bytes) {
  std::string key(name(type.dtype));
  for (const int64_t size : type.sizes) key += ',' + std::to_string(size);
  std::string& known = constant_names_[key + ':' + bytes];
  if (known.empty()) {
    known = new_name("c", &num_constants_);
    constants_.emplace_back(Value{known, type}, std::move(bytes));
  }
  return known;
}

std::string ModelWriter::bytes(const std::string& graph_name) const {
  Message graph;
  for (const Node& node : nodes_) {
    Message proto;
    for (const std::string& input : node.inputs) proto.add(1, final_name(input));
    for (const std::string& output : node.outputs) proto.add(2, final_name(output));
    proto.add(3, final_name(node.outputs[0])).add(4, node.op_type);
    for (const auto& [name, value] : node.attributes) {
      Message attribute;
      attribute.add(1, name);
      std::visit(AttributeWriter{attribute}, value);
      proto.add(5, attribute);
    }
    graph.add(1, proto);
  }
  graph.add(2, graph_name);
  for (const auto& [value, bytes] : constants_)
    graph.add(5, tensor_proto(value.name, value.type, bytes));
  for (const Value& input : inputs_) graph.add(11, value_info(input.name, input.type));
  for (const Value& output : outputs_) graph.add(12, value_info(output.name, output.type));
  Message opset, model;
  opset.add(1, "").add(2, kExportOpset);
  model.add(1, kExportIrVersion).add(2, "frit").add(7, graph).add(8, opset);
  return std::string(model.bytes());
}

}  // namespace frit::onnx
