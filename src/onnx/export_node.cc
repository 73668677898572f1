// Operands and results between a graph and the model that it is written into.
#include "src/onnx/export_node.h"

#include <algorithm>

#include "src/onnx/dtypes.h"
#include "src/ops/infer.h"
#include "src/tensor/convert.h"

namespace frit::onnx {
namespace {

std::string describe(const Graph& graph, const Graph::Operand& o) {
  if (!o.is_value()) return o.literal.is_float() ? "float" : "int";
  return graph.is_scalar(o.value) ? "number" : to_string(*graph.layout(o.value));
}

// A number of the kind, for rules that look no further.
Scalar some_number(Scalar::Kind kind) {
  return kind == Scalar::Kind::kFloat ? Scalar(1.0)
         : kind == Scalar::Kind::kInt ? Scalar(1)
                                      : Scalar(true);
}

// The narrowest that holds all numbers of `dtype`, in the order in which Frit would take them.
std::vector<Dtype> wider_dtypes(Dtype dtype) {
  switch (dtype) {
    case kBFloat16:
    case kFloat16:
      return {kFloat32};
    case kBool:
    case kUInt8:
    case kInt8:
    case kInt16:
      return {kInt32, kInt64, kFloat32, kFloat64, kUInt8};
    case kInt32:
      return {kInt64, kFloat64};
    case kFloat64:
    case kFloat32:
    case kInt64:
      return {};
  }
  __builtin_unreachable();
}

}  // namespace

void refuse_node(const Graph& graph, const Graph::Node& node, const std::string& why) {
  std::string text =
      "onnx(%" + graph.name() + "): unsupported op: " + std::string(name(node.op)) + "(";
  for (size_t i = 0; i < node.operands.size(); ++i)
    text += (i ? ", " : "") + describe(graph, node.operands[i]);
  throw Error(ErrorKind::kNotImplemented, text + "): " + why);
}

void NodeWriter::refuse(const std::string& why) const { refuse_node(context_.graph, node_, why); }

bool NodeWriter::is_tensor(int i) const {
  const Graph::Operand& o = node_.operands[i];
  return o.is_value() && !context_.graph.is_scalar(o.value);
}

const Layout& NodeWriter::layout(int i) const {
  return *context_.graph.layout(node_.operands[i].value);
}

const Layout& NodeWriter::result_layout(int i) const {
  return *context_.graph.layout(node_.results[i]);
}

bool NodeWriter::is_used(int result) const {
  const Graph::ValueId value = node_.results[result];
  const auto reads = [&](const Graph::Node& node) {
    return std::ranges::any_of(node.operands,
                               [&](const Graph::Operand& o) { return o.value == value; });
  };
  return std::ranges::count(context_.graph.outputs(), value) != 0 ||
         std::ranges::any_of(context_.graph.nodes(), reads);
}

int64_t NodeWriter::int_attr(std::string_view name) const {
  return frit::int_attr(node_.op, Attrs(node_.attrs), name);
}

std::vector<int64_t> NodeWriter::list_attr(std::string_view name) const {
  const Attrs attrs(node_.attrs);
  return frit::list_attr(node_.op, attrs, name).vec();
}

int64_t NodeWriter::dim_attr(std::string_view name, int operand) const {
  const int64_t dim = int_attr(name);
  return dim < 0 ? std::max<int64_t>(dim + layout(operand).rank, 0) : dim;
}

std::optional<Scalar> NodeWriter::literal(int i) const {
  const Graph::Operand& o = node_.operands[i];
  return o.is_value() ? std::nullopt : std::optional<Scalar>(o.literal);
}

Scalar NodeWriter::known(int i) const {
  const std::optional<Scalar> value = literal(i);
  if (!value) refuse("operand " + std::to_string(i + 1) + " varies from call to call");
  return *value;
}

OnnxValue NodeWriter::operand(int i) const { return context_.values[node_.operands[i].value]; }

OnnxValue NodeWriter::operand(int i, Dtype dtype) const {
  if (const std::optional<Scalar> value = literal(i)) return number(*value, dtype);
  return cast(operand(i), dtype);
}

Dtype NodeWriter::written_in(Dtype dtype) const {
  if (row_.types.has(dtype)) return dtype;
  for (const Dtype wider : wider_dtypes(dtype))
    if (row_.types.has(wider)) return wider;
  refuse("not of " + std::string(name(dtype)));
}

OnnxValues NodeWriter::promoted() const {
  std::vector<OperandType> types;
  for (const Graph::Operand& o : node_.operands) {
    OperandType type{nullptr, o.literal};
    if (o.is_value()) type.layout = context_.graph.layout(o.value);
    if (o.is_value() && type.layout == nullptr)
      type.scalar = some_number(context_.graph.scalar_kind(o.value));
    types.push_back(type);
  }
  const Promotion dtypes = promote(node_.op, types);
  const Dtype written = written_in(dtypes.compute);
  const bool compares = info(node_.op).dtype == DtypeRule::Bool;
  OnnxValues values;
  for (int i = 0; i < num_operands(); ++i) {
    if (node_.op == Op::where && i == 0) {
      values.push_back(operand(i, kBool));
      continue;
    }
    // A number beside a 16-bit float keeps its f32 value, unless the two are compared.
    const bool keeps = !is_tensor(i) && is_half(dtypes.compute) && !compares;
    values.push_back(keeps ? operand(i, written) : cast(operand(i, dtypes.compute), written));
  }
  return values;
}

OnnxValue NodeWriter::op(std::string_view type, const OnnxValues& inputs,
                         Attributes attributes) const {
  return op_giving(inputs[0].dtype, type, inputs, std::move(attributes));
}

OnnxValue NodeWriter::op_giving(Dtype dtype, std::string_view type, const OnnxValues& inputs,
                                Attributes attributes) const {
  return op_giving(std::vector<Dtype>{dtype}, type, inputs, std::move(attributes))[0];
}

OnnxValues NodeWriter::op_giving(const std::vector<Dtype>& dtypes, std::string_view type,
                                 const OnnxValues& inputs, Attributes attributes) const {
  Names names;
  for (const OnnxValue& input : inputs) names.push_back(input.name);
  const Names made = context_.model.node(type, std::move(names), std::move(attributes),
                                         static_cast<int>(dtypes.size()));
  OnnxValues results;
  for (size_t i = 0; i < dtypes.size(); ++i) results.push_back({made[i], dtypes[i]});
  return results;
}

OnnxValue NodeWriter::cast(const OnnxValue& x, Dtype dtype) const {
  if (x.dtype == dtype) return x;
  return op_giving(dtype, "Cast", {x}, {{"to", dtype_to_onnx(dtype)}});
}

OnnxValue NodeWriter::reshape(const OnnxValue& x, IntArrayRef sizes) const {
  // Without allowzero a size of 0 means the operand's.
  const bool empty = std::ranges::count(sizes, 0) != 0;
  return op("Reshape", {x, ints(sizes)},
            empty ? Attributes{{"allowzero", int64_t{1}}} : Attributes{});
}

OnnxValue NodeWriter::expand_to(const OnnxValue& x, IntArrayRef sizes) const {
  return op("Expand", {x, ints(sizes)});
}

OnnxValue NodeWriter::permute(const OnnxValue& x, const std::vector<int64_t>& dims) const {
  return std::ranges::is_sorted(dims) ? x : op("Transpose", {x}, {{"perm", dims}});
}

OnnxValue NodeWriter::number(const Scalar& value, Dtype dtype) const {
  std::string bytes(static_cast<size_t>(byte_size(dtype)), '\0');
  store_element(dtype, bytes.data(), value);
  return {context_.model.constant({dtype, {}}, std::move(bytes)), dtype};
}

OnnxValue NodeWriter::ints(IntArrayRef values) const {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  const auto count = static_cast<int64_t>(values.size());
  return {context_.model.constant({kInt64, {count}}, std::move(bytes)), kInt64};
}

void NodeWriter::result(const OnnxValue& x, int i) const {
  context_.values[node_.results[i]] = cast(x, result_layout(i).dtype);
}

}  // namespace frit::onnx
