// Elementwise ops and casts on single elements, given and returned as their bits: what reference
// loops, constant folding and the kernel interpreter run.
//
//   uint64_t x = scalar_bits(kFloat32, 2.0);
//   uint64_t y = apply_scalar(Op::sqrt, kFloat32, {&x, 1});
//
// Bits are those of the element in memory, in the low bytes; the others are 0.
#pragma once

#include <cstdint>
#include <span>

#include "frit/dtype.h"
#include "frit/scalar.h"
#include "src/ops/op.h"

namespace frit {

// Whether the op has a meaning for operands of this dtype. Those without it are refused by its
// rule.
bool has_scalar_meaning(Op op, Dtype compute);

// Operands in the dtype `compute` (where's condition is bool); the result in that dtype, or bool
// where the op's row says so. The 16-bit floats are computed in f32 and rounded once. Integers
// wrap; a division by integer 0 gives 0: whoever must throw looks first.
uint64_t apply_scalar(Op op, Dtype compute, std::span<const uint64_t> bits);

// Between any two dtypes. Floats are truncated to integers: what does not fit an i32 or i64, and
// NaN, gives the smallest one; narrower integers wrap around from there. Any non-zero, NaN too, is
// true.
uint64_t cast_scalar(Dtype from, Dtype to, uint64_t bits);

// A host number as an element.
uint64_t scalar_bits(Dtype dtype, const Scalar& scalar);

}  // namespace frit
