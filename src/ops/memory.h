// Where tensors lie in memory: what views and stores must check, for eager and reference alike.
#pragma once

#include "src/ops/call.h"

namespace frit {

// Whether two indices of the layout may name one element. May say true of exotic strides under
// which they do not.
bool may_overlap_itself(const Layout& layout);

enum class Overlap : uint8_t {
  kNone,
  kSame,     // the same elements in the same places
  kPartial,  // some in common, and both are dense
  kUnclear,  // their extents meet, but gaps lie between the elements
};
// Each is in memory, or pending in a trace of this thread.
Overlap overlap(const TensorImpl& a, const TensorImpl& b);

// Throws where a view of `x` that begins at `first` (in elements of the storage) leaves the
// storage.
void check_in_storage(const OpCall& call, const TensorImpl& x, const Layout& view, int64_t first);

// Throws where the operands of a store overlap in part.
void check_store(const OpCall& call);

}  // namespace frit
