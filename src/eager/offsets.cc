// Checks index tensors and turns them into offsets.
#include "src/eager/offsets.h"

#include <cstring>

#include "src/eager/copy.h"

namespace frit::eager {
namespace {

[[noreturn]] void fail_index(const OpCall& call, int64_t index, int64_t size) {
  fail(call, index_error(call.op),
       "index out of range: " + std::to_string(index) + " in a dimension of " +
           std::to_string(size));
}

}  // namespace

void add_offsets(const OpCall& call, const Layout& x, int dim, const Tensor& index,
                 Negative negative, int64_t* offsets) {
  const int64_t size = x.rank == 0 ? 1 : x.size(dim);
  const int64_t stride = x.rank == 0 ? 0 : x.stride(dim);
  const int64_t* values = reinterpret_cast<const int64_t*>(index.impl()->data);
  const int64_t lowest = negative == Negative::kFromEnd ? -size : 0;
  for (int64_t i = 0, n = index.numel(); i < n; ++i) {
    const int64_t value = values[i];
    if (value < lowest || value >= size) fail_index(call, value, size);
    offsets[i] += (value < 0 ? value + size : value) * stride;
  }
}

Tensor index_values(TensorImpl* index, IntArrayRef sizes) {
  if (index->layout->dtype == kInt64 && index->layout->contiguous &&
      index->layout->sizes() == sizes)
    return Tensor::share(index);
  Tensor values = new_tensor(intern_contiguous(kInt64, index->layout->device, sizes));
  convert_elements(*values.impl()->layout, values.impl()->data, *index->layout, index->data);
  return values;
}

Tensor zero_offsets(IntArrayRef sizes) {
  Tensor offsets = new_tensor(intern_contiguous(kInt64, kCPU, sizes));
  std::memset(offsets.impl()->data, 0, static_cast<size_t>(offsets.nbytes()));
  return offsets;
}

int wrapped_dim(const OpCall& call, int rank) {
  const int64_t dim = int_attr(call.op, call.attrs, "dim");
  return static_cast<int>(dim < 0 ? dim + std::max(rank, 1) : dim);
}

Dims index_sizes(const OpCall& call, size_t first_index) {
  Dims sizes;
  for (size_t i = first_index; i < call.operands.size(); ++i) {
    const Layout& index = *call.operands[i].layout();
    while (sizes.rank < index.rank) {
      for (int d = sizes.rank; d > 0; --d) sizes[d] = sizes[d - 1];
      sizes[0] = 1;
      ++sizes.rank;
    }
    for (int d = 0; d < index.rank; ++d) {
      int64_t& size = sizes[sizes.rank - index.rank + d];
      if (size == 1) size = index.size(d);
    }
  }
  return sizes;
}

}  // namespace frit::eager
