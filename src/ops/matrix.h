// The ops of linear algebra on one matrix of their batch: what eager kernels and the reference
// share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/ops/call.h"

namespace frit {

// The elements of matrix `number` of each operand and result that the call has: row-major,
// contiguous.
struct MatrixMemory {
  const std::byte* operands[2] = {};
  std::byte* results[kMaxResults] = {};  // null where the result is empty
};

// How many matrices the call has, from its first operand's layout.
int64_t matrix_count(const Layout& a);
// How many elements a tensor has for each of them.
int64_t elements_of_one(const Layout& layout, int64_t count);

// 0 where all went well, else what fail_matrix says.
int64_t run_matrix(const OpCall& call, const MatrixMemory& memory);
[[noreturn]] void fail_matrix(const OpCall& call, int64_t number, int64_t status);

}  // namespace frit
