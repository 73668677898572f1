// Region: what a compile()d function's calls share.
#pragma once

#include <array>
#include <atomic>

#include "frit/compile.h"
#include "src/capture/reason.h"

namespace frit::detail {

struct Region {
  uint64_t id = 0;  // from 1; 0 stands for "no region"
  CompileOptions options;
  std::array<std::atomic<int64_t>, capture::kNumReasons> breaks{};
};

}  // namespace frit::detail
