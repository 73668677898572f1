// Products, convolutions, normalization and recurrent layers.
#include <algorithm>

#include "src/onnx/export_ops.h"
#include "src/ops/recurrent.h"

namespace frit::onnx::exports {
namespace {

// Lists of one value are for each dimension.
std::vector<int64_t> repeated(const std::vector<int64_t>& list, size_t count) {
  return list.size() == 1 ? std::vector<int64_t>(count, list[0]) : list;
}

// Before and after each dimension in turn; ONNX has all that come before, then all after.
std::vector<int64_t> onnx_pads(const std::vector<int64_t>& in_turn) {
  std::vector<int64_t> pads;
  for (size_t after : {0, 1})
    for (size_t d = after; d < in_turn.size(); d += 2) pads.push_back(in_turn[d]);
  return pads;
}

OnnxValues all_widened(NodeWriter& w) {
  OnnxValues operands;
  for (int i = 0; i < w.num_operands(); ++i) operands.push_back(w.widened(i));
  return operands;
}

// x times a number, unless that is known to be 1.
OnnxValue times(NodeWriter& w, const OnnxValue& x, int i) {
  const std::optional<Scalar> factor = w.literal(i);
  if (factor && factor->to_double() == 1) return x;
  return w.op("Mul", {x, w.operand(i, x.dtype)});
}

// The affine part of a normalization over the last dimensions, or ones.
OnnxValue scale_of(NodeWriter& w, const OnnxValue& x, int64_t dims) {
  if (w.bool_attr("affine")) return w.operand(2, x.dtype);
  const Layout& layout = w.layout(0);
  return w.expand_to(w.number(1, x.dtype),
                     layout.sizes().subspan(static_cast<size_t>(layout.rank - dims)));
}

}  // namespace

void matmul(NodeWriter& w) {
  // ONNX's product of two rows has no dimensions, as PyTorch's.
  w.result(w.op("MatMul", {w.widened(0), w.widened(1)}));
}

// beta * bias + alpha * (a @ b). A bias of beta 0 is not read.
void addmm(NodeWriter& w) {
  const OnnxValue bias = w.widened(0), a = w.widened(1), b = w.widened(2);
  const std::optional<Scalar> alpha = w.literal(3), beta = w.literal(4);
  const bool without_bias = beta && beta->to_double() == 0;
  if (alpha && beta && a.dtype == kFloat32) {
    const Attributes factors = {{"alpha", static_cast<float>(alpha->to_double())},
                                {"beta", static_cast<float>(beta->to_double())}};
    return w.result(
        w.op("Gemm", without_bias ? OnnxValues{a, b} : OnnxValues{a, b, bias}, factors));
  }
  const OnnxValue product = times(w, w.op("MatMul", {a, b}), 3);
  w.result(without_bias ? product : w.op("Add", {times(w, bias, 4), product}));
}

// x @ w^T + bias
void linear(NodeWriter& w) {
  const OnnxValues operands = all_widened(w);
  if (w.layout(1).rank != 2) return w.expand();
  if (w.layout(0).rank == 2 && is_floating_point(operands[0].dtype))
    return w.result(w.op("Gemm", operands, {{"transB", int64_t{1}}}));
  const OnnxValue product = w.op("MatMul", {operands[0], w.permute(operands[1], {1, 0})});
  w.result(operands.size() > 2 ? w.op("Add", {product, operands[2]}) : product);
}

void convolution(NodeWriter& w) {
  const size_t n = w.layout(1).rank - 2u;
  w.result(w.op("Conv", all_widened(w),
                {{"dilations", repeated(w.list_attr("dilation"), n)},
                 {"group", w.int_attr("groups")},
                 {"pads", onnx_pads(repeated(w.list_attr("padding"), 2 * n))},
                 {"strides", repeated(w.list_attr("stride"), n)}}));
}

void conv_transpose(NodeWriter& w) {
  const size_t n = w.layout(1).rank - 2u;
  std::vector<int64_t> pads = repeated(w.list_attr("padding"), n);
  pads.insert(pads.end(), pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(n));
  w.result(w.op("ConvTranspose", all_widened(w),
                {{"dilations", repeated(w.list_attr("dilation"), n)},
                 {"group", w.int_attr("groups")},
                 {"output_padding", repeated(w.list_attr("output_padding"), n)},
                 {"pads", pads},
                 {"strides", repeated(w.list_attr("stride"), n)}}));
}

// Of a number that is known: epsilon is an attribute.
void layer_norm(NodeWriter& w) {
  const std::optional<Scalar> eps = w.literal(1);
  const int64_t dims = w.int_attr("dims");
  if (!eps || dims < 1 || dims > w.layout(0).rank || w.layout(0).numel == 0) return w.expand();
  const OnnxValue x = w.widened(0);
  if (x.dtype == kFloat64) return w.expand();  // ONNX computes it in f32
  OnnxValues inputs = {x, scale_of(w, x, dims)};
  if (w.bool_attr("affine")) inputs.push_back(w.operand(3, x.dtype));
  w.result(w.op("LayerNormalization", inputs,
                {{"axis", -dims}, {"epsilon", static_cast<float>(eps->to_double())}}));
}

// Operands x, weight, bias, mean, var, eps. Weight and bias may be numbers.
void batch_norm(NodeWriter& w) {
  const std::optional<Scalar> eps = w.literal(5);
  if (!eps || w.layout(0).rank < 2) return w.expand();
  const OnnxValue x = w.widened(0);
  const int64_t channels = w.layout(0).size(1);
  OnnxValues inputs = {x};
  for (int i = 1; i < 5; ++i) {
    const bool whole = w.is_tensor(i) && w.layout(i).sizes() == IntArrayRef({channels});
    inputs.push_back(whole ? w.operand(i, x.dtype)
                           : w.expand_to(w.operand(i, x.dtype), {channels}));
  }
  w.result(w.op("BatchNormalization", inputs, {{"epsilon", static_cast<float>(eps->to_double())}}));
}

namespace {

// The gates of one direction in ONNX's order, by PyTorch's: an LSTM's input, output, forget, cell
// from input, forget, cell, output; a GRU's update, reset, new from reset, update, new.
std::vector<int64_t> gate_order(Recurrence mode) {
  switch (mode) {
    case Recurrence::kTanh:
    case Recurrence::kRelu:
      return {0};
    case Recurrence::kLstm:
      return {0, 3, 1, 2};
    case Recurrence::kGru:
      return {1, 0, 2};
  }
  __builtin_unreachable();
}

// Operand i, of gates * hidden rows, in that order.
OnnxValue in_onnx_order(NodeWriter& w, int i, Recurrence mode) {
  const std::vector<int64_t> order = gate_order(mode);
  const OnnxValue rows = w.widened(i);
  if (order.size() == 1) return rows;
  const auto gates = static_cast<int64_t>(order.size());
  std::vector<int64_t> sizes = w.layout(i).sizes().vec();
  std::vector<int64_t> by_gate = sizes;
  by_gate[0] /= gates;
  by_gate.insert(by_gate.begin(), gates);
  return w.reshape(w.op("Gather", {w.reshape(rows, by_gate), w.ints(order)}), sizes);
}

// With a dimension of one direction in front.
OnnxValue one_direction(NodeWriter& w, const OnnxValue& x) {
  return w.op("Unsqueeze", {x, w.ints({0})});
}

OnnxValue without(NodeWriter& w, const OnnxValue& x, int64_t dim) {
  return w.op("Squeeze", {x, w.ints({dim})});
}

}  // namespace

// ONNX's layers have a dimension of directions, here of one.
void rnn(NodeWriter& w) {
  if (w.layout(0).numel == 0) w.refuse("an empty input");
  const auto mode = static_cast<Recurrence>(w.int_attr("mode"));
  const bool lstm = mode == Recurrence::kLstm, biased = w.bool_attr("bias");
  const int bias = lstm ? 5 : 4;
  const auto weight = [&](int i) { return one_direction(w, in_onnx_order(w, i, mode)); };
  const OnnxValue none{"", kFloat32};
  OnnxValues inputs = {w.widened(0), weight(1), weight(2),
                       none,         none,      one_direction(w, w.widened(3))};
  if (lstm) inputs.push_back(one_direction(w, w.widened(4)));
  if (biased)
    inputs[3] = one_direction(
        w, w.op("Concat", {in_onnx_order(w, bias, mode), in_onnx_order(w, bias + 1, mode)},
                {{"axis", int64_t{0}}}));
  Attributes attributes = {
      {"direction", std::string(w.bool_attr("reverse") ? "reverse" : "forward")},
      {"hidden_size", w.layout(3).size(1)}};
  if (mode == Recurrence::kGru) attributes.emplace_back("linear_before_reset", int64_t{1});
  if (mode == Recurrence::kRelu)
    attributes.emplace_back("activations", std::vector<std::string>{"Relu"});
  const Dtype dtype = inputs[0].dtype;
  const char* type = lstm ? "LSTM" : mode == Recurrence::kGru ? "GRU" : "RNN";
  const std::vector<Dtype> made(lstm ? 3 : 2, dtype);
  const OnnxValues states = w.op_giving(made, type, inputs, std::move(attributes));
  w.result(without(w, states[0], 1));  // [steps, 1, batch, hidden]
  w.result(lstm ? without(w, states[2], 0) : w.expand_to(w.number(0, dtype), {0}), 1);
}

}  // namespace frit::onnx::exports
