// Elementwise functions. Most follow from the table of ops; those with more arguments than operands
// are written here, and go before.
#include "src/python/function.h"
#include "src/python/module.h"
#include "src/python/number.h"

namespace frit::python {
namespace {

// a + alpha*b for any mix of tensors and numbers.
template <class Fn>
Tensor with_alpha(Fn fn, std::string_view name, const Number& a, const Number& b,
                  const Scalar& alpha) {
  if (alpha.identical(Scalar(1))) return apply(fn, name, a, b);
  if (a.is_tensor() && b.is_tensor()) {
    if constexpr (std::is_same_v<Fn, Add>) return add(*a.tensor, *b.tensor, alpha);
    if constexpr (std::is_same_v<Fn, Sub>) return sub(*a.tensor, *b.tensor, alpha);
  }
  if (b.is_tensor()) return apply(fn, name, a, Number(mul(*b.tensor, alpha)));
  const bool is_float = alpha.is_float() || b.scalar.is_float();
  const Scalar scaled = is_float ? Scalar(alpha.to_double() * b.scalar.to_double())
                                 : Scalar(alpha.to_int() * b.scalar.to_int());
  if (a.is_tensor() && alpha.is_float() && !is_floating_point(a.tensor->dtype()))
    throw Error(ErrorKind::kRuntime,
                std::string(name) + "(): alpha is a float, but the tensor is not");
  return apply(fn, name, a, Number(scaled));
}

Tensor div_rounding(const Number& a, const Number& b, const std::optional<std::string>& rounding) {
  if (!rounding) return apply(Div(), "div", a, b);
  if (*rounding == "floor") return apply(FloorDivide(), "div", a, b);
  if (*rounding == "trunc") return apply(TruncDivide(), "div", a, b);
  throw Error(ErrorKind::kRuntime, "div(rounding_mode=" + *rounding + "): expected trunc or floor");
}

// A bound of clamp that may be a tensor, a number or missing.
Tensor clamp_numbers(const Tensor& x, const std::optional<Number>& min,
                     const std::optional<Number>& max) {
  const bool any_tensor = (min && min->is_tensor()) || (max && max->is_tensor());
  if (!any_tensor) {
    const auto bound = [](const std::optional<Number>& n) {
      return n ? OptionalScalar(n->scalar) : std::nullopt;
    };
    return clamp(x, bound(min), bound(max));
  }
  const auto bound = [&](const std::optional<Number>& n) -> OptionalTensor {
    if (!n) return std::nullopt;
    return n->is_tensor() ? *n->tensor : full({}, n->scalar, TensorOptions(x.device()));
  };
  return clamp(x, bound(min), bound(max));
}

constexpr auto kAdd = [](const Number& a, const Number& b, const Scalar& alpha) {
  return with_alpha(Add(), "add", a, b, alpha);
};
constexpr auto kSub = [](const Number& a, const Number& b, const Scalar& alpha) {
  return with_alpha(Sub(), "sub", a, b, alpha);
};
constexpr auto kClamp = [](const Tensor& x, const std::optional<Number>& min,
                           const std::optional<Number>& max) { return clamp_numbers(x, min, max); };
constexpr auto kClampMin = [](const Tensor& x, const Number& min) {
  return clamp_numbers(x, min, std::nullopt);
};
constexpr auto kClampMax = [](const Tensor& x, const Number& max) {
  return clamp_numbers(x, std::nullopt, max);
};
constexpr auto kWhere = [](const Tensor& c, const Number& a, const Number& b) {
  if (a.is_tensor() && b.is_tensor()) return where(c, *a.tensor, *b.tensor);
  if (a.is_tensor()) return where(c, *a.tensor, b.scalar);
  if (b.is_tensor()) return where(c, a.scalar, *b.tensor);
  return where(c, a.scalar, b.scalar);
};
// The method's tensor is the second operand.
constexpr auto kWhereMethod = [](const Tensor& a, const Tensor& c, const Number& b) {
  return b.is_tensor() ? where(c, a, *b.tensor) : where(c, a, b.scalar);
};
constexpr auto kPositions = [](const Tensor& c) {
  return unbind(nonzero(c.dim() == 0 ? unsqueeze(c, 0) : c), 1);
};
constexpr auto kFillNumber = [](const Tensor& x, const Tensor& mask, const Scalar& value) {
  return masked_fill(x, mask, value);
};
constexpr auto kFillTensor = [](const Tensor& x, const Tensor& mask, const Tensor& value) {
  return masked_fill(x, mask, value);
};

constexpr unsigned kEverywhere = kFunction | kMethod | kInPlace;

Function written[] = {
    {"add", kEverywhere, {{"input, other, *, alpha=1", overload<kAdd>}}},
    {"sub", kEverywhere, {{"input, other, *, alpha=1", overload<kSub>}}},
    {"div",
     kEverywhere,
     {{"input, other, *, rounding_mode=None",
       overload<[](const Number& a, const Number& b, const std::optional<std::string>& mode) {
         return div_rounding(a, b, mode);
       }>}}},
    {"rsub",
     kFunction | kMethod,
     {{"input, other, *, alpha=1",
       overload<[](const Tensor& a, const Number& b, const Scalar& alpha) {
         return with_alpha(Sub(), "rsub", b, Number(a), alpha);
       }>}}},
    {"round",
     kEverywhere,
     {{"input, *, decimals=0",
       overload<[](const Tensor& x, int64_t decimals) { return round(x, decimals); }>}}},
    {"square", kEverywhere, {{"input", overload<[](const Tensor& x) { return square(x); }>}}},
    {"clamp", kEverywhere, {{"input, min=None, max=None", overload<kClamp>}}},
    {"clamp_min", kEverywhere, {{"input, min", overload<kClampMin>}}},
    {"clamp_max", kEverywhere, {{"input, max", overload<kClampMax>}}},
    {"where",
     kFunction,
     {{"condition, input, other", overload<kWhere>}, {"condition", overload<kPositions>}}},
    {"where", kMethod, {{"input, condition, other", overload<kWhereMethod>}}},
    {"masked_fill",
     kEverywhere,
     {{"input, mask, value", overload<kFillTensor>},
      {"input, mask, value", overload<kFillNumber>}}},
    {"softmax",
     kFunction | kMethod,
     {{"input, dim, dtype=None",
       overload<[](const Tensor& x, int64_t dim, std::optional<Dtype> dtype) {
         return softmax(dtype ? to(x, *dtype) : x, dim);
       }>}}},
    {"log_softmax",
     kFunction | kMethod,
     {{"input, dim, dtype=None",
       overload<[](const Tensor& x, int64_t dim, std::optional<Dtype> dtype) {
         return log_softmax(dtype ? to(x, *dtype) : x, dim);
       }>}}},
    {"dropout",
     kFunction,
     {{"input, p=0.5, train=False",
       overload<[](const Tensor& x, double p, bool train) { return dropout(x, p, train); }>}}},
};

// isnan and its like have no form in place; nor have maximum and its like, but nobody can tell who
// asks for them by name. Activations that PyTorch has among its neural functions alone are
// functions_neural.cc's.
constexpr unsigned where_unary(std::string_view name) {
  constexpr std::string_view kNeuralOnly[] = {"logsigmoid", "relu6",    "hardsigmoid", "hardswish",
                                              "mish",       "softsign", "tanhshrink"};
  for (std::string_view other : kNeuralOnly)
    if (name == other) return 0;
  return name.starts_with("is") || name == "signbit" ? kFunction | kMethod : kEverywhere;
}

#define FRIT_UNARY(name, ...) \
  {#name, where_unary(#name), {{"input", overload<[](const Tensor& x) { return frit::name(x); }>}}},
// Which operands of a binary function may be numbers, as in PyTorch.
enum class Numbers { kNone, kSecond, kEither };
constexpr Numbers numbers_of(std::string_view name) {
  constexpr std::string_view kTensorsOnly[] = {"atan2",     "maximum",   "minimum",
                                               "fmax",      "fmin",      "hypot",
                                               "heaviside", "logaddexp", "logaddexp2"};
  for (std::string_view other : kTensorsOnly)
    if (name == other) return Numbers::kNone;
  if (name.starts_with("logical_")) return Numbers::kNone;
  const bool either = name.starts_with("bitwise_") || name == "pow" || name == "remainder" ||
                      name == "mul" || name == "floor_divide" || name.starts_with("xlog") ||
                      name == "zeta";
  return either ? Numbers::kEither : Numbers::kSecond;
}

// The function that takes numbers in no place, in the second or in either.
constexpr Call choose(Numbers numbers, Call none, Call second, Call either) {
  return numbers == Numbers::kNone ? none : numbers == Numbers::kSecond ? second : either;
}

#define FRIT_BINARY(name, ...)                                                                   \
  {#name,                                                                                        \
   kEverywhere,                                                                                  \
   {{"input, other",                                                                             \
     choose(numbers_of(#name),                                                                   \
            overload<[](const Tensor& a, const Tensor& b) { return frit::name(a, b); }>,         \
            overload<[](const Tensor& a, const Number& b) {                                      \
              return b.is_tensor() ? frit::name(a, *b.tensor) : frit::name(a, b.scalar);         \
            }>,                                                                                  \
            overload<[](const Number& a, const Number& b) {                                      \
              return apply([](const auto& x, const auto& y) { return frit::name(x, y); }, #name, \
                           a, b);                                                                \
            }>)}}},
#define FRIT_PARAMETRIC(...)
#define FRIT_OP(...)

Function from_ops[] = {
#include "src/ops/ops.def"
};

#define FRIT_OP(name, family, operands, results, dtype, traits, tolerance, attributes, meaning) \
  {#name, #family, meaning},

}  // namespace

std::vector<OpRow> rows_of_ops() {
  return {
#include "src/ops/ops.def"
  };
}

std::vector<Entry> written_entries() { return entries_of<written>(); }
std::vector<Entry> elementwise_entries() { return entries_of<from_ops>(); }

}  // namespace frit::python
