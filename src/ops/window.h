// Windows of pooling in one to three dimensions: which elements each output is made of.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "src/ops/call.h"

namespace frit {

// The elements first, first + step, ... of one dimension; `padded` counts the padding that belongs
// to the window, too.
struct PoolWindow {
  int64_t first = 0, count = 1, step = 1, padded = 1;
};

// Of a call of max_pool, avg_pool, adaptive_avg_pool or adaptive_max_pool: the windows of each
// pooled dimension, one for each output along it. Three dimensions; missing ones come first and
// have one window of one element.
struct PoolWindows {
  std::vector<PoolWindow> dims[3];
  int64_t in[3] = {1, 1, 1};

  PoolWindows(const OpCall& call, const Layout& x, const Layout& out);
};

// The sum of a window over the number of its elements, or over another divisor that is not 0.
// Integers are divided towards 0 and wrap.
template <class T>
T mean_of(T sum, int64_t count) {
  if constexpr (std::is_integral_v<T>)
    if (count == -1) return static_cast<T>(0 - static_cast<uint64_t>(sum));
  return sum / static_cast<T>(count);
}

// How many dimensions such a call pools.
int pooled_dims(Op op, const Attrs& attrs);

}  // namespace frit
