// A chain of ten ops written with ten named variables, which are alive when the result is read,
// against the same chain as one expression.
#include <benchmark/benchmark.h>

#include "frit/frit.h"

namespace frit {
namespace {

Tensor one_expression(const Tensor& x) {
  return relu((relu((relu(x * 1.25) + 0.5) * 0.75 - 0.25) * 1.5 + 0.125) * 0.5);
}

// The ops of a hot chain, run by `chain`; 10 of them per iteration.
template <class Chain>
void run_chain(benchmark::State& state, Chain chain) {
  const Tensor x = full({state.range(0)}, 0.75);
  for (int i = 0; i < 4000 && i * state.range(0) < (64 << 20); ++i) chain(x);
  const int64_t before = stats().plan_entries;
  for (auto _ : state) chain(x);
  if (stats().plan_entries == before) state.SkipWithError("no plan ran");
}

void BM_OneExpression(benchmark::State& state) {
  run_chain(state, [](const Tensor& x) {
    const Tensor y = one_expression(x);
    benchmark::DoNotOptimize(y.const_data_ptr());
  });
}

void BM_NamedLocals(benchmark::State& state) {
  run_chain(state, [](const Tensor& x) {
    const Tensor a = x * 1.25, b = relu(a), c = b + 0.5, d = c * 0.75, e = d - 0.25;
    const Tensor f = relu(e), g = f * 1.5, h = g + 0.125, i = h * 0.5, y = relu(i);
    benchmark::DoNotOptimize(y.const_data_ptr());
  });
}

// As in a script: each variable is overwritten in the next iteration.
void BM_OverwrittenVariables(benchmark::State& state) {
  Tensor a, b, c, d, e, f, g, h, i, y;
  run_chain(state, [&](const Tensor& x) {
    a = x * 1.25, b = relu(a), c = b + 0.5, d = c * 0.75, e = d - 0.25;
    f = relu(e), g = f * 1.5, h = g + 0.125, i = h * 0.5, y = relu(i);
    benchmark::DoNotOptimize(y.const_data_ptr());
  });
}

void sizes(benchmark::internal::Benchmark* b) {
  for (int64_t n : {1 << 10, 1 << 14, 1 << 20}) b->Arg(n);
}
BENCHMARK(BM_OneExpression)->Apply(sizes);
BENCHMARK(BM_NamedLocals)->Apply(sizes);
BENCHMARK(BM_OverwrittenVariables)->Apply(sizes);

}  // namespace
}  // namespace frit

BENCHMARK_MAIN();
