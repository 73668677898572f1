// Activations as composites: those with parameters, and gelu.
#include <numbers>

#include "frit/error.h"
#include "src/ops/builder.h"

namespace frit::composites {

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

Value elu(OpBuilder& b, Args args, const Attrs&) {
  const Arg& x = args[0];
  const Value below = b.mul(b.expm1(b.mul(x, args[3])), args[1]);
  return b.where(b.gt(x, 0), b.mul(x, args[2]), below);
}

Value softplus(OpBuilder& b, Args args, const Attrs&) {
  const Arg &x = args[0], &beta = args[1];
  const Value scaled = b.mul(x, beta);
  return b.where(b.gt(scaled, args[2]), x, b.div(b.log1p(b.exp(scaled)), beta));
}

Value threshold(OpBuilder& b, Args args, const Attrs&) {
  return b.where(b.le(args[0], args[1]), args[2], args[0]);
}

Value glu(OpBuilder& b, Args args, const Attrs& attrs) {
  const Value x = args[0].value;
  const Dims dims = normalize_dims(Op::glu, b.layout(x), {AttrReader(attrs).next_int()});
  if (dims.rank == 0) throw Error(ErrorKind::kRuntime, "glu(0-dim): there is nothing to halve");
  const int64_t dim = dims[0], size = b.layout(x).size(static_cast<int>(dim));
  if (size % 2 != 0)
    throw Error(ErrorKind::kRuntime,
                "glu(" + to_string(b.layout(x)) + "): the dimension's size is odd");
  const Value gate = b.sigmoid(b.slice(x, dim, size / 2, size));
  return b.mul(b.slice(x, dim, 0, size / 2), gate);
}

}  // namespace frit::composites
