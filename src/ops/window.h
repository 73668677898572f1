// Windows of pooling in one to three dimensions: which elements each output is made of.
#pragma once

#include <cstdint>
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

// How many dimensions such a call pools.
int pooled_dims(Op op, const Attrs& attrs);

}  // namespace frit
