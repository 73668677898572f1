// Reductions.
#include "src/python/function.h"

namespace frit::python {
namespace {

using OptionalDims = std::optional<Ints>;
using OptionalDtype = std::optional<Dtype>;

IntArrayRef all_or(const OptionalDims& dims) {
  return dims ? static_cast<IntArrayRef>(*dims) : IntArrayRef();
}
// The operand is converted before the reduction, the result after it where the op widens.
Tensor converted(const Tensor& x, OptionalDtype dtype) { return dtype ? to(x, *dtype) : x; }

constexpr auto kSum = [](const Tensor& x, const OptionalDims& dim, bool keepdim,
                         OptionalDtype dtype) {
  return converted(sum(converted(x, dtype), all_or(dim), keepdim), dtype);
};
constexpr auto kMean = [](const Tensor& x, const OptionalDims& dim, bool keepdim,
                          OptionalDtype dtype) {
  return mean(converted(x, dtype), all_or(dim), keepdim);
};
constexpr auto kProd = [](const Tensor& x, std::optional<int64_t> dim, bool keepdim,
                          OptionalDtype dtype) {
  const Tensor operand = converted(x, dtype);
  return converted(dim ? prod(operand, *dim, keepdim) : prod(operand), dtype);
};
constexpr auto kLogsumexp = [](const Tensor& x, const Ints& dim, bool keepdim) {
  return logsumexp(x, dim, keepdim);
};

#define FRIT_SPREAD(function)                                                                     \
  {                                                                                               \
    {"input, unbiased",                                                                           \
     overload<[](const Tensor& x, bool unbiased) { return function(x, {}, unbiased ? 1 : 0); }>}, \
        {"input, dim=None, unbiased=True, keepdim=False",                                         \
         overload<[](const Tensor& x, const OptionalDims& dim, bool unbiased, bool keep) {        \
           return function(x, all_or(dim), unbiased ? 1 : 0, keep);                               \
         }>},                                                                                     \
        {"input, dim=None, *, correction=1, keepdim=False",                                       \
         overload<[](const Tensor& x, const OptionalDims& dim,                                    \
                     const std::optional<Scalar>& correction, bool keep) {                        \
           return function(x, all_or(dim), correction.value_or(1), keep);                         \
         }>},                                                                                     \
  }

#define FRIT_EXTREME(function)                                                                  \
  {                                                                                             \
    {"input", overload<[](const Tensor& x) { return function(x); }>},                           \
        {"input, other",                                                                        \
         overload<[](const Tensor& a, const Tensor& b) { return function(a, b); }>},            \
        {"input, dim, keepdim=False", overload<[](const Tensor& x, int64_t dim, bool keepdim) { \
           return function(x, dim, keepdim);                                                    \
         }>},                                                                                   \
  }

#define FRIT_TRUTH(function)                                                                    \
  {                                                                                             \
    {"input", overload<[](const Tensor& x) { return function(x); }>},                           \
        {"input, dim, keepdim=False", overload<[](const Tensor& x, int64_t dim, bool keepdim) { \
           return function(x, dim, keepdim);                                                    \
         }>},                                                                                   \
  }

#define FRIT_OVER_DIMS(function)                                           \
  {                                                                        \
    {"input, dim=(), keepdim=False",                                       \
     overload<[](const Tensor& x, const OptionalDims& dim, bool keepdim) { \
       return function(x, all_or(dim), keepdim);                           \
     }>},                                                                  \
  }

#define FRIT_POSITION(function)                                               \
  {                                                                           \
    {"input, dim=None, keepdim=False",                                        \
     overload<[](const Tensor& x, std::optional<int64_t> dim, bool keepdim) { \
       return function(x, dim, keepdim);                                      \
     }>},                                                                     \
  }

constexpr unsigned kBoth = kFunction | kMethod;

Function table[] = {
    {"sum", kBoth, {{"input, dim=None, keepdim=False, *, dtype=None", overload<kSum>}}},
    {"mean", kBoth, {{"input, dim=None, keepdim=False, *, dtype=None", overload<kMean>}}},
    {"prod", kBoth, {{"input, dim=None, keepdim=False, *, dtype=None", overload<kProd>}}},
    {"logsumexp", kBoth, {{"input, dim, keepdim=False", overload<kLogsumexp>}}},
    {"var", kBoth, FRIT_SPREAD(var)},
    {"std", kBoth, FRIT_SPREAD(frit::std)},
    {"max", kBoth, FRIT_EXTREME(max)},
    {"min", kBoth, FRIT_EXTREME(min)},
    {"amax", kBoth, FRIT_OVER_DIMS(amax)},
    {"amin", kBoth, FRIT_OVER_DIMS(amin)},
    {"argmax", kBoth, FRIT_POSITION(argmax)},
    {"argmin", kBoth, FRIT_POSITION(argmin)},
    {"any", kBoth, FRIT_TRUTH(any)},
    {"all", kBoth, FRIT_TRUTH(all)},
};

}  // namespace

std::vector<Entry> reduce_entries() { return entries_of<table>(); }

}  // namespace frit::python
