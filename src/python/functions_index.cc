// Indexing and order.
#include "src/python/function.h"
#include "src/python/indexing.h"

namespace frit::python {
namespace {

constexpr auto kIndexSelect = [](const Tensor& x, int64_t dim, const Tensor& index) {
  return index_select(x, dim, index);
};
constexpr auto kGather = [](const Tensor& x, int64_t dim, const Tensor& index) {
  return gather(x, dim, index);
};
constexpr auto kMaskedSelect = [](const Tensor& x, const Tensor& mask) {
  return masked_select(x, mask);
};
constexpr auto kNonzero = [](const Tensor& x, bool as_tuple) {
  if (!as_tuple) return Ref(wrap(nonzero(x)));
  return Ref(detail::give_back(unbind(nonzero(x.dim() == 0 ? unsqueeze(x, 0) : x), 1)));
};
constexpr auto kSort = [](const Tensor& x, int64_t dim, bool descending) {
  return sort(x, dim, descending);
};
constexpr auto kArgsort = [](const Tensor& x, int64_t dim, bool descending) {
  return argsort(x, dim, descending);
};
constexpr auto kTopk = [](const Tensor& x, int64_t k, int64_t dim, bool largest) {
  return topk(x, k, dim, largest);
};
constexpr auto kIndex = [](const Tensor& x, Object indices) {
  return Ref(get_item(x, indices.object));
};
constexpr auto kIndexPut = [](const Tensor& x, Object indices, const Tensor& values,
                              bool accumulate) {
  return index_put(x, read_index(indices.object), values, accumulate);
};

constexpr unsigned kBoth = kFunction | kMethod;

Function table[] = {
    {"index_select", kBoth, {{"input, dim, index", overload<kIndexSelect>}}},
    {"gather", kBoth, {{"input, dim, index, *, ~sparse_grad=False", overload<kGather>}}},
    {"masked_select", kBoth, {{"input, mask", overload<kMaskedSelect>}}},
    {"nonzero", kBoth, {{"input, *, as_tuple=False", overload<kNonzero>}}},
    {"embedding",
     kFunction,
     {{"weight, indices", overload<[](const Tensor& weight, const Tensor& index) {
         return embedding(weight, index);
       }>}}},
    {"sort",
     kBoth,
     {{"input, dim=-1, descending=False, ~stable=False", overload<kSort>}}},  // always stable
    {"argsort", kBoth, {{"input, dim=-1, descending=False, ~stable=False", overload<kArgsort>}}},
    {"topk", kBoth, {{"input, k, dim=-1, largest=True, ~sorted=True", overload<kTopk>}}},
    {"index", kFunction, {{"input, indices -> Tensor", overload<kIndex>}}},
    {"index_put",
     kFunction | kMethod | kInPlace,
     {{"input, indices, values, accumulate=False", overload<kIndexPut>}}},
};

}  // namespace

std::vector<Entry> index_entries() { return entries_of<table>(); }

}  // namespace frit::python
