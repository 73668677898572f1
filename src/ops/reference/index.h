// Checked entries of index tensors. Private to src/ops/reference.
#pragma once

#include <vector>

#include "src/ops/reference/elements.h"

namespace frit::reference {

enum class Negative { kRefused, kFromEnd };

// Entries of an index tensor in row-major order of `sizes`, to which it broadcasts, each in
// [0, size).
std::vector<int64_t> checked_entries(const OpCall& call, const TensorImpl* index, IntArrayRef sizes,
                                     int64_t size, Negative negative);

bool are_neighbours(IntArrayRef dims);

}  // namespace frit::reference
