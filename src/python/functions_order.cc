// Functions that order, count and measure.
#include "src/python/convert.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

using OptionalDim = std::optional<int64_t>;
using OptionalDims = std::optional<Ints>;
using OptionalDtype = std::optional<Dtype>;

constexpr unsigned kBoth = kFunction | kMethod;

IntArrayRef all_or(const OptionalDims& dims) {
  return dims ? static_cast<IntArrayRef>(*dims) : IntArrayRef();
}
Tensor converted(const Tensor& x, OptionalDtype dtype) { return dtype ? to(x, *dtype) : x; }
Ref tuple_of(std::vector<Tensor> results) { return Ref(detail::give_back(std::move(results))); }

// p: a number, 'fro' or None for 2.
Scalar order_of(PyObject* p) {
  if (p == Py_None) return 2;
  if (is_number(p)) return to_scalar(p);
  std::string name;
  if (read(p, &name) && name == "fro") return 2;
  if (read(p, &name) && name == "nuc")
    throw Error(ErrorKind::kNotImplemented, "norm(p='nuc'): not implemented");
  throw Error(ErrorKind::kRuntime, "norm(): p must be a number, 'fro' or 'nuc'");
}

constexpr auto kNorm = [](const Tensor& x, Object p, const OptionalDims& dim, bool keepdim,
                          OptionalDtype dtype) {
  return Ref(wrap(norm(converted(x, dtype), order_of(p.object), all_or(dim), keepdim)));
};

#define FRIT_SPREAD_MEAN(function)                                                               \
  {                                                                                              \
    {"input, unbiased -> tuple[Tensor, Tensor]", overload<[](const Tensor& x, bool unbiased) {   \
       const auto [spread, center] = function(x, {}, unbiased ? 1 : 0);                          \
       return tuple_of({spread, center});                                                        \
     }>},                                                                                        \
        {"input, dim=None, unbiased=True, keepdim=False -> tuple[Tensor, Tensor]",               \
         overload<[](const Tensor& x, const OptionalDims& dim, bool unbiased, bool keep) {       \
           const auto [spread, center] = function(x, all_or(dim), unbiased ? 1 : 0, keep);       \
           return tuple_of({spread, center});                                                    \
         }>},                                                                                    \
        {"input, dim=None, *, correction=1, keepdim=False -> tuple[Tensor, Tensor]",             \
         overload<[](const Tensor& x, const OptionalDims& dim,                                   \
                     const std::optional<Scalar>& correction, bool keep) {                       \
           const auto [spread, center] = function(x, all_or(dim), correction.value_or(1), keep); \
           return tuple_of({spread, center});                                                    \
         }>},                                                                                    \
  }

constexpr auto kNansum = [](const Tensor& x, const OptionalDims& dim, bool keepdim,
                            OptionalDtype dtype) {
  return converted(nansum(converted(x, dtype), all_or(dim), keepdim), dtype);
};
constexpr auto kNanmean = [](const Tensor& x, const OptionalDims& dim, bool keepdim,
                             OptionalDtype dtype) {
  return nanmean(converted(x, dtype), all_or(dim), keepdim);
};
constexpr auto kAminmax = [](const Tensor& x, OptionalDim dim, bool keepdim) {
  const auto [low, high] = aminmax(x, dim, keepdim);
  return tuple_of({low, high});
};

// q as a tensor of x's dtype.
Tensor fractions(const Tensor& x, const Number& q) {
  if (q.is_tensor()) return *q.tensor;
  const double value = q.scalar.to_double();
  if (!(value >= 0 && value <= 1))
    throw Error(ErrorKind::kRuntime, "quantile(): q must be from 0 to 1");
  return full({}, value, x.options());
}
constexpr auto kQuantile = [](const Tensor& x, const Number& q, OptionalDim dim, bool keepdim,
                              const std::string& interpolation) {
  return quantile(x, fractions(x, q), dim, keepdim, interpolation);
};
constexpr auto kNanquantile = [](const Tensor& x, const Number& q, OptionalDim dim, bool keepdim,
                                 const std::string& interpolation) {
  return nanquantile(x, fractions(x, q), dim, keepdim, interpolation);
};

Ref chosen(const Unique& found, bool inverse, bool counts) {
  if (!inverse && !counts) return Ref(wrap(found.values));
  std::vector<Tensor> results{found.values};
  if (inverse) results.push_back(found.inverse);
  if (counts) results.push_back(found.counts);
  return tuple_of(std::move(results));
}
constexpr auto kUnique = [](const Tensor& x, bool, bool inverse, bool counts, OptionalDim dim) {
  return chosen(unique(x, dim), inverse, counts);
};
constexpr auto kUniqueConsecutive = [](const Tensor& x, bool inverse, bool counts,
                                       OptionalDim dim) {
  return chosen(unique_consecutive(x, dim), inverse, counts);
};

// Sorted numbers and the values to find, in one dtype; a number is a 0-dim tensor.
Tensor found(const Tensor& sorted, const Number& values, bool int32, bool right,
             const std::optional<std::string>& side, const std::optional<Tensor>& sorter) {
  if (side && *side != "left" && *side != "right")
    throw Error(ErrorKind::kRuntime, "searchsorted(side=" + *side + "): expected left or right");
  if (side && right && *side == "left")
    throw Error(ErrorKind::kRuntime, "searchsorted(): right and side disagree");
  const Tensor rows = sorter ? gather(sorted, -1, *sorter) : sorted;
  const Tensor wanted =
      values.is_tensor() ? *values.tensor : full({}, values.scalar, sorted.options());
  const Tensor result = searchsorted(rows, wanted, right || (side && *side == "right"));
  return int32 ? to(result, kInt32) : result;
}
constexpr auto kSearchsorted = [](const Tensor& sorted, const Number& values, bool int32,
                                  bool right, const std::optional<std::string>& side,
                                  const std::optional<Tensor>& sorter) {
  return found(sorted, values, int32, right, side, sorter);
};
constexpr auto kBucketize = [](const Number& values, const Tensor& boundaries, bool int32,
                               bool right) {
  if (boundaries.dim() != 1)
    throw Error(ErrorKind::kRuntime, "bucketize(): the boundaries are not 1-D");
  return found(boundaries, values, int32, right, std::nullopt, std::nullopt);
};

#define FRIT_MEDIAN(function)                                                                \
  {                                                                                          \
    {"input", overload<[](const Tensor& x) { return function(x); }>}, {                      \
      "input, dim, keepdim=False", overload<[](const Tensor& x, int64_t dim, bool keepdim) { \
        return function(x, dim, keepdim);                                                    \
      }>                                                                                     \
    }                                                                                        \
  }
#define FRIT_TRIANGLE(function)                                                        \
  {                                                                                    \
    {"row, col, offset=0, *, ...options",                                              \
     overload<[](int64_t rows, int64_t columns, int64_t offset, OptionalDtype dtype) { \
       return function(rows, columns, offset, dtype.value_or(kInt64));                 \
     }>},                                                                              \
  }

Function table[] = {
    {"norm",
     kBoth,
     {{"input, p='fro', dim=None, keepdim=False, dtype=None -> Tensor", overload<kNorm>}}},
    {"dist",
     kBoth,
     {{"input, other, p=2",
       overload<[](const Tensor& a, const Tensor& b, const Scalar& p) { return dist(a, b, p); }>}}},
    {"cdist",
     kFunction,
     {{"x1, x2, p=2.0, ~compute_mode=None",
       overload<[](const Tensor& a, const Tensor& b, double p) { return cdist(a, b, p); }>}}},
    {"cross",
     kBoth,
     {{"input, other, dim=None", overload<[](const Tensor& a, const Tensor& b, OptionalDim dim) {
         return cross(a, b, dim);
       }>}}},
    {"var_mean", kFunction, FRIT_SPREAD_MEAN(var_mean)},
    {"std_mean", kFunction, FRIT_SPREAD_MEAN(std_mean)},
    {"nansum", kBoth, {{"input, dim=None, keepdim=False, *, dtype=None", overload<kNansum>}}},
    {"nanmean", kBoth, {{"input, dim=None, keepdim=False, *, dtype=None", overload<kNanmean>}}},
    {"count_nonzero",
     kBoth,
     {{"input, dim=None", overload<[](const Tensor& x, const OptionalDims& dim) {
         return count_nonzero(x, all_or(dim));
       }>}}},
    {"aminmax",
     kBoth,
     {{"input, *, dim=None, keepdim=False -> tuple[Tensor, Tensor]", overload<kAminmax>}}},
    {"kthvalue",
     kBoth,
     {{"input, k, dim=-1, keepdim=False",
       overload<[](const Tensor& x, int64_t k, int64_t dim, bool keepdim) {
         return kthvalue(x, k, dim, keepdim);
       }>}}},
    {"median", kBoth, FRIT_MEDIAN(median)},
    {"nanmedian", kBoth, FRIT_MEDIAN(nanmedian)},
    {"mode",
     kBoth,
     {{"input, dim=-1, keepdim=False", overload<[](const Tensor& x, int64_t dim, bool keepdim) {
         return mode(x, dim, keepdim);
       }>}}},
    {"msort", kBoth, {{"input", overload<[](const Tensor& x) { return sort(x, 0).first; }>}}},
    {"quantile",
     kBoth,
     {{"input, q, dim=None, keepdim=False, *, interpolation='linear'", overload<kQuantile>}}},
    {"nanquantile",
     kBoth,
     {{"input, q, dim=None, keepdim=False, *, interpolation='linear'", overload<kNanquantile>}}},
    {"unique",
     kBoth,
     {{"input, sorted=True, return_inverse=False, return_counts=False, dim=None",
       overload<kUnique>}}},
    {"unique_consecutive",
     kBoth,
     {{"input, return_inverse=False, return_counts=False, dim=None",
       overload<kUniqueConsecutive>}}},
    {"searchsorted",
     kFunction,
     {{"sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None",
       overload<kSearchsorted>}}},
    {"bucketize",
     kFunction,
     {{"input, boundaries, *, out_int32=False, right=False", overload<kBucketize>}}},
    {"bincount",
     kBoth,
     {{"input, weights=None, minlength=0",
       overload<[](const Tensor& x, const std::optional<Tensor>& weights, int64_t minlength) {
         return bincount(x, weights.value_or(Tensor()), minlength);
       }>}}},
    {"one_hot",
     kNeural,
     {{"input, num_classes=-1",
       overload<[](const Tensor& x, int64_t classes) { return one_hot(x, classes); }>}}},
    {"tril_indices", kFunction, FRIT_TRIANGLE(tril_indices)},
    {"triu_indices", kFunction, FRIT_TRIANGLE(triu_indices)},
    {"logspace",
     kFunction,
     {{"start, end, steps, base=10.0, *, ...options",
       overload<[](const Scalar& start, const Scalar& end, int64_t steps, double base,
                   OptionalDtype dtype) {
         return logspace(start, end, steps, base, dtype ? TensorOptions(*dtype) : TensorOptions());
       }>}}},
    {"unfold",
     kNeural,
     {{"input, kernel_size, dilation=1, padding=0, stride=1",
       overload<[](const Tensor& x, const Ints& kernel, const Ints& dilation, const Ints& padding,
                   const Ints& stride) { return im2col(x, kernel, dilation, padding, stride); }>}}},
    {"fold",
     kNeural,
     {{"input, output_size, kernel_size, dilation=1, padding=0, stride=1",
       overload<[](const Tensor& x, const Ints& size, const Ints& kernel, const Ints& dilation,
                   const Ints& padding, const Ints& stride) {
         return col2im(x, size, kernel, dilation, padding, stride);
       }>}}},
};

}  // namespace

std::vector<Entry> order_entries() { return entries_of<table>(); }

}  // namespace frit::python
