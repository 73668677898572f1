// What tracing costs where it cannot win, and gains where it can: the same program with the JIT off
// (jit:0) and on (jit:1).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/transformer_block.h"
#include "frit/frit.h"

namespace frit {
namespace {

class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  uint32_t below(uint32_t n) {
    state_ = state_ * 1664525 + 1013904223;
    return static_cast<uint32_t>((static_cast<uint64_t>(state_ >> 4) * n) >> 28);
  }

 private:
  uint32_t state_;
};

void look(const Tensor& t) {
  t.with_data<const float>([](const float* p) { benchmark::DoNotOptimize(*p); });
}

Tensor step(const Tensor& x, const Tensor& y, uint32_t kind) {
  switch (kind) {
    case 0:
      return x + y;
    case 1:
      return x * 0.5;
    case 2:
      return relu(x);
    case 3:
      return tanh(x);
    case 4:
      return x - y;
    case 5:
      return abs(x);
    case 6:
      return neg(x);
    default:
      return maximum(x, y);
  }
}

void set_jit(const benchmark::State& state) {
  set_jit_mode(state.range(0) != 0 ? "on" : "off");
  trim();
}

// Calls of a compiled function with random shapes, dtypes and scalars, none of which comes back
// soon: an iteration is 10,000 of them, from nothing.
void BM_Storm(benchmark::State& state) {
  for (auto _ : state) {
    set_jit(state);
    Random random(1);
    const auto fn = compile(
        [](const Tensor& x, const Tensor& y, double s) { return tanh(x * s + y) * (s + 1) - x; });
    for (int i = 0; i < 10'000; ++i) {
      const Dtype dtype = random.below(2) == 0 ? kFloat32 : kFloat64;
      const int64_t rows = 1 + random.below(64), columns = 1 + random.below(64);
      const Tensor x = full({rows, columns}, 0.5, dtype), y = full({columns}, 0.25, dtype);
      benchmark::DoNotOptimize(fn(x, y, random.below(1000) * 0.001));
    }
  }
  set_jit_mode("on");
}
BENCHMARK(BM_Storm)->ArgName("jit")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// 5,000 sequences of eight ops on 256 elements, no two of which are equal, in other iterations
// neither: the numbers up to 2^24, times an odd one, are so many sequences of eight times three
// bits.
void BM_NeverRepeats(benchmark::State& state) {
  const Tensor x = full({256}, 0.5), y = full({256}, -0.25);
  static uint32_t number = 0;
  for (auto _ : state) {
    set_jit(state);
    for (const uint32_t end = number + 5'000; number < end; ++number) {
      Tensor t = x;
      uint32_t kinds = number * 0x9e3779b1;
      for (int i = 0; i < 8; ++i, kinds >>= 3) t = step(t, y, kinds % 8);
      look(t);
    }
  }
  set_jit_mode("on");
}
BENCHMARK(BM_NeverRepeats)->ArgName("jit")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// A loop body with a branch that is taken every other time, at random.
void BM_RandomBranch(benchmark::State& state) {
  set_jit(state);
  const Tensor x = full({state.range(1)}, 0.5), y = full({state.range(1)}, -0.25);
  Random random(5);
  const auto body = [&] {
    const Tensor h = relu(x * 1.5 + y);
    look(random.below(2) == 0 ? (h - y) * 0.5 : abs(h + x) * 2);
  };
  for (int i = 0; i < 20'000; ++i) body();
  for (auto _ : state) body();
  set_jit_mode("on");
}
BENCHMARK(BM_RandomBranch)
    ->ArgNames({"jit", "elements"})
    ->ArgsProduct({{0, 1}, {16, 256, 4096, 1 << 16}});

// Eight ops on few elements, in a loop.
void BM_SmallTensors(benchmark::State& state) {
  set_jit(state);
  const Tensor x = full({state.range(1)}, 0.5), y = full({state.range(1)}, -0.25);
  const auto body = [&] {
    Tensor t = x;
    for (uint32_t i = 0; i < 8; ++i) t = step(t, y, i);
    look(t);
  };
  for (int i = 0; i < 20'000; ++i) body();
  for (auto _ : state) body();
  set_jit_mode("on");
}
BENCHMARK(BM_SmallTensors)->ArgNames({"jit", "elements"})->ArgsProduct({{0, 1}, {1, 16, 64, 256}});

// a += b that nobody looks at, 1,000 times an iteration.
void BM_InPlaceLoop(benchmark::State& state) {
  set_jit(state);
  const Tensor a = full({state.range(1)}, 0.5), b = full({state.range(1)}, 1e-6);
  for (int i = 0; i < 20'000; ++i) a.add_(b);
  for (auto _ : state)
    for (int i = 0; i < 1000; ++i) a.add_(b);
  state.SetItemsProcessed(state.iterations() * 1000);
  set_jit_mode("on");
}
BENCHMARK(BM_InPlaceLoop)
    ->ArgNames({"jit", "elements"})
    ->ArgsProduct({{0, 1}, {16, 1024, 1 << 16}});

// One step of SGD with momentum over 20 parameters.
void BM_Optimiser(benchmark::State& state) {
  set_jit(state);
  std::vector<Tensor> w, m, g;
  for (int i = 0; i < 20; ++i) {
    w.push_back(full({state.range(1)}, 1.0));
    m.push_back(full({state.range(1)}, 0.0));
    g.push_back(full({state.range(1)}, 0.01));
  }
  const auto update = compile([&] {
    for (size_t i = 0; i < w.size(); ++i) {
      m[i].mul_(0.9).add_(g[i]);
      w[i].sub_(m[i] * 0.01);
    }
  });
  for (int i = 0; i < 200; ++i) update();
  for (auto _ : state) update();
  set_jit_mode("on");
}
BENCHMARK(BM_Optimiser)->ArgNames({"jit", "elements"})->ArgsProduct({{0, 1}, {256, 1 << 14}});

// A transformer block on sequences of 128 lengths: `seen` says whether each has been met before.
void BM_Lengths(benchmark::State& state) {
  const int64_t width = state.range(1);
  const bench::TransformerBlock block(width);
  std::vector<Tensor> inputs;
  for (int64_t n = 1; n <= 128; ++n) inputs.push_back(full({n, width}, 0.5));
  for (auto _ : state) {
    state.PauseTiming();
    trim();
    const auto fast = compile(block);
    for (int i = 0; i < 4; ++i) fast(full({200 + i, width}, 0.5));
    if (state.range(0) != 0)
      for (const Tensor& x : inputs)
        for (int i = 0; i < 3; ++i) fast(x);
    state.ResumeTiming();
    for (const Tensor& x : inputs) benchmark::DoNotOptimize(fast(x));
  }
}
BENCHMARK(BM_Lengths)
    ->ArgNames({"seen", "width"})
    ->ArgsProduct({{0, 1}, {64, 256}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace frit

BENCHMARK_MAIN();
