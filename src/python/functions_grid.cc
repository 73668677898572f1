// frit.nn.functional: sampling by grids, bags of embeddings; and functions on few tensors that are
// made of others.
#include "src/python/function.h"

namespace frit::python {
namespace {

constexpr unsigned kBoth = kFunction | kMethod;

constexpr auto kGridSample = [](const Tensor& x, const Tensor& grid, const std::string& mode,
                                const std::string& padding, std::optional<bool> align_corners) {
  return grid_sample(x, grid, mode, padding, align_corners.value_or(false));
};
constexpr auto kAffineGrid = [](const Tensor& theta, const Ints& size,
                                std::optional<bool> align_corners) {
  return affine_grid(theta, size, align_corners.value_or(false));
};
constexpr auto kEmbeddingBag =
    [](const Tensor& index, const Tensor& weight, const std::optional<Tensor>& offsets,
       const std::optional<double>& max_norm, double, bool, const std::string& mode, bool,
       const std::optional<Tensor>& sample_weights, bool include_last_offset,
       std::optional<int64_t> padding_index) {
      if (max_norm)
        throw Error(ErrorKind::kNotImplemented, "embedding_bag(max_norm): not implemented");
      return embedding_bag(index, weight, offsets.value_or(Tensor()), mode,
                           sample_weights.value_or(Tensor()), include_last_offset, padding_index);
    };

// Blocks on the diagonal of a matrix of zeros.
Tensor block_diag(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> blocks;
  int64_t rows = 0, columns = 0;
  Dtype dtype = tensors.empty() ? kFloat32 : tensors[0].dtype();
  for (const Tensor& t : tensors) {
    if (t.dim() > 2)
      throw Error(ErrorKind::kRuntime, "block_diag(): expected at most 2 dimensions");
    blocks.push_back(t.dim() == 2 ? t : reshape(t, {1, t.numel()}));
    rows += blocks.back().size(0), columns += blocks.back().size(1);
    dtype = add(empty({0}, dtype), empty({0}, t.dtype())).dtype();
  }
  const Device device = tensors.empty() ? default_device() : tensors[0].device();
  const Tensor result = zeros({rows, columns}, TensorOptions(dtype).device(device));
  int64_t row = 0, column = 0;
  for (const Tensor& block : blocks) {
    narrow(narrow(result, 0, row, block.size(0)), 1, column, block.size(1)).copy_(block);
    row += block.size(0), column += block.size(1);
  }
  return result;
}

Tensor cartesian_prod(const std::vector<Tensor>& tensors) {
  if (tensors.size() == 1) return view(tensors[0], tensors[0].sizes());
  std::vector<Tensor> columns;
  for (const Tensor& grid : meshgrid(tensors)) columns.push_back(reshape(grid, {-1}));
  return stack(columns, 1);
}

// Kronecker's product: blocks of b, each times an element of a.
Tensor kron(const Tensor& a, const Tensor& b) {
  const int64_t rank = std::max(a.dim(), b.dim());
  std::vector<int64_t> left, right, sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t of_a = d < rank - a.dim() ? 1 : a.size(d - rank + a.dim());
    const int64_t of_b = d < rank - b.dim() ? 1 : b.size(d - rank + b.dim());
    left.insert(left.end(), {of_a, 1});
    right.insert(right.end(), {1, of_b});
    sizes.push_back(of_a * of_b);
  }
  return reshape(mul(reshape(a, left), reshape(b, right)), sizes);
}

// Summed over what broadcasting would add.
Tensor sum_to_size(const Tensor& x, const Ints& sizes) {
  const int64_t shift = x.dim() - sizes.size();
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < x.dim(); ++d) {
    const int64_t wanted = d < shift ? 1 : sizes[static_cast<int>(d - shift)];
    if (wanted != x.size(d) && wanted != 1)
      throw Error(ErrorKind::kRuntime, "sum_to_size(): the sizes do not expand to the tensor's");
    if (d < shift || (wanted == 1 && x.size(d) != 1)) dims.push_back(d);
  }
  if (shift < 0)
    throw Error(ErrorKind::kRuntime, "sum_to_size(): the sizes do not expand to the tensor's");
  if (sizes.size() == 0) return sum(x);
  if (dims.empty()) return x;
  return reshape(sum(x, dims, true), sizes);
}

constexpr auto kIndexReduce = [](const Tensor& x, int64_t dim, const Tensor& index,
                                 const Tensor& source, const std::string& reduce,
                                 bool include_self) {
  if (index.dim() > 1)
    throw Error(ErrorKind::kIndex, "index_reduce(): the index has more than one dimension");
  if (source.dim() == 0)
    return scatter_reduce(x, dim, reshape(index, {}), source, reduce, include_self);
  std::vector<int64_t> sizes(static_cast<size_t>(source.dim()), 1);
  const int64_t at = dim < 0 ? dim + source.dim() : dim;
  sizes[static_cast<size_t>(at)] = index.numel();
  const Tensor everywhere = expand(reshape(index, sizes), source.sizes());
  return scatter_reduce(x, dim, everywhere, source, reduce, include_self);
};
constexpr auto kTrace = [](const Tensor& x) {
  if (x.dim() != 2) throw Error(ErrorKind::kRuntime, "trace(): expected a matrix");
  return sum(diagonal(x));
};
constexpr auto kConstantPad = [](const Tensor& x, const Ints& pads, const Scalar& value) {
  return pad(x, static_cast<IntArrayRef>(pads), value);
};

// Cut along the dimension that the name says: 0 of vectors.
template <int dim>
std::vector<Tensor> cut(const Tensor& x, int64_t sections, const char* name) {
  const int64_t at = dim == 1 && x.dim() == 1 ? 0 : dim;
  if (x.dim() < (dim == 1 ? 1 : dim == 0 ? 2 : 3) || sections <= 0 || x.size(at) % sections != 0)
    throw Error(ErrorKind::kRuntime, std::string(name) + "(): the sections do not divide it");
  return tensor_split(x, sections, at);
}
template <int dim>
std::vector<Tensor> cut_at(const Tensor& x, const Ints& indices, const char* name) {
  if (x.dim() < (dim == 1 ? 1 : dim == 0 ? 2 : 3))
    throw Error(ErrorKind::kRuntime, std::string(name) + "(): too few dimensions");
  return tensor_split(x, static_cast<IntArrayRef>(indices), dim == 1 && x.dim() == 1 ? 0 : dim);
}
#define FRIT_CUT(name, dim)                                                                     \
  {                                                                                             \
    name, kBoth, {                                                                              \
      {"input, sections",                                                                       \
       overload<[](const Tensor& x, int64_t n) { return cut<dim>(x, n, name); }>},              \
          {"input, indices",                                                                    \
           overload<[](const Tensor& x, const Ints& at) { return cut_at<dim>(x, at, name); }>}, \
          {"input, indices_or_sections",                                                        \
           overload<[](const Tensor& x, int64_t n) { return cut<dim>(x, n, name); }>},          \
      {                                                                                         \
        "input, indices_or_sections",                                                           \
            overload<[](const Tensor& x, const Ints& at) { return cut_at<dim>(x, at, name); }>  \
      }                                                                                         \
    }                                                                                           \
  }

Function table[] = {
    {"grid_sample",
     kNeural,
     {{"input, grid, mode='bilinear', padding_mode='zeros', align_corners=None",
       overload<kGridSample>}}},
    {"affine_grid", kNeural, {{"theta, size, align_corners=None", overload<kAffineGrid>}}},
    {"embedding_bag",
     kNeural,
     {{"input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
       "mode='mean', sparse=False, per_sample_weights=None, include_last_offset=False, "
       "padding_idx=None",
       overload<kEmbeddingBag>}}},
    {"block_diag",
     kFunction,
     {{"*tensors", overload<[](const std::vector<Tensor>& t) { return block_diag(t); }>}}},
    {"cartesian_prod",
     kFunction,
     {{"*tensors", overload<[](const std::vector<Tensor>& t) { return cartesian_prod(t); }>}}},
    {"kron",
     kBoth,
     {{"input, other", overload<[](const Tensor& a, const Tensor& b) { return kron(a, b); }>}}},
    {"sum_to_size",
     kMethod,
     {{"input, *size",
       overload<[](const Tensor& x, const Ints& sizes) { return sum_to_size(x, sizes); }>}}},
    {"index_reduce",
     kBoth | kInPlace,
     {{"input, dim, index, source, reduce, *, include_self=True", overload<kIndexReduce>}}},
    {"trace", kBoth, {{"input", overload<kTrace>}}},
    {"argwhere", kBoth, {{"input", overload<[](const Tensor& x) { return nonzero(x); }>}}},
    {"constant_pad_nd", kFunction, {{"input, pad, value=0", overload<kConstantPad>}}},
    FRIT_CUT("hsplit", 1),
    FRIT_CUT("vsplit", 0),
    FRIT_CUT("dsplit", 2),
};

}  // namespace

std::vector<Entry> grid_entries() { return entries_of<table>(); }

}  // namespace frit::python
