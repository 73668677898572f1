// Taking: which elements index_select, gather and index read, as strides and index operands.
//
//   const Taking taking = taking_of(op, operands, attrs, result);
//   // result[i] = x[taking.strides . i + sum of index * stride], each index at its strides . i
#pragma once

#include <array>

#include "src/ops/infer.h"

namespace frit {

struct Taking {
  // An operand that holds indices of one dimension of x.
  struct Index {
    int operand;
    int64_t size, stride;  // of that dimension
    Dims strides;          // of the index operand along each dimension of the result
  };
  Dims strides;  // of x along each dimension of the result; 0 where indices say
  std::array<Index, kMaxRank> indices;
  int num_indices = 0;
  bool from_end = false;  // negative indices count from the end; else they are errors
};

bool is_taking(Op op);

// The operands have passed infer; `result` is the layout of its result.
Taking taking_of(Op op, std::span<const OperandType> operands, const Attrs& attrs,
                 const Layout& result);

// What a tensor with these dims indexed becomes: the strides of what is left of x, and of the index
// tensors (`steps`, broadcast), along each dimension of the result. The index dimensions stand in
// the place of the indexed ones where these are neighbours, else in front.
struct IndexStrides {
  Dims x, indices;
};
IndexStrides index_strides(const Layout& x, IntArrayRef dims, const Dims& steps);
// Likewise its sizes, where the index tensors broadcast to those of `indices`.
Dims indexed_sizes(const Layout& x, IntArrayRef dims, const Dims& indices);
// The strides of a tensor along `rank` dimensions to which it broadcasts.
Dims broadcast_strides(const Layout& x, int rank);

}  // namespace frit
