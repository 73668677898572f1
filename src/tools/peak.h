// The most that this machine's arithmetic units and memory do, for comparing with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frit/dtype.h"

namespace frit::tools {

// Multiply-adds in registers, with the widest vectors that Frit may use, on one thread. `dtype` is
// f32 or f64. What it returns depends on all of them.
double run_multiply_adds(Dtype dtype);
// How many floating-point operations that is.
double flops_of_multiply_adds(Dtype dtype);

// A copy between two blocks that together have `bytes` (but at least a page and at most 256 MB), on
// `threads` threads.
class CopyProbe {
 public:
  CopyProbe(int64_t bytes, int threads);
  void run();
  // Read and written by one run.
  int64_t bytes() const { return 2 * static_cast<int64_t>(from_.size()); }

 private:
  std::vector<std::byte> from_, to_;
  int threads_;
};

}  // namespace frit::tools
