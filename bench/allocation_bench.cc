// How often a hot call asks the system's heap for memory. Every allocation of the process passes
// through here.
#include <benchmark/benchmark.h>

#include <cerrno>
#include <cstdlib>

#include "bench/models.h"
#include "frit/frit.h"
#include "frit/onnx.h"
#include "src/base/flags.h"

namespace {
thread_local int64_t allocations = 0;
}

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) noexcept {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) noexcept {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) noexcept {
  ++allocations;
  return __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) noexcept {
  ++allocations;
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}
}

namespace frit::bench {
namespace {

// The figure is the counter "allocations": per call, once plans run.
template <class Fn>
void count_allocations(benchmark::State& state, Fn call) {
  set_num_threads(1);
  base::mutable_flags().hot = 1;
  for (int i = 0; i < 50; ++i) call();
  const int64_t entries = stats().plan_entries, before = allocations;
  for (auto _ : state) call();
  const double counted = static_cast<double>(allocations - before);
  if (stats().plan_entries == entries) state.SkipWithError("no plan ran");
  base::mutable_flags().hot = 0;
  state.counters["allocations"] = counted / static_cast<double>(state.iterations());
}

void BM_CompiledCall(benchmark::State& state) {
  const Tensor a = full({16}, 1.5), b = full({16}, 2), c = full({16}, 3);
  const auto fast =
      compile([](const Tensor& x, const Tensor& y, const Tensor& z) { return x * y + z; });
  count_allocations(state, [&] { benchmark::DoNotOptimize(fast(a, b, c)); });
}
BENCHMARK(BM_CompiledCall);

void BM_Model(benchmark::State& state) {
  const ModelCase& c = kModels[state.range(0)];
  const onnx::Model model = onnx::Model::load(models_directory() + "/" + c.file);
  const std::vector<float> input = input_of(c);
  const Tensor x = from_host(input.data(), c.shape);
  count_allocations(
      state, [&] { benchmark::DoNotOptimize(model.run({x})[0].contiguous().const_data_ptr()); });
}
BENCHMARK(BM_Model)->DenseRange(0, 2);

}  // namespace
}  // namespace frit::bench

BENCHMARK_MAIN();
