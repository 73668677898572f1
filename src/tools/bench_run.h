// One measurement of an expression: eager and hot in turns with what the machine can do at most.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frit/compile.h"
#include "frit/graph.h"
#include "src/tools/measure.h"

namespace frit::tools {

struct BenchRequest {
  std::string expression;
  std::map<std::string, std::string> inputs;  // name -> f32[4096,1024], or with strides
  uint32_t seed = 1;
  int threads = 0;       // 0: as many as Frit would take
  double seconds = 1.5;  // about how long to measure
};

// Times in nanoseconds per call.
struct BenchResult {
  BenchRequest request;
  Graph graph;                // of user ops
  std::optional<Graph> core;  // none where normalization refuses the graph
  int threads = 1;
  int64_t bytes = 0, elements = 0;
  double flops = 0;  // 0 where there is no core graph

  Spread eager, hot;
  std::optional<Spread> compile;  // none where nothing was compiled
  // On one thread, and on all.
  Spread copy_alone, copy_all, fma_alone, fma_all;
  int64_t copy_bytes = 0;       // of one copy
  double fma_flops_alone = 0;   // of one call of the multiply-adds
  Dtype peak_dtype = kFloat32;  // of the multiply-adds
  double core_ghz = 0;

  double plan_share = 0;                    // part of the hot calls that plans served
  Explanation explanation;                  // of the hot calls
  std::map<std::string, int64_t> refusals;  // why it was not compiled: reason -> count
  std::vector<std::string> noise;           // what was too noisy to tell

  // Per nanosecond, so also in GB/s and GFLOP/s.
  double copy_rate() const;
  double fma_rate() const;
  double cycles_per_element(const Spread& time) const;
};

// Throws Error where the expression or the inputs are wrong, and where eager and hot differ in a
// bit.
BenchResult run_bench(const BenchRequest& request);

}  // namespace frit::tools
