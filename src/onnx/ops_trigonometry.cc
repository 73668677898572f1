// Inverse and hyperbolic functions, from those that Frit has. The formulas neither cancel near 0
// nor overflow early.
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

// The other leg of the triangle with hypotenuse 1; NaN outside [-1, 1].
Tensor leg(const Tensor& x) { return sqrt((1 - x) * (x + 1)); }

Tensor acosh_of(const Tensor& x) {
  const Tensor t = x - 1;
  return log1p(t + sqrt(t) * sqrt(t + 2));
}

Tensor asinh_of(const Tensor& x) {
  const Tensor a = abs(x), r = reciprocal(a);
  return copysign(log1p(a + a / (r + sqrt(r * r + 1))), x);
}

Tensor atanh_of(const Tensor& x) {
  const Tensor a = abs(x);
  return copysign(log1p(a * 2 / (1 - a)) * 0.5, x);
}

Runner unary(Tensor (*op)(const Tensor&)) {
  return [op](Call& call) { call.result(op(call[0])); };
}

}  // namespace

Runner bind_acos(Node&) {
  return unary([](const Tensor& x) { return atan2(leg(x), x); });
}
Runner bind_asin(Node&) {
  return unary([](const Tensor& x) { return atan2(x, leg(x)); });
}
Runner bind_atan(Node&) {
  return unary([](const Tensor& x) { return atan2(x, Scalar(1.0)); });
}
Runner bind_cosh(Node&) {
  return unary([](const Tensor& x) { return (exp(x) + exp(neg(x))) * 0.5; });
}
Runner bind_sinh(Node&) {
  return unary([](const Tensor& x) { return (expm1(x) - expm1(neg(x))) * 0.5; });
}
Runner bind_acosh(Node&) { return unary(acosh_of); }
Runner bind_asinh(Node&) { return unary(asinh_of); }
Runner bind_atanh(Node&) { return unary(atanh_of); }

}  // namespace frit::onnx::ops
