// Folds of contiguous rows and of columns in the canonical order, per dtype and instruction set.
//
// Element i of a row goes to lane i mod 32; the lanes are folded by halving (lane i with i + 16,
// then i + 8, ...). One call folds rows of at most kReduceBlock elements; longer ones are cut by
// the caller, who folds the partial results in the same way. Sums of floats may still be -0.0: the
// caller adds 0.0 at the very end. src/ops/reference/reduce.h is the same in plain loops.
#pragma once

#include <cstdint>

#include "frit/dtype.h"
#include "src/ops/op.h"

namespace frit::eager {

inline constexpr int64_t kReduceBlock = 4096;

enum class Fold : uint8_t { kSum, kProd, kMax, kMin };
inline constexpr int kNumFolds = 4;

struct ReduceBlocks {
  // out[r] = fold of x[r * stride + i] over i < n, for r < rows. Strides count elements.
  void (*rows)(const void* x, int64_t stride, int64_t rows, int64_t n, void* out);
  // out[c] = fold of x[r * stride + c] over r < n, for c < cols.
  void (*columns)(const void* x, int64_t stride, int64_t n, int64_t cols, void* out);
};

// Of sum, prod, amax or amin.
Fold fold_of(Op op);

// What a fold of elements of `dtype` accumulates in, and its result's dtype: sums and products of
// integers and bool are i64, everything else stays. The 16-bit floats have no blocks: cast to f32.
Dtype fold_dtype(Fold fold, Dtype dtype);

// Null members for the 16-bit floats.
const ReduceBlocks& reduce_blocks(Fold fold, Dtype dtype);

// The index of the first element of x[0, n) that equals *value or is NaN; n if there is none.
using FindBlock = int64_t (*)(const void* x, int64_t n, const void* value);
FindBlock find_block(Dtype dtype);

// Of one instruction set, by Fold and Dtype.
struct ReduceTable {
  ReduceBlocks folds[kNumFolds][kNumDtypes];
  FindBlock find[kNumDtypes];
};
namespace baseline {
const ReduceTable& reduce_table();
}
namespace avx2 {
const ReduceTable& reduce_table();
}
namespace avx512 {
const ReduceTable& reduce_table();
}

}  // namespace frit::eager
