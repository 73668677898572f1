// Inverse and hyperbolic functions, from those that Frit has. The formulas neither cancel near 0
// nor overflow early.
#include <limits>

#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

// The other leg of the triangle with hypotenuse 1; NaN outside [-1, 1].
Tensor leg(const Tensor& x) { return sqrt((1 - x) * (x + 1)); }

// `large` takes over where `plain` overflows.
Tensor unless_infinite(const Tensor& plain, const Tensor& large) {
  return where(eq(plain, std::numeric_limits<double>::infinity()), large, plain);
}

// Half of exp(x), which itself may overflow.
Tensor half_exp(const Tensor& x) {
  const Tensor root = exp(x * 0.5);
  return root * 0.5 * root;
}

// log(2 x), though 2 x may overflow.
Tensor log_of_twice(const Tensor& x) { return log(x) + 0.69314718055994531; }

Tensor cosh_of(const Tensor& x) {
  return unless_infinite((exp(x) + exp(neg(x))) * 0.5, half_exp(abs(x)));
}

Tensor sinh_of(const Tensor& x) {
  const Tensor a = abs(x);
  return copysign(unless_infinite((expm1(a) - expm1(neg(a))) * 0.5, half_exp(a)), x);
}

Tensor acosh_of(const Tensor& x) {
  const Tensor t = x - 1;
  return unless_infinite(log1p(t + sqrt(t) * sqrt(t + 2)), log_of_twice(x));
}

Tensor asinh_of(const Tensor& x) {
  const Tensor a = abs(x), r = reciprocal(a);
  return copysign(unless_infinite(log1p(a + a / (r + sqrt(r * r + 1))), log_of_twice(a)), x);
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
Runner bind_cosh(Node&) { return unary(cosh_of); }
Runner bind_sinh(Node&) { return unary(sinh_of); }
Runner bind_acosh(Node&) { return unary(acosh_of); }
Runner bind_asinh(Node&) { return unary(asinh_of); }
Runner bind_atanh(Node&) { return unary(atanh_of); }

}  // namespace frit::onnx::ops
