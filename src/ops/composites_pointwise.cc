// Elementwise composites: bounds, mixtures, closeness, masks.
#include <cmath>
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

Value addcmul(OpBuilder& b, Args args, const Attrs&) {
  return b.add(args[0], b.mul(b.mul(args[1], args[3]), args[2]));
}

Value addcdiv(OpBuilder& b, Args args, const Attrs&) {
  return b.add(args[0], b.div(b.mul(args[1], args[3]), args[2]));
}

// From the end that is nearer, so that a weight of 1 gives the other end exactly.
Value lerp(OpBuilder& b, Args args, const Attrs&) {
  const Arg &start = args[0], &end = args[1], &weight = args[2];
  const Value distance = b.sub(end, start);
  if (!b.is_tensor(weight)) {
    const double w = b.assume(weight).to_double();
    return std::fabs(w) < 0.5 ? b.add(start, b.mul(distance, w))
                              : b.sub(end, b.mul(distance, 1 - w));
  }
  const Value from_start = b.add(start, b.mul(weight, distance));
  const Value from_end = b.sub(end, b.mul(distance, b.sub(1, weight)));
  return b.where(b.lt(b.abs(weight), 0.5), from_start, from_end);
}

Value logit(OpBuilder& b, Args args, const Attrs&) {
  const Arg x = args.size() == 1 ? args[0] : Arg(b.minimum(b.maximum(args[0], args[1]), args[2]));
  return b.log(b.div(x, b.sub(1, x)));
}

namespace {

// zeta(2, x), reflected below 1/2.
Value trigamma(OpBuilder& b, const Arg& x) {
  const double pi = std::numbers::pi;
  const Value low = b.lt(x, 0.5);
  const Value direct = b.zeta(2.0, b.where(low, b.sub(1, x), x));
  const Value sine = b.sin(b.mul(x, pi));
  return b.where(low, b.sub(b.div(pi * pi, b.mul(sine, sine)), direct), direct);
}

}  // namespace

Value polygamma(OpBuilder& b, Args args, const Attrs& attrs) {
  const int64_t n = AttrReader(attrs).next_int();
  if (n < 0) throw Error(ErrorKind::kRuntime, "polygamma(): the order is negative");
  if (n == 0) return b.digamma(args[0]);
  if (n == 1) return trigamma(b, args[0]);
  double factorial = 1;
  for (int64_t k = 2; k <= n && factorial < 1e308; ++k) factorial *= static_cast<double>(k);
  const Value sum = b.zeta(static_cast<double>(n + 1), args[0]);
  return b.mul(sum, n % 2 == 0 ? -factorial : factorial);
}

Value nan_to_num(OpBuilder& b, Args args, const Attrs&) {
  const Arg& x = args[0];
  const Value above = b.where(b.isneginf(x), args[3], x);
  return b.where(b.isnan(x), args[1], b.where(b.isposinf(x), args[2], above));
}

// Each step is an op that rounds by itself, as in PyTorch. Integers differ as the default floats.
Value isclose(OpBuilder& b, Args args, const Attrs& attrs) {
  const Value x = args[0].value;
  Value y = args[1].value;
  Value close = b.eq(x, y);
  if (AttrReader(attrs).next_bool())
    close = b.logical_or(close, b.logical_and(b.isnan(x), b.isnan(y)));
  if (!is_floating_point(b.dtype(y))) y = b.cast(y, kFloat32);
  const Value allowed = b.add(b.abs(b.mul(y, args[2])), args[3]);
  const Value distance = b.abs(b.sub(is_floating_point(b.dtype(x)) ? x : b.cast(x, kFloat32), y));
  const Value near = b.logical_and(b.isfinite(distance), b.le(distance, allowed));
  return b.logical_or(close, near);
}

Value round_decimals(OpBuilder& b, Args args, const Attrs& attrs) {
  const int64_t decimals = AttrReader(attrs).next_int();
  const double power = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  if (decimals < 0) return b.mul(b.round(b.div(args[0], power)), power);
  return b.div(b.round(b.mul(args[0], power)), power);
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
