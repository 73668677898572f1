// Elementwise functions with parameters, and those that say something of all elements.
#include "src/python/function.h"
#include "src/python/number.h"

namespace frit::python {
namespace {

constexpr auto kLerp = [](const Tensor& a, const Tensor& b, const Number& weight) {
  return weight.is_tensor() ? lerp(a, b, *weight.tensor) : lerp(a, b, weight.scalar);
};
constexpr auto kFloatPower = [](const Number& x, const Number& exponent) {
  return apply([](const auto& a, const auto& b) { return float_power(a, b); }, "float_power", x,
               exponent);
};
constexpr auto kNanToNum = [](const Tensor& x, std::optional<double> nan,
                              std::optional<double> posinf, std::optional<double> neginf) {
  return nan_to_num(x, nan, posinf, neginf);
};
constexpr auto kIsclose = [](const Tensor& a, const Tensor& b, double rtol, double atol,
                             bool equal_nan) { return isclose(a, b, rtol, atol, equal_nan); };
constexpr auto kAllclose = [](const Tensor& a, const Tensor& b, double rtol, double atol,
                              bool equal_nan) { return allclose(a, b, rtol, atol, equal_nan); };
// assume_unique promises what is not needed.
constexpr auto kIsin = [](const Number& elements, const Number& tests, bool, bool invert) {
  if (!elements.is_tensor() && !tests.is_tensor())
    throw Error(ErrorKind::kType, "isin(): neither argument is a tensor");
  if (!elements.is_tensor())
    return isin(full({}, elements.scalar, TensorOptions(tests.tensor->device())), *tests.tensor,
                invert);
  if (tests.is_tensor()) return isin(*elements.tensor, *tests.tensor, invert);
  const Tensor found = eq(*elements.tensor, tests.scalar);
  return invert ? logical_not(found) : found;
};
constexpr auto kPositive = [](const Tensor& x) {
  if (x.dtype() == kBool) throw Error(ErrorKind::kRuntime, "positive(bool): bool is not supported");
  return x;
};
// What complex numbers have; of real ones it is the tensor itself.
constexpr auto kItself = [](const Tensor& x) { return x; };

constexpr unsigned kBoth = kFunction | kMethod;
constexpr unsigned kEverywhere = kBoth | kInPlace;

Function table[] = {
    {"addcmul",
     kEverywhere,
     {{"input, tensor1, tensor2, *, value=1",
       overload<[](const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
         return addcmul(x, a, b, value);
       }>}}},
    {"addcdiv",
     kEverywhere,
     {{"input, tensor1, tensor2, *, value=1",
       overload<[](const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
         return addcdiv(x, a, b, value);
       }>}}},
    {"lerp", kEverywhere, {{"input, end, weight", overload<kLerp>}}},
    {"float_power", kEverywhere, {{"input, exponent", overload<kFloatPower>}}},
    {"ldexp",
     kEverywhere,
     {{"input, other", overload<[](const Tensor& x, const Tensor& n) { return ldexp(x, n); }>}}},
    {"logit",
     kEverywhere,
     {{"input, eps=None",
       overload<[](const Tensor& x, std::optional<double> eps) { return logit(x, eps); }>}}},
    {"polygamma",
     kFunction,
     {{"n, input", overload<[](int64_t n, const Tensor& x) { return polygamma(n, x); }>}}},
    {"polygamma",
     kMethod | kInPlace,
     {{"input, n", overload<[](const Tensor& x, int64_t n) { return polygamma(n, x); }>}}},
    {"mvlgamma",
     kEverywhere,
     {{"input, p", overload<[](const Tensor& x, int64_t p) { return mvlgamma(x, p); }>}}},
    {"nan_to_num",
     kEverywhere,
     {{"input, nan=None, posinf=None, neginf=None", overload<kNanToNum>}}},
    {"isclose",
     kBoth,
     {{"input, other, rtol=1e-05, atol=1e-08, equal_nan=False", overload<kIsclose>}}},
    {"allclose",
     kBoth,
     {{"input, other, rtol=1e-05, atol=1e-08, equal_nan=False", overload<kAllclose>}}},
    {"equal",
     kBoth,
     {{"input, other", overload<[](const Tensor& a, const Tensor& b) { return equal(a, b); }>}}},
    {"isin",
     kFunction,
     {{"elements, test_elements, *, assume_unique=False, invert=False", overload<kIsin>}}},
    {"positive", kBoth, {{"input", overload<kPositive>}}},
    {"conj", kBoth, {{"input", overload<kItself>}}},
    {"conj_physical", kEverywhere, {{"input", overload<kItself>}}},
    {"resolve_conj", kBoth, {{"input", overload<kItself>}}},
    {"resolve_neg", kBoth, {{"input", overload<kItself>}}},
    {"real", kFunction, {{"input", overload<kItself>}}},
    {"isreal", kBoth, {{"input", overload<[](const Tensor& x) { return ones_like(x, kBool); }>}}},
};

}  // namespace

std::vector<Entry> pointwise_entries() { return entries_of<table>(); }

}  // namespace frit::python
