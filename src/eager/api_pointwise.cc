// Elementwise public ops that are more than their row: parameters, defaults, checks.
#include <cmath>
#include <limits>
#include <numbers>

#include "src/eager/api.h"

namespace frit {

using api::operand;

namespace {

template <class B>
Tensor div_rounded(const Tensor& a, const B& b, const std::string& rounding_mode) {
  if (rounding_mode == "floor") return floor_divide(a, b);
  if (rounding_mode == "trunc") return trunc_divide(a, b);
  api::fail(ErrorKind::kRuntime, "div", a,
            "the rounding mode is neither floor nor trunc: " + rounding_mode);
}

void check_same_dtype(std::string_view op, const Tensor& a, const Tensor& b) {
  if (api::checked(op, a).dtype() != api::checked(op, b).dtype())
    api::fail(ErrorKind::kRuntime, op, a,
              api::text("the dtypes differ: ", name(a.dtype()), " and ", name(b.dtype())));
}

bool is_float(const Tensor& x) { return is_floating_point(x.dtype()); }

// Of integers the value is an integer.
Tensor add_product(Op op, const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  const Operand operands[] = {operand(op, x), operand(op, a), operand(op, b)};
  const bool any_float = is_float(x) || is_float(a) || is_float(b);
  if (!any_float && op == Op::addcdiv)
    api::fail(ErrorKind::kRuntime, name(op), x,
              "integers are not divided: convert them to floating point");
  const Scalar factor = any_float ? value : Scalar(value.to_int());
  return call(op, {operands[0], operands[1], operands[2], factor});
}

}  // namespace

Tensor div(const Tensor& a, const Tensor& b, const std::string& rounding_mode) {
  return div_rounded(a, b, rounding_mode);
}
Tensor div(const Tensor& a, const Scalar& b, const std::string& rounding_mode) {
  return div_rounded(a, b, rounding_mode);
}

Tensor round(const Tensor& x, int64_t decimals) {
  if (decimals == 0) return round(x);
  return call(Op::round_decimals, {operand("round", x)}, Attrs().add(decimals));
}

Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  return add_product(Op::addcmul, x, a, b, value);
}
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  return add_product(Op::addcdiv, x, a, b, value);
}

Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight) {
  check_same_dtype("lerp", start, end);
  return call(Op::lerp, {start, end, weight});
}
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight) {
  check_same_dtype("lerp", start, end);
  check_same_dtype("lerp", start, weight);
  return call(Op::lerp, {start, end, weight});
}

Tensor logit(const Tensor& x, std::optional<double> eps) {
  if (!eps) return call(Op::logit, {operand(Op::logit, x)});
  return call(Op::logit, {operand(Op::logit, x), Scalar(*eps), Scalar(1 - *eps)});
}

Tensor polygamma(int64_t n, const Tensor& x) {
  return call(Op::polygamma, {operand(Op::polygamma, x)}, Attrs().add(n));
}

Tensor mvlgamma(const Tensor& x, int64_t p) {
  if (p < 1)
    api::fail(ErrorKind::kRuntime, "mvlgamma", api::checked("mvlgamma", x),
              api::text("p is not positive: ", p));
  const Tensor wide = is_float(api::checked("mvlgamma", x)) ? x : to(x, kFloat32);
  const double dimensions = static_cast<double>(p);
  const DefaultDeviceScope beside(wide.device());
  const Tensor halves = arange(0.5 - dimensions / 2, 0.5, 0.5, wide.dtype());
  const Tensor logs = sum(lgamma(add(unsqueeze(wide, -1), halves)), {-1});
  return add(logs, dimensions * (dimensions - 1) * std::log(std::numbers::pi) / 4);
}

namespace {

double largest(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return std::numeric_limits<double>::max();
    case Dtype::kBF16:
      return 0x1.fep127;
    case Dtype::kF16:
      return 65504;
    default:
      return std::numeric_limits<float>::max();
  }
}

}  // namespace

Tensor nan_to_num(const Tensor& x, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  const Dtype dtype = api::checked("nan_to_num", x).dtype();
  if (!is_floating_point(dtype)) return clone(x);
  return call(Op::nan_to_num, {x, Scalar(nan.value_or(0)), Scalar(posinf.value_or(largest(dtype))),
                               Scalar(neginf.value_or(-largest(dtype)))});
}

Tensor float_power(const Tensor& x, const Tensor& exponent) {
  return pow(to(x, kFloat64), to(exponent, kFloat64));
}
Tensor float_power(const Tensor& x, const Scalar& exponent) {
  return pow(to(x, kFloat64), exponent);
}
Tensor float_power(const Scalar& x, const Tensor& exponent) {
  return pow(x, to(exponent, kFloat64));
}

Tensor ldexp(const Tensor& x, const Tensor& exponent) { return mul(x, pow(Scalar(2.0), exponent)); }

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check_same_dtype("isclose", a, b);
  if (rtol < 0 || atol < 0)
    api::fail(ErrorKind::kRuntime, "isclose", a,
              api::text("a tolerance is negative: rtol ", rtol, ", atol ", atol));
  return call(Op::isclose, {a, b, Scalar(rtol), Scalar(atol)}, Attrs().add(equal_nan));
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  return all(isclose(a, b, rtol, atol, equal_nan)).item().to_bool();
}

bool equal(const Tensor& a, const Tensor& b) {
  check_same_dtype("equal", a, b);
  return a.sizes() == b.sizes() && all(eq(a, b)).item().to_bool();
}

Tensor isin(const Tensor& elements, const Tensor& tests, bool invert) {
  const Tensor list = reshape(api::checked("isin", tests), {-1});
  const Tensor found = any(eq(unsqueeze(api::checked("isin", elements), -1), list), -1);
  return invert ? logical_not(found) : found;
}

Tensor elu(const Tensor& x, double alpha, double scale, double input_scale) {
  return call(Op::elu,
              {operand(Op::elu, x), Scalar(alpha * scale), Scalar(scale), Scalar(input_scale)});
}

Tensor celu(const Tensor& x, double alpha) {
  if (alpha == 0) api::fail(ErrorKind::kRuntime, "celu", api::checked("celu", x), "alpha is 0");
  return elu(x, alpha, 1, 1 / alpha);
}

Tensor softplus(const Tensor& x, double beta, double threshold) {
  return call(Op::softplus, {operand(Op::softplus, x), Scalar(beta), Scalar(threshold)});
}

Tensor hardtanh(const Tensor& x, const Scalar& min, const Scalar& max) {
  if (api::checked("hardtanh", x).dtype() == kBool)
    api::fail(ErrorKind::kRuntime, "hardtanh", x, "bool is not supported");
  // Of integers the bounds are integers.
  if (!is_float(x)) return clamp(x, OptionalScalar(min.to_int()), OptionalScalar(max.to_int()));
  return clamp(x, OptionalScalar(min), OptionalScalar(max));
}

Tensor threshold(const Tensor& x, const Scalar& threshold, const Scalar& value) {
  if (api::checked("threshold", x).dtype() == kBool)
    api::fail(ErrorKind::kNotImplemented, "threshold", x, "bool is not supported");
  if (is_float(x)) return call(Op::threshold, {x, threshold, value});
  return call(Op::threshold, {x, Scalar(threshold.to_int()), Scalar(value.to_int())});
}

Tensor hardshrink(const Tensor& x, const Scalar& lambda) {
  return call(Op::hardshrink, {operand(Op::hardshrink, x), lambda});
}

Tensor softshrink(const Tensor& x, const Scalar& lambda) {
  if (lambda.to_double() < 0)
    api::fail(ErrorKind::kRuntime, "softshrink", api::checked("softshrink", x),
              api::text("lambda is negative: ", lambda.to_double()));
  return call(Op::softshrink, {operand(Op::softshrink, x), lambda});
}

Tensor prelu(const Tensor& x, const Tensor& weight) {
  check_same_dtype("prelu", x, weight);
  if (weight.dim() > 1)
    api::fail(ErrorKind::kRuntime, "prelu", weight, "the weight has more than one dimension");
  if (weight.numel() == 1) return call(Op::prelu, {x, reshape(weight, {})});
  const int64_t channels = x.dim() < 2 ? 1 : x.size(1);
  if (x.dim() == 0 || weight.numel() != channels)
    api::fail(ErrorKind::kRuntime, "prelu", x,
              api::text("there are ", weight.numel(), " weights for ", channels, " channels"));
  std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
  sizes[1] = channels;
  return call(Op::prelu, {x, reshape(weight, sizes)});
}

Tensor glu(const Tensor& x, int64_t dim) {
  return call(Op::glu, {operand(Op::glu, x)}, Attrs().add(dim));
}

}  // namespace frit
