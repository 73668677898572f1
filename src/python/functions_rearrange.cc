// Functions that rearrange elements: repeated, reversed, cut, put together.
#include "src/python/function.h"

namespace frit::python {
namespace {

constexpr unsigned kBoth = kFunction | kMethod;

constexpr auto kRepeatInterleave = [](const Tensor& x, int64_t repeats, std::optional<int64_t> dim,
                                      std::optional<int64_t>) {
  return repeat_interleave(x, repeats, dim);
};
constexpr auto kRepeatEach = [](const Tensor& x, const Tensor& repeats, std::optional<int64_t> dim,
                                std::optional<int64_t>) {
  return repeat_interleave(x, repeats, dim);
};
// Without a tensor to repeat: the numbers of its elements.
constexpr auto kRepeatNumbers = [](const Tensor& repeats, std::optional<int64_t>) {
  return repeat_interleave(arange(repeats.numel(), TensorOptions(repeats.device())), repeats, 0);
};
constexpr auto kTensorSplit = [](const Tensor& x, int64_t sections, int64_t dim) {
  return tensor_split(x, sections, dim);
};
constexpr auto kTensorSplitAt = [](const Tensor& x, const Ints& indices, int64_t dim) {
  return tensor_split(x, static_cast<IntArrayRef>(indices), dim);
};
// Indices in a tensor are read.
constexpr auto kTensorSplitBy = [](const Tensor& x, const Tensor& indices, int64_t dim) {
  if (indices.dim() == 0) return tensor_split(x, indices.item<int64_t>(), dim);
  std::vector<int64_t> list;
  for (const Tensor& index : unbind(indices)) list.push_back(index.item<int64_t>());
  return tensor_split(x, IntArrayRef(list), dim);
};
constexpr auto kMeshgrid = [](const std::vector<Tensor>& tensors,
                              const std::optional<std::string>& indexing) {
  return meshgrid(tensors, indexing.value_or("ij"));
};
constexpr auto kDiagonal = [](const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  return diagonal(x, offset, dim1, dim2);
};
constexpr auto kDiagEmbed = [](const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  return diag_embed(x, offset, dim1, dim2);
};
constexpr auto kSliceScatter = [](const Tensor& x, const Tensor& source, int64_t dim,
                                  std::optional<int64_t> start, std::optional<int64_t> end,
                                  int64_t step) {
  return slice_scatter(x, source, dim, start, end, step);
};
constexpr auto kDiff = [](const Tensor& x, int64_t n, int64_t dim,
                          const std::optional<Tensor>& prepend,
                          const std::optional<Tensor>& append) {
  return diff(x, n, dim, prepend.value_or(Tensor()), append.value_or(Tensor()));
};

// At least `rank` dimensions, as NumPy adds them.
Tensor with_dims(const Tensor& x, int64_t rank) {
  Tensor y = x;
  if (rank >= 1 && y.dim() == 0) y = unsqueeze(y, 0);
  if (rank >= 2 && y.dim() == 1) y = unsqueeze(y, 0);
  if (rank >= 3 && y.dim() == 2) y = unsqueeze(y, -1);
  return y.is_same(x) ? view(x, x.sizes()) : y;
}
std::vector<Tensor> with_dims(const std::vector<Tensor>& tensors, int64_t rank) {
  std::vector<Tensor> results;
  for (const Tensor& t : tensors) results.push_back(with_dims(t, rank));
  return results;
}
Tensor side_by_side(const std::vector<Tensor>& tensors) {
  const std::vector<Tensor> parts = with_dims(tensors, 1);
  return cat(parts, !parts.empty() && parts[0].dim() == 1 ? 0 : 1);
}
// Vectors as columns.
Tensor column_stack(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> columns;
  for (const Tensor& t : tensors) columns.push_back(t.dim() < 2 ? reshape(t, {t.numel(), 1}) : t);
  return side_by_side(columns);
}
// One tensor, or several as a tuple.
template <int rank>
Ref at_least(const std::vector<Tensor>& tensors) {
  return Ref(detail::give_back(with_dims(tensors, rank)));
}

#define FRIT_AT_LEAST(name, rank)                                                    \
  {                                                                                  \
    name, kFunction | kMethod, {                                                     \
      {"input", overload<[](const Tensor& x) { return with_dims(x, rank); }>}, {     \
        "*tensors -> tuple[Tensor, ...]",                                            \
            overload<[](const std::vector<Tensor>& t) { return at_least<rank>(t); }> \
      }                                                                              \
    }                                                                                \
  }

Function table[] = {
    {"diagonal", kBoth, {{"input, offset=0, dim1=0, dim2=1", overload<kDiagonal>}}},
    {"diag",
     kBoth,
     {{"input, diagonal=0", overload<[](const Tensor& x, int64_t d) { return diag(x, d); }>}}},
    {"diag_embed", kBoth, {{"input, offset=0, dim1=-2, dim2=-1", overload<kDiagEmbed>}}},
    {"diagflat",
     kBoth,
     {{"input, offset=0",
       overload<[](const Tensor& x, int64_t d) { return diag(reshape(x, {-1}), d); }>}}},
    {"unfold",
     kMethod,
     {{"input, dimension, size, step",
       overload<[](const Tensor& x, int64_t dim, int64_t size, int64_t step) {
         return unfold(x, dim, size, step);
       }>}}},
    {"repeat",
     kMethod,
     {{"input, *repeats",
       overload<[](const Tensor& x, const Ints& repeats) { return repeat(x, repeats); }>}}},
    {"tile",
     kBoth,
     {{"input, *dims",
       overload<[](const Tensor& x, const Ints& repeats) { return tile(x, repeats); }>}}},
    {"repeat_interleave",
     kBoth,
     {{"input, repeats, dim=None, *, output_size=None", overload<kRepeatInterleave>},
      {"input, repeats, dim=None, *, output_size=None", overload<kRepeatEach>},
      {"repeats, *, output_size=None", overload<kRepeatNumbers>}}},
    {"flip",
     kBoth,
     {{"input, *dims", overload<[](const Tensor& x, const Ints& dims) { return flip(x, dims); }>}}},
    {"fliplr", kBoth, {{"input", overload<[](const Tensor& x) {
                          if (x.dim() < 2)
                            throw Error(ErrorKind::kRuntime, "fliplr(): expected 2 dimensions");
                          return flip(x, {1});
                        }>}}},
    {"flipud", kBoth, {{"input", overload<[](const Tensor& x) {
                          if (x.dim() < 1)
                            throw Error(ErrorKind::kRuntime, "flipud(): expected 1 dimension");
                          return flip(x, {0});
                        }>}}},
    {"roll",
     kBoth,
     {{"input, shifts, dims=()",
       overload<[](const Tensor& x, const Ints& shifts, const Ints& dims) {
         return roll(x, shifts, dims);
       }>}}},
    {"rot90",
     kBoth,
     {{"input, k=1, dims=None",
       overload<[](const Tensor& x, int64_t k, const std::optional<Ints>& dims) {
         return dims ? rot90(x, k, *dims) : rot90(x, k);
       }>}}},
    {"tril",
     kBoth | kInPlace,
     {{"input, diagonal=0", overload<[](const Tensor& x, int64_t d) { return tril(x, d); }>}}},
    {"triu",
     kBoth | kInPlace,
     {{"input, diagonal=0", overload<[](const Tensor& x, int64_t d) { return triu(x, d); }>}}},
    {"slice_scatter",
     kBoth,
     {{"input, src, dim=0, start=None, end=None, step=1", overload<kSliceScatter>}}},
    {"select_scatter",
     kBoth,
     {{"input, src, dim, index",
       overload<[](const Tensor& x, const Tensor& source, int64_t dim, int64_t index) {
         return select_scatter(x, source, dim, index);
       }>}}},
    {"diagonal_scatter",
     kBoth,
     {{"input, src, offset=0, dim1=0, dim2=1",
       overload<[](const Tensor& x, const Tensor& source, int64_t offset, int64_t a, int64_t b) {
         return diagonal_scatter(x, source, offset, a, b);
       }>}}},
    {"tensor_split",
     kBoth,
     {{"input, sections, dim=0", overload<kTensorSplit>},
      {"input, indices, dim=0", overload<kTensorSplitAt>},
      {"input, indices_or_sections, dim=0", overload<kTensorSplit>},
      {"input, indices_or_sections, dim=0", overload<kTensorSplitAt>},
      {"input, tensor_indices_or_sections, dim=0", overload<kTensorSplitBy>}}},
    {"split_with_sizes",
     kBoth,
     {{"input, split_sizes, dim=0", overload<[](const Tensor& x, const Ints& sizes, int64_t dim) {
         return split(x, static_cast<IntArrayRef>(sizes), dim);
       }>}}},
    {"meshgrid", kFunction, {{"*tensors, indexing=None", overload<kMeshgrid>}}},
    {"broadcast_tensors",
     kFunction,
     {{"*tensors", overload<[](const std::vector<Tensor>& t) { return broadcast_tensors(t); }>}}},
    {"hstack",
     kFunction,
     {{"tensors", overload<[](const std::vector<Tensor>& t) { return side_by_side(t); }>}}},
    {"vstack",
     kFunction,
     {{"tensors", overload<[](const std::vector<Tensor>& t) { return cat(with_dims(t, 2), 0); }>}}},
    {"dstack",
     kFunction,
     {{"tensors", overload<[](const std::vector<Tensor>& t) { return cat(with_dims(t, 3), 2); }>}}},
    {"column_stack",
     kFunction,
     {{"tensors", overload<[](const std::vector<Tensor>& t) { return column_stack(t); }>}}},
    FRIT_AT_LEAST("atleast_1d", 1),
    FRIT_AT_LEAST("atleast_2d", 2),
    FRIT_AT_LEAST("atleast_3d", 3),
    {"narrow_copy",
     kBoth,
     {{"input, dim, start, length",
       overload<[](const Tensor& x, int64_t dim, int64_t start, int64_t length) {
         return clone(narrow(x, dim, start, length));
       }>}}},
    {"diff", kBoth, {{"input, n=1, dim=-1, prepend=None, append=None", overload<kDiff>}}},
    {"pixel_shuffle",
     kNeural | kFunction,
     {{"input, upscale_factor",
       overload<[](const Tensor& x, int64_t r) { return pixel_shuffle(x, r); }>}}},
    {"pixel_unshuffle",
     kNeural | kFunction,
     {{"input, downscale_factor",
       overload<[](const Tensor& x, int64_t r) { return pixel_unshuffle(x, r); }>}}},
};

}  // namespace

std::vector<Entry> rearrange_entries() { return entries_of<table>(); }

}  // namespace frit::python
