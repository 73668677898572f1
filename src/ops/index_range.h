// Whether indices stay within what they index: asked at the call, since an op on one that does not
// is an error then, and before a kernel takes by them.
#pragma once

#include <cstdint>
#include <span>

#include "src/ops/call.h"

namespace frit {

// Every element of an i64 or i32 tensor is at least `lowest` and below `size`.
bool indices_within(const Layout& layout, const std::byte* data, int64_t lowest, int64_t size);

// Ops that read or write where indices say: index_select, gather, index and embedding; scatter and
// its kin.
inline bool goes_by_indices(Op op) {
  return op == Op::index_select || op == Op::gather || op == Op::index || op == Op::embedding ||
         info(op).family == Family::kScatter;
}

// The operands of such a call that hold its indices.
std::span<const Operand> index_operands(const OpCall& call);

// Whether the indices of such a call are known and in range. False also where the call is an error
// in other ways.
bool indices_in_range(const OpCall& call);

}  // namespace frit
