// Loops: a group's domain as few loops as the memory it touches allows.
//
// Neighbouring dimensions become one loop where every access goes from one to the other with one
// stride, so that contiguous data has a single loop. The order of the loops is that of the memory
// written; the row is always the last.
#pragma once

#include <vector>

#include "src/schedule/fuse.h"

namespace frit::scheduling {

struct Loop {
  std::vector<int> dims;  // of the domain, outer to inner; none: a loop of one iteration
  int64_t size = 1;

  int64_t stride(const std::vector<int64_t>& strides) const {
    return dims.empty() ? 0 : strides[dims.back()];
  }
};

// `accesses`: for each way of reading or writing, its strides along the domain's dimensions.
// `order`: those of the memory whose order to follow. A group with reductions has at least two
// loops, any other at least one.
std::vector<Loop> make_loops(const Group& group, const std::vector<std::vector<int64_t>>& accesses,
                             const std::vector<int64_t>& order);

}  // namespace frit::scheduling
