// Elementwise ops that ONNX has.
#include "src/onnx/export_ops.h"
#include "src/ops/op.h"

namespace frit::onnx::exports {

void elementwise(NodeWriter& w) { w.result(w.op(w.row().type, w.promoted())); }

void rounded(NodeWriter& w) {
  if (!is_floating_point(w.layout(0).dtype)) return w.result(w.operand(0));
  elementwise(w);
}

void comparison(NodeWriter& w) { w.result(w.test(w.row().type, w.promoted())); }

void not_equal(NodeWriter& w) { w.result(w.test("Not", {w.test("Equal", w.promoted())})); }

void logical(NodeWriter& w) {
  OnnxValues operands;
  for (int i = 0; i < w.num_operands(); ++i) operands.push_back(w.operand(i, kBool));
  w.result(w.test(w.row().type, operands));
}

void where(NodeWriter& w) {
  const OnnxValues operands = w.promoted();
  w.result(w.op_giving(operands[1].dtype, "Where", operands));
}

// ONNX leaves open what becomes of numbers that do not fit.
void cast(NodeWriter& w) { w.result(w.operand(0)); }

void identity(NodeWriter& w) { w.result(w.operand(0)); }

// -1 - x, whose lower bits are those of ~x.
void bitwise_not(NodeWriter& w) {
  if (w.layout(0).dtype == kBool) return w.result(w.test("Not", {w.operand(0)}));
  const OnnxValue x = w.widened(0);
  w.result(w.op("Sub", {w.number(-1, x.dtype), x}));
}

void bitwise_binary(NodeWriter& w) {
  if (w.result_layout().dtype != kBool) w.refuse("ONNX has it of integers from opset 18 on");
  logical(w);
}

void is_special(NodeWriter& w) {
  if (!is_floating_point(w.layout(0).dtype)) {
    const OnnxValue x = w.operand(0, kInt64);
    return w.result(w.test("Less", {x, x}));  // no integer is
  }
  Attributes attributes;
  if (w.op() == Op::isposinf) attributes.emplace_back("detect_negative", int64_t{0});
  if (w.op() == Op::isneginf) attributes.emplace_back("detect_positive", int64_t{0});
  w.result(w.op_giving(kBool, w.row().type, {w.widened(0)}, std::move(attributes)));
}

void relu6(NodeWriter& w) {
  const OnnxValue x = w.promoted()[0];
  w.result(w.op("Clip", {x, w.number(0, x.dtype), w.number(6, x.dtype)}));
}

// Runtimes have Relu of floats.
void relu(NodeWriter& w) {
  const OnnxValue x = w.promoted()[0];
  w.result(is_floating_point(x.dtype) ? w.op("Relu", {x}) : w.op("Max", {x, w.number(0, x.dtype)}));
}

// Of integers ONNX leaves it to runtimes whether they go by floats, so that only products are sure.
void pow(NodeWriter& w) {
  if (is_floating_point(w.result_layout().dtype)) return elementwise(w);
  const std::optional<Scalar> exponent = w.literal(1);
  const int64_t n = exponent ? exponent->to_int() : 0;
  if (n < 1 || n > 3) w.refuse("of integers, and the exponent is not 1, 2 or 3");
  const OnnxValue x = w.promoted()[0];
  OnnxValue product = x;
  for (int64_t i = 1; i < n; ++i) product = w.op("Mul", {product, x});
  w.result(product);
}

// PyTorch's slope; ONNX's default is 0.2. Attributes are f32.
void hardsigmoid(NodeWriter& w) {
  const OnnxValue x = w.promoted()[0];
  if (x.dtype == kFloat64) {
    const OnnxValue moved = w.op("Add", {x, w.number(3, kFloat64)});
    const OnnxValue cut = w.op("Clip", {moved, w.number(0, kFloat64), w.number(6, kFloat64)});
    return w.result(w.op("Div", {cut, w.number(6, kFloat64)}));
  }
  w.result(w.op("HardSigmoid", w.promoted(), {{"alpha", 1.0f / 6}, {"beta", 0.5f}}));
}

void leaky_relu(NodeWriter& w) {
  const OnnxValues operands = w.promoted();
  const std::optional<Scalar> slope = w.literal(1);
  if (!slope || operands[0].dtype == kFloat64) return prelu(w);  // an attribute is an f32
  w.result(w.op("LeakyRelu", {operands[0]}, {{"alpha", static_cast<float>(slope->to_double())}}));
}

// By comparisons: ONNX's Shrink takes its bounds as f32 attributes.
void shrink(NodeWriter& w) {
  const OnnxValues operands = w.promoted();
  const OnnxValue &x = operands[0], &lambda = operands[1];
  const OnnxValue zero = w.number(0, x.dtype);
  if (w.op() == Op::hardshrink) {
    const OnnxValue kept = w.test("LessOrEqual", {w.op("Abs", {x}), lambda});
    return w.result(w.op_giving(x.dtype, "Where", {kept, zero, x}));
  }
  const OnnxValue above = w.op("Sub", {x, lambda}), below = w.op("Add", {x, lambda});
  const OnnxValue rest =
      w.op_giving(x.dtype, "Where",
                  {w.test("Less", {x, w.op("Neg", {lambda})}), below, w.op("Mul", {x, zero})});
  w.result(w.op_giving(x.dtype, "Where", {w.test("Greater", {x, lambda}), above, rest}));
}

}  // namespace frit::onnx::exports
