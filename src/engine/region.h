// Region: what a compile()d function's calls share.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "frit/compile.h"
#include "src/engine/plan.h"

namespace frit::detail {

struct Region {
  uint64_t id = 0;  // from 1; 0 stands for "no region"
  CompileOptions options;
  std::mutex mutex;
  std::vector<std::shared_ptr<engine::Plan>> plans;  // for reports
  std::array<std::atomic<int64_t>, capture::kNumReasons> breaks{};
};

}  // namespace frit::detail
