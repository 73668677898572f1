// Index tensors as offsets of elements: what ops that read by indices and those that write by them
// share. Private to src/eager.
#pragma once

#include "src/ops/call.h"
#include "src/ops/taking.h"

namespace frit::eager {

// Whether negative indices count from the end.
enum class Negative { kRefused, kFromEnd };

// Adds index * stride to each offset, after checking the index.
void add_offsets(const OpCall& call, const Layout& x, int dim, const Tensor& index,
                 Negative negative, int64_t* offsets);

// The indices as contiguous i64, expanded to `sizes`.
Tensor index_values(TensorImpl* index, IntArrayRef sizes);

Tensor zero_offsets(IntArrayRef sizes);
inline int64_t* offsets_of(const Tensor& offsets) {
  return reinterpret_cast<int64_t*>(offsets.impl()->data);
}

// The attribute `dim`, from the front.
int wrapped_dim(const OpCall& call, int rank);

// The sizes that the index operands from `first_index` on broadcast to. infer has checked that they
// do.
Dims index_sizes(const OpCall& call, size_t first_index);

}  // namespace frit::eager
