// How an elementwise call becomes one of the block kernels: in which dtype, and how its operands
// lie.
#pragma once

#include "src/eager/pointwise_loop.h"
#include "src/ops/infer.h"

namespace frit::eager {

inline constexpr int kMaxInputs = 3;

// The block kernel of a call.
struct Kernel {
  Block block;
  // What it reads (but for where's condition) and what it writes.
  Dtype compute = kFloat32, result = kFloat32;
  int64_t grain = kGrain;  // elements that are worth a thread

  Dtype dtype_of(int input) const { return block.arity == 3 && input == 0 ? kBool : compute; }
};

// The kernel of a row of the table; Error(not_implemented) where there is none for the dtype.
Kernel kernel_for(const OpCall& call, const OpInfo& row, Dtype compute);

// The dtype of the block kernel for a result of this dtype. Only a comparison computes in another
// dtype than its result's. Beside 16-bit floats a number keeps its f32 value; their own kernels,
// which compute in f32 too, serve where it has the same there.
Dtype compute_dtype(const OpCall& call, const OpInfo& row, Dtype result);

// Whether a zero among the divisors must be looked for first.
bool divides_ints(Op op, Dtype compute);

// A number, or a tensor of one element, as an element of the dtype: in `converted`, or where it is.
std::byte* one_element(const Operand& operand, Dtype dtype, std::byte* converted);

// Whether the elements of an operand lie in memory in the order of the result's, without gaps.
bool lies_as(const Layout& input, const Layout& out);

}  // namespace frit::eager
