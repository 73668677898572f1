// The elementwise public ops. Most follow from their rows; a row without a declaration does not
// compile.
#include "src/eager/api.h"

#define FRIT_UNARY(name, ...) \
  frit::Tensor frit::name(const Tensor& x) { return call(Op::name, {api::operand(Op::name, x)}); }

#define FRIT_BINARY(name, ...)                                                     \
  frit::Tensor frit::name(const Tensor& a, const Tensor& b) {                      \
    return call(Op::name, {api::operand(Op::name, a), api::operand(Op::name, b)}); \
  }                                                                                \
  frit::Tensor frit::name(const Tensor& a, const Scalar& b) {                      \
    return call(Op::name, {api::operand(Op::name, a), b});                         \
  }                                                                                \
  frit::Tensor frit::name(const Scalar& a, const Tensor& b) {                      \
    return call(Op::name, {a, api::operand(Op::name, b)});                         \
  }

#define FRIT_PARAMETRIC(...)

#define FRIT_TERNARY(name, ...)                                                       \
  frit::Tensor frit::name(const Tensor& c, const Tensor& a, const Tensor& b) {        \
    return call(Op::name, {api::operand(Op::name, c), api::operand(Op::name, a),      \
                           api::operand(Op::name, b)});                               \
  }                                                                                   \
  frit::Tensor frit::name(const Tensor& c, const Tensor& a, const Scalar& b) {        \
    return call(Op::name, {api::operand(Op::name, c), api::operand(Op::name, a), b}); \
  }                                                                                   \
  frit::Tensor frit::name(const Tensor& c, const Scalar& a, const Tensor& b) {        \
    return call(Op::name, {api::operand(Op::name, c), a, api::operand(Op::name, b)}); \
  }                                                                                   \
  frit::Tensor frit::name(const Tensor& c, const Scalar& a, const Scalar& b) {        \
    return call(Op::name, {api::operand(Op::name, c), a, b});                         \
  }

#include "src/ops/ops.def"

namespace frit {
namespace {

void check_alpha(std::string_view op, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  const bool integers = !is_floating_point(api::checked(op, a).dtype()) &&
                        !is_floating_point(api::checked(op, b).dtype());
  if (integers && alpha.is_float())
    api::fail(ErrorKind::kRuntime, op, a, "alpha is a float, but the operands are integers");
}

bool is_one(const Scalar& s) { return s.to_double() == 1; }

// fn(a, alpha*b). The 16-bit floats compute in f32 and are rounded once, at the end.
template <class Fn>
Tensor with_alpha(Op op, const Tensor& a, const Tensor& b, const Scalar& alpha, Fn fn) {
  check_alpha(name(op), a, b, alpha);
  if (is_one(alpha)) return fn(a, b);
  const OperandType types[] = {{a.impl()->layout, {}}, {b.impl()->layout, {}}};
  const Dtype result = promote(op, types).result;
  if (!is_half(result)) return fn(a, mul(b, alpha));
  return to(fn(to(a, kFloat32), mul(to(b, kFloat32), alpha)), result);
}

}  // namespace

Tensor square(const Tensor& x) { return pow(x, 2); }

Tensor add(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  return with_alpha(Op::add, a, b, alpha, [](const auto& x, const auto& y) { return add(x, y); });
}

Tensor sub(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  return with_alpha(Op::sub, a, b, alpha, [](const auto& x, const auto& y) { return sub(x, y); });
}

namespace {

template <class Bound>
Tensor clamp_between(const Tensor& x, const std::optional<Bound>& min,
                     const std::optional<Bound>& max) {
  const auto bound = [](const Bound& b) {
    if constexpr (std::is_same_v<Bound, Tensor>)
      return api::operand(Op::clamp, b);
    else
      return Operand(b);
  };
  const Operand operand = api::operand(Op::clamp, x);
  if (min && max) return call(Op::clamp, {operand, bound(*min), bound(*max)});
  if (min) return call(Op::clamp_min, {operand, bound(*min)});
  if (max) return call(Op::clamp_max, {operand, bound(*max)});
  api::fail(ErrorKind::kRuntime, "clamp", x, "neither min nor max is given");
}

}  // namespace

Tensor clamp(const Tensor& x, const OptionalScalar& min, const OptionalScalar& max) {
  return clamp_between(x, min, max);
}

Tensor clamp(const Tensor& x, const OptionalTensor& min, const OptionalTensor& max) {
  return clamp_between(x, min, max);
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value) {
  const Operand operands[] = {api::operand(Op::masked_fill, x),
                              api::operand(Op::masked_fill, mask)};
  api::check_fits("masked_fill", x, x.dtype(), value);
  return call(Op::masked_fill, {operands[0], operands[1], value});
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value) {
  if (api::checked("masked_fill", value).dim() != 0)
    api::fail(ErrorKind::kRuntime, "masked_fill", value, "the value is not 0-dim");
  return call(Op::masked_fill,
              {api::operand(Op::masked_fill, x), api::operand(Op::masked_fill, mask), value});
}

Tensor leaky_relu(const Tensor& x, const Scalar& negative_slope) {
  return call(Op::leaky_relu, {api::operand(Op::leaky_relu, x), negative_slope});
}

Tensor gelu(const Tensor& x, const std::string& approximate) {
  const Operand operand = api::operand(Op::gelu, x);
  if (approximate != "none" && approximate != "tanh")
    api::fail(ErrorKind::kRuntime, "gelu", x,
              "approximate is neither none nor tanh: " + approximate);
  return call(Op::gelu, {operand}, Attrs().add(approximate == "tanh"));
}

Tensor dropout(const Tensor& x, double p, bool train) {
  if (train && p != 0)
    api::fail(ErrorKind::kNotImplemented, "dropout", x, "only inference is supported");
  return x;
}

}  // namespace frit
