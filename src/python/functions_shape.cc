// Views, and functions that rearrange elements.
#include <numeric>

#include "src/python/function.h"

namespace frit::python {
namespace {

// The order of dimensions in which `from` stand at `to` and the others keep their order.
Tensor moved(const Tensor& x, const Ints& from, const Ints& to) {
  const int rank = static_cast<int>(x.dim());
  if (from.size() != to.size())
    throw Error(ErrorKind::kRuntime, "movedim(): source and destination differ in length");
  std::vector<int64_t> order(static_cast<size_t>(rank), -1);
  std::vector<bool> taken(static_cast<size_t>(rank));
  const auto wrapped = [&](int64_t dim) {
    if (dim < -rank || dim >= rank)
      throw Error(ErrorKind::kIndex, "movedim(): dimension out of range: " + std::to_string(dim));
    return static_cast<size_t>(dim < 0 ? dim + rank : dim);
  };
  for (int i = 0; i < from.size(); ++i) {
    const size_t source = wrapped(from[i]), target = wrapped(to[i]);
    if (taken[source] || order[target] >= 0)
      throw Error(ErrorKind::kRuntime, "movedim(): a dimension is named twice");
    taken[source] = true;
    order[target] = static_cast<int64_t>(source);
  }
  size_t next = 0;
  for (int64_t& dim : order) {
    if (dim >= 0) continue;
    while (taken[next]) ++next;
    dim = static_cast<int64_t>(next++);
  }
  return permute(x, order);
}

Tensor split_dim(const Tensor& x, int64_t dim, const Ints& sizes) {
  const int64_t rank = x.dim();
  if (dim < -rank || dim >= rank)
    throw Error(ErrorKind::kIndex, "unflatten(): dimension out of range: " + std::to_string(dim));
  const int64_t place = dim < 0 ? dim + rank : dim;
  std::vector<int64_t> all;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != place) {
      all.push_back(x.size(d));
      continue;
    }
    for (int i = 0; i < sizes.size(); ++i) all.push_back(sizes[i]);
  }
  return view(x, all);
}

constexpr auto kView = [](const Tensor& x, const Ints& sizes) { return view(x, sizes); };
constexpr auto kReinterpret = [](const Tensor& x, Dtype dtype) { return view(x, dtype); };
constexpr auto kReshape = [](const Tensor& x, const Ints& sizes) { return reshape(x, sizes); };
constexpr auto kExpand = [](const Tensor& x, const Ints& sizes) { return expand(x, sizes); };
constexpr auto kPermute = [](const Tensor& x, const Ints& dims) { return permute(x, dims); };
constexpr auto kViewAs = [](const Tensor& x, const Tensor& o) { return view(x, o.sizes()); };
constexpr auto kReshapeAs = [](const Tensor& x, const Tensor& o) { return reshape(x, o.sizes()); };
constexpr auto kExpandAs = [](const Tensor& x, const Tensor& o) { return expand(x, o.sizes()); };
constexpr auto kFlatten = [](const Tensor& x, int64_t start, int64_t end) {
  return flatten(x, start, end);
};
constexpr auto kTranspose = [](const Tensor& x, int64_t a, int64_t b) {
  return transpose(x, a, b);
};
constexpr auto kUnsqueeze = [](const Tensor& x, int64_t dim) { return unsqueeze(x, dim); };
constexpr auto kNarrow = [](const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  return narrow(x, dim, start, length);
};
constexpr auto kSelect = [](const Tensor& x, int64_t dim, int64_t i) { return select(x, dim, i); };
constexpr auto kSlice = [](const Tensor& x, int64_t dim, std::optional<int64_t> start,
                           std::optional<int64_t> end,
                           int64_t step) { return slice(x, dim, start, end, step); };
constexpr auto kAsStrided = [](const Tensor& x, const Ints& sizes, const Ints& strides,
                               std::optional<int64_t> offset) {
  return as_strided(x, sizes, strides, offset);
};
constexpr auto kSplitEvenly = [](const Tensor& x, int64_t size, int64_t dim) {
  return split(x, size, dim);
};
constexpr auto kSplit = [](const Tensor& x, const Ints& sizes, int64_t dim) {
  return split(x, static_cast<IntArrayRef>(sizes), dim);
};
constexpr auto kChunk = [](const Tensor& x, int64_t n, int64_t dim) { return chunk(x, n, dim); };
constexpr auto kUnbind = [](const Tensor& x, int64_t dim) { return unbind(x, dim); };
constexpr auto kCat = [](const std::vector<Tensor>& list, int64_t dim) { return cat(list, dim); };
constexpr auto kStack = [](const std::vector<Tensor>& list, int64_t dim) {
  return stack(list, dim);
};

constexpr unsigned kBoth = kFunction | kMethod;

Function table[] = {
    {"view",
     kMethod,
     {{"input, dtype", overload<kReinterpret>}, {"input, *size", overload<kView>}}},
    {"reshape", kBoth, {{"input, *shape", overload<kReshape>}}},
    {"expand", kMethod, {{"input, *size", overload<kExpand>}}},
    {"broadcast_to", kBoth, {{"input, *size", overload<kExpand>}}},
    {"permute", kBoth, {{"input, *dims", overload<kPermute>}}},
    {"view_as", kMethod, {{"input, other", overload<kViewAs>}}},
    {"reshape_as", kMethod, {{"input, other", overload<kReshapeAs>}}},
    {"expand_as", kMethod, {{"input, other", overload<kExpandAs>}}},
    {"flatten", kBoth, {{"input, start_dim=0, end_dim=-1", overload<kFlatten>}}},
    {"ravel", kBoth, {{"input", overload<[](const Tensor& x) { return flatten(x); }>}}},
    {"unflatten",
     kBoth,
     {{"input, dim, sizes", overload<[](const Tensor& x, int64_t dim, const Ints& sizes) {
         return split_dim(x, dim, sizes);
       }>}}},
    {"transpose", kBoth, {{"input, dim0, dim1", overload<kTranspose>}}},
    {"movedim",
     kBoth,
     {{"input, source, destination", overload<[](const Tensor& x, const Ints& from,
                                                 const Ints& to) { return moved(x, from, to); }>}}},
    {"t", kBoth, {{"input", overload<[](const Tensor& x) { return t(x); }>}}},
    {"squeeze",
     kBoth,
     {{"input", overload<[](const Tensor& x) { return squeeze(x); }>},
      {"input, dim", overload<[](const Tensor& x, int64_t dim) { return squeeze(x, dim); }>}}},
    {"unsqueeze", kBoth, {{"input, dim", overload<kUnsqueeze>}}},
    {"narrow", kBoth, {{"input, dim, start, length", overload<kNarrow>}}},
    {"select", kBoth, {{"input, dim, index", overload<kSelect>}}},
    {"slice", kFunction, {{"input, dim=0, start=None, end=None, step=1", overload<kSlice>}}},
    {"as_strided", kBoth, {{"input, size, stride, storage_offset=None", overload<kAsStrided>}}},
    {"split",
     kFunction,
     {{"tensor, split_size_or_sections, dim=0", overload<kSplitEvenly>},
      {"tensor, split_size_or_sections, dim=0", overload<kSplit>}}},
    {"split",
     kMethod,
     {{"input, split_size, dim=0", overload<kSplitEvenly>},
      {"input, split_size, dim=0", overload<kSplit>}}},
    {"chunk", kBoth, {{"input, chunks, dim=0", overload<kChunk>}}},
    {"unbind", kBoth, {{"input, dim=0", overload<kUnbind>}}},
    {"cat", kFunction, {{"tensors, dim=0", overload<kCat>}}},
    {"stack", kFunction, {{"tensors, dim=0", overload<kStack>}}},
};

}  // namespace

std::vector<Entry> shape_entries() { return entries_of<table>(); }

}  // namespace frit::python
