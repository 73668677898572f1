// Functions that write elements to where indices say, and scans.
#include "src/python/function.h"

namespace frit::python {
namespace {

using OptionalDtype = std::optional<Dtype>;

constexpr unsigned kEverywhere = kFunction | kMethod | kInPlace;

// The operand is converted before a scan, the result after it where the op widens.
template <Tensor (*scan)(const Tensor&, int64_t)>
Tensor scan_in(const Tensor& x, int64_t dim, OptionalDtype dtype) {
  return dtype ? to(scan(to(x, *dtype), dim), *dtype) : scan(x, dim);
}

// PyTorch's older names for two of scatter_reduce's.
std::string reduce_name(const std::string& name) {
  if (name == "add") return "sum";
  if (name == "multiply") return "prod";
  throw Error(ErrorKind::kRuntime, "scatter(reduce=" + name + "): expected add or multiply");
}

constexpr auto kScatter = [](const Tensor& x, int64_t dim, const Tensor& index,
                             const Tensor& source, const std::optional<std::string>& reduce) {
  return reduce ? scatter_reduce(x, dim, index, source, reduce_name(*reduce))
                : scatter(x, dim, index, source);
};
constexpr auto kScatterValue = [](const Tensor& x, int64_t dim, const Tensor& index,
                                  const Scalar& value, const std::optional<std::string>& reduce) {
  if (!reduce) return scatter(x, dim, index, value);
  return scatter_reduce(x, dim, index, full(index.sizes(), value, x.options()),
                        reduce_name(*reduce));
};
constexpr auto kScatterReduce = [](const Tensor& x, int64_t dim, const Tensor& index,
                                   const Tensor& source, const std::string& reduce,
                                   bool include_self) {
  return scatter_reduce(x, dim, index, source, reduce, include_self);
};
constexpr auto kIndexAdd = [](const Tensor& x, int64_t dim, const Tensor& index,
                              const Tensor& source, const Scalar& alpha) {
  return index_add(x, dim, index, source, alpha);
};
constexpr auto kIndexCopy = [](const Tensor& x, int64_t dim, const Tensor& index,
                               const Tensor& source) { return index_copy(x, dim, index, source); };
constexpr auto kIndexFill = [](const Tensor& x, int64_t dim, const Tensor& index,
                               const Number& value) {
  // A tensor's value is converted to the dtype, as a number is.
  if (value.is_tensor()) return index_fill(x, dim, index, to(*value.tensor, x.dtype()));
  return index_fill(x, dim, index, value.scalar);
};
constexpr auto kPut = [](const Tensor& x, const Tensor& index, const Tensor& source,
                         bool accumulate) { return put(x, index, source, accumulate); };

#define FRIT_SCAN(name)                                                      \
  {                                                                          \
#name, kEverywhere, {                                                    \
      {                                                                      \
        "input, dim, *, dtype=None",                                         \
            overload<[](const Tensor& x, int64_t dim, OptionalDtype dtype) { \
              return scan_in<frit::name>(x, dim, dtype);                     \
            }>                                                               \
      }                                                                      \
    }                                                                        \
  }

Function table[] = {
    FRIT_SCAN(cumsum),
    FRIT_SCAN(cumprod),
    {"logcumsumexp",
     kFunction | kMethod,
     {{"input, dim", overload<[](const Tensor& x, int64_t dim) { return logcumsumexp(x, dim); }>}}},
    {"cummax",
     kFunction | kMethod,
     {{"input, dim", overload<[](const Tensor& x, int64_t dim) { return cummax(x, dim); }>}}},
    {"cummin",
     kFunction | kMethod,
     {{"input, dim", overload<[](const Tensor& x, int64_t dim) { return cummin(x, dim); }>}}},
    {"scatter",
     kEverywhere,
     {{"input, dim, index, src, *, reduce=None", overload<kScatter>},
      {"input, dim, index, value, *, reduce=None", overload<kScatterValue>}}},
    {"scatter_add",
     kEverywhere,
     {{"input, dim, index, src",
       overload<[](const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
         return scatter_add(x, dim, index, source);
       }>}}},
    {"scatter_reduce",
     kEverywhere,
     {{"input, dim, index, src, reduce, *, include_self=True", overload<kScatterReduce>}}},
    {"index_add", kEverywhere, {{"input, dim, index, source, *, alpha=1", overload<kIndexAdd>}}},
    {"index_copy", kEverywhere, {{"input, dim, index, source", overload<kIndexCopy>}}},
    {"index_fill", kEverywhere, {{"input, dim, index, value", overload<kIndexFill>}}},
    {"take",
     kFunction | kMethod,
     {{"input, index",
       overload<[](const Tensor& x, const Tensor& index) { return take(x, index); }>}}},
    {"put", kEverywhere, {{"input, index, source, accumulate=False", overload<kPut>}}},
    {"take_along_dim",
     kFunction | kMethod,
     {{"input, indices, dim=None",
       overload<[](const Tensor& x, const Tensor& index, std::optional<int64_t> dim) {
         return take_along_dim(x, index, dim);
       }>}}},
    {"masked_scatter",
     kMethod | kInPlace | kFunction,
     {{"input, mask, source",
       overload<[](const Tensor& x, const Tensor& mask, const Tensor& source) {
         return masked_scatter(x, mask, source);
       }>}}},
};

}  // namespace

std::vector<Entry> scatter_entries() { return entries_of<table>(); }

}  // namespace frit::python
