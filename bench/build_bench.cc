// What building plans costs, as the engine reports it: models, a transformer block, and a shape
// that was not seen before.
//
//   bazel run -c opt //bench:build_bench
//
// Plans are built on the calling thread. Models need models/ (tools/setup).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <string>

#include "bench/models.h"
#include "bench/transformer_block.h"
#include "frit/frit.h"
#include "frit/onnx.h"
#include "src/base/flags.h"
#include "src/runtime/kernel_cache.h"

namespace frit::bench {
namespace {

using Run = std::function<Tensor()>;

// Plans on the calling thread, after as few runs as can be.
struct BuildHere {
  BuildHere() { base::mutable_flags().hot = 1; }
  ~BuildHere() { base::mutable_flags().hot = 0; }
};

// Runs a new region until it has a plan. Its build time in microseconds; -1 when none comes.
double build_us(const Run& run) {
  const auto region = compile(run);
  const int64_t before = stats().plans;
  for (int i = 0; i < 10 && stats().plans == before; ++i) region();
  int64_t total = 0;
  for (const PlanReport& plan : explain_region(*region.region()).plans)
    for (const PlanForm& form : plan.forms) total += form.build_us;
  return stats().plans == before ? -1 : static_cast<double>(total);
}

// Each iteration begins without plans and, unless they are to be kept, without kernels.
void measure(benchmark::State& state, const Run& run, bool keep_kernels) {
  const BuildHere here;
  set_num_threads(1);
  for (auto _ : state) {
    trim();
    if (!keep_kernels) runtime::KernelCache::get().clear();
    const double us = build_us(run);
    if (us < 0) return state.SkipWithError("no plan was built");
    state.SetIterationTime(us * 1e-6);
  }
}

void BM_BuildModel(benchmark::State& state) {
  const ModelCase& c = kModels[state.range(0)];
  const onnx::Model model = onnx::Model::load(models_directory() + "/" + c.file);
  const std::vector<float> input = input_of(c);
  const Tensor x = from_host(input.data(), c.shape);
  measure(
      state, [&] { return model.run({x})[0]; }, false);
  state.SetLabel(c.file);
}
BENCHMARK(BM_BuildModel)->DenseRange(0, 2)->UseManualTime()->Unit(benchmark::kMicrosecond);

void BM_BuildTransformerBlock(benchmark::State& state) {
  const TransformerBlock block(64);
  const Tensor x = full({16, 64}, 0.5);
  measure(
      state, [&] { return block(x); }, false);
}
BENCHMARK(BM_BuildTransformerBlock)->UseManualTime()->Unit(benchmark::kMicrosecond);

// Ten ops in one kernel that is known; each iteration brings another size.
void BM_UnseenShape(benchmark::State& state) {
  int64_t size = 100;
  const Run run = [&] {
    const Tensor x = full({size, 8}, 0.5);
    return relu(exp(abs(x * 2 + 1) - 3) * x + tanh(x)) / 2;
  };
  const BuildHere here;
  set_num_threads(1);
  build_us(run);
  const int64_t kernels = stats().kernels;
  for (auto _ : state) {
    ++size;
    const double us = build_us(run);
    if (us < 0) return state.SkipWithError("no plan was built");
    state.SetIterationTime(us * 1e-6);
  }
  if (stats().kernels != kernels) state.SkipWithError("machine code was made");
}
BENCHMARK(BM_UnseenShape)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace frit::bench

BENCHMARK_MAIN();
