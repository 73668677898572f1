// Takes an ONNX file apart: protobuf messages in, plain structs out, each message released on the
// way.
#include "src/onnx/model.h"

#include <onnx/onnx_pb.h>

#include <limits>
#include <set>

#include "src/io/file.h"
#include "src/onnx/fail.h"
#include "src/onnx/read_tensor.h"

namespace frit::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::ValueInfoProto;

constexpr int64_t kOldestIrVersion = 3;  // before it, attributes had no types

template <class Field>
auto to_vector(const Field& field) {
  return std::vector(field.begin(), field.end());
}

bool is_onnx_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

class ModelReader {
 public:
  explicit ModelReader(const std::string& path) : path_(path) {}

  ModelDef read(const ModelProto& proto) const {
    ModelDef model;
    model.path = path_;
    model.ir_version = proto.ir_version();
    if (model.ir_version < kOldestIrVersion)
      fail_unsupported(path_, "IR version: " + std::to_string(model.ir_version) +
                                  ", the oldest that is read is 3");
    model.opset = read_opset(proto);
    if (proto.functions_size() > 0)
      fail_unsupported(path_, "local functions: " + std::to_string(proto.functions_size()));
    if (!proto.has_graph()) fail(path_, "no graph");
    model.graph = read_graph(proto.graph(), 1);
    return model;
  }

 private:
  int64_t read_opset(const ModelProto& proto) const {
    std::optional<int64_t> opset;
    for (const auto& import : proto.opset_import()) {
      if (!is_onnx_domain(import.domain())) continue;
      if (opset) fail(path_, "two opsets of ONNX's own ops");
      opset = import.version();
    }
    if (!opset && proto.opset_import_size() > 0)
      fail_unsupported(path_, "opset: " + quoted(proto.opset_import(0).domain()) +
                                  " without one of ONNX's own ops");
    if (!opset) fail(path_, "no opset");
    return *opset;
  }

  GraphDef read_graph(const GraphProto& proto, int depth) const {
    if (depth > kMaxGraphDepth)
      fail(path_, "graphs nest too deep: more than " + std::to_string(kMaxGraphDepth));
    if (proto.sparse_initializer_size() > 0) fail_unsupported(path_, "sparse initializers");
    GraphDef graph;
    std::set<std::string> initialized;
    for (const auto& tensor : proto.initializer()) {
      graph.initializers.push_back(
          read_tensor(tensor, "initializer " + quoted(tensor.name()), path_));
      initialized.insert(tensor.name());
    }
    // Up to IR version 3 every initializer had to be listed as an input, too.
    for (const auto& input : proto.input())
      if (!initialized.contains(input.name())) graph.inputs.push_back(read_value(input, "input "));
    for (const auto& output : proto.output())
      graph.outputs.push_back(read_value(output, "output "));
    for (const auto& node : proto.node())
      graph.nodes.push_back(read_node(node, graph.nodes.size(), depth));
    return graph;
  }

  ValueInfo read_value(const ValueInfoProto& proto, const std::string& role) const {
    ValueInfo value;
    value.name = proto.name();
    if (proto.type().value_case() == ::onnx::TypeProto::VALUE_NOT_SET) return value;
    const std::string where = role + quoted(value.name);
    if (!proto.type().has_tensor_type())
      fail_unsupported(path_, "type: " + where + " is no tensor");
    const auto& type = proto.type().tensor_type();
    if (type.elem_type() != 0) value.dtype = require_dtype(type.elem_type(), where, path_);
    if (!type.has_shape()) return value;
    value.dims.emplace();
    for (const auto& dim : type.shape().dim()) {
      Dim& def = value.dims->emplace_back();
      if (dim.has_dim_value()) def.size = dim.dim_value();
      def.symbol = dim.dim_param();
      // Some exporters write -1 or 0 for a size that is not known.
      if (def.size && *def.size <= 0) def.size.reset();
    }
    return value;
  }

  NodeDef read_node(const NodeProto& proto, size_t index, int depth) const {
    NodeDef node;
    node.op_type = proto.op_type();
    node.domain = is_onnx_domain(proto.domain()) ? "" : proto.domain();
    node.name = proto.name().empty() ? "#" + std::to_string(index) : proto.name();
    node.inputs = to_vector(proto.input());
    node.outputs = to_vector(proto.output());
    if (node.op_type.empty()) fail(path_, describe(node) + ": no op type");
    for (const auto& attribute : proto.attribute()) {
      const std::string where = describe(node) + ": attribute " + quoted(attribute.name());
      Attribute value = read_attribute(attribute, where, depth);
      if (!node.attributes.emplace(attribute.name(), std::move(value)).second)
        fail(path_, where + " twice");
    }
    return node;
  }

  Attribute read_attribute(const AttributeProto& proto, const std::string& where, int depth) const {
    if (!proto.ref_attr_name().empty()) fail(path_, where + " refers to a function's attribute");
    switch (proto.type()) {
      case AttributeProto::FLOAT:
        return proto.f();
      case AttributeProto::INT:
        return proto.i();
      case AttributeProto::STRING:
        return proto.s();
      case AttributeProto::FLOATS:
        return to_vector(proto.floats());
      case AttributeProto::INTS:
        return to_vector(proto.ints());
      case AttributeProto::STRINGS:
        return to_vector(proto.strings());
      case AttributeProto::TENSOR:
        if (!proto.has_t()) fail(path_, where + " has no tensor");
        return read_tensor(proto.t(), where, path_);
      case AttributeProto::GRAPH:
        if (!proto.has_g()) fail(path_, where + " has no graph");
        return std::make_shared<const GraphDef>(read_graph(proto.g(), depth + 1));
      case AttributeProto::UNDEFINED:
        fail(path_, where + " has no type");
      case AttributeProto::SPARSE_TENSOR:
      case AttributeProto::TYPE_PROTO:
      case AttributeProto::TENSORS:
      case AttributeProto::GRAPHS:
      case AttributeProto::SPARSE_TENSORS:
      case AttributeProto::TYPE_PROTOS:
        break;
    }
    fail_unsupported(path_, "attribute type: " + where + " is " +
                                ::onnx::AttributeProto_AttributeType_Name(proto.type()));
  }

  const std::string& path_;
};

}  // namespace

ModelDef read_model(const std::string& path) {
  return parse_model(io::read_file(path, "onnx"), path);
}

ModelDef parse_model(std::span<const std::byte> bytes, const std::string& path) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    fail(path, "too large: " + std::to_string(bytes.size()) + " bytes, at most 2 GiB are read");
  ModelProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    fail(path, "not an ONNX model, or cut short: its " + std::to_string(bytes.size()) +
                   " bytes do not parse");
  ModelDef model = ModelReader(path).read(proto);
  check_names(model.graph, path);
  return model;
}

std::string describe(const NodeDef& node) {
  const std::string domain = node.domain.empty() ? "" : printable(node.domain) + ".";
  return "node " + quoted(node.name) + ", " + domain + printable(node.op_type);
}

}  // namespace frit::onnx
