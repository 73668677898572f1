// Elementwise composites: bounds, activations, masks.
#include <numbers>

#include "frit/error.h"
#include "src/ops/builder.h"

namespace frit::composites {

namespace {

Value not_bool(OpBuilder& b, Value result) {
  if (b.dtype(result) == kBool)
    throw Error(ErrorKind::kNotImplemented, "clamp(bool): bool is not supported");
  return result;
}

}  // namespace

Value clamp(OpBuilder& b, Args args, const Attrs&) {
  return not_bool(b, b.minimum(b.maximum(args[0], args[1]), args[2]));
}

Value clamp_min(OpBuilder& b, Args args, const Attrs&) {
  return not_bool(b, b.maximum(args[0], args[1]));
}

Value clamp_max(OpBuilder& b, Args args, const Attrs&) {
  return not_bool(b, b.minimum(args[0], args[1]));
}

Value leaky_relu(OpBuilder& b, Args args, const Attrs&) {
  return b.where(b.gt(args[0], 0), args[0], b.mul(args[0], args[1]));
}

namespace {

// x * Phi(x), Phi the normal distribution.
Value gelu_erf(OpBuilder& b, const Arg& x) {
  const double sqrt_half = 1 / std::numbers::sqrt2;
  return b.mul(b.mul(x, 0.5), b.add(b.erf(b.mul(x, sqrt_half)), 1));
}

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
Value gelu_tanh(OpBuilder& b, const Arg& x) {
  const double beta = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const Value cube = b.mul(b.mul(x, x), x);
  const Value inner = b.mul(b.add(x, b.mul(cube, 0.044715)), beta);
  return b.mul(b.mul(x, 0.5), b.add(b.tanh(inner), 1));
}

}  // namespace

Value gelu(OpBuilder& b, Args args, const Attrs& attrs) {
  return AttrReader(attrs).next_bool() ? gelu_tanh(b, args[0]) : gelu_erf(b, args[0]);
}

// The result has x's dtype whatever the value's is. Any number is weak beside floats; elsewhere a
// 0-dim tensor of x's dtype converts it first.
Value masked_fill(OpBuilder& b, Args args, const Attrs&) {
  const Dtype dtype = b.dtype(args[0].value);
  Arg value = args[2];
  if (b.is_tensor(value)) {
    if (b.dtype(value.value) != dtype) value = b.cast(value, dtype);
  } else if (!is_floating_point(dtype)) {
    value = b.op(Op::full, {value}, Attrs().add(dtype).add_list({}));
  }
  return b.where(args[1], value, args[0]);
}

}  // namespace frit::composites
