// Sorts the dimensions, then merges neighbours.
#include "src/schedule/loops.h"

#include <algorithm>

namespace frit::scheduling {

std::vector<Loop> make_loops(const Group& group, const std::vector<std::vector<int64_t>>& accesses,
                             const std::vector<int64_t>& order) {
  std::vector<int> dims;
  for (int d = 0; d < group.rank(); ++d)
    if (!group.is_row(d)) dims.push_back(d);
  std::stable_sort(dims.begin(), dims.end(), [&](int a, int b) { return order[a] > order[b]; });
  std::vector<Loop> loops;
  for (int d : dims) {
    const auto continues = [&](const std::vector<int64_t>& strides) {
      return strides[loops.back().dims.back()] == strides[d] * group.sizes[d];
    };
    if (loops.empty() || !std::all_of(accesses.begin(), accesses.end(), continues))
      loops.emplace_back();
    loops.back().dims.push_back(d);
    loops.back().size *= group.sizes[d];
  }
  if (loops.empty()) loops.emplace_back();
  if (group.row.empty()) return loops;
  Loop row{group.row, 1};
  for (int d : group.row) row.size *= group.sizes[d];
  loops.push_back(row);
  return loops;
}

}  // namespace frit::scheduling
