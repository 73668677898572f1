// What a cold op costs over its bare block kernel, and eager kernels by layout.
#include <benchmark/benchmark.h>

#include "src/eager/blocks/blocks.h"
#include "src/eager/dispatch.h"

namespace frit {
namespace {

Tensor ones(IntArrayRef sizes, Dtype dtype = kFloat32) {
  const Operand one = Scalar(1);
  Tensor result;
  run_eager({Op::full, {&one, 1}, Attrs().add(dtype).add_list(sizes)}, &result);
  return result;
}

void BM_BareAdd(benchmark::State& state) {
  const Tensor a = ones({state.range(0)}), b = ones({state.range(0)}), out = ones({state.range(0)});
  const eager::BinaryBlock add = eager::binary_block(Op::add, kFloat32);
  for (auto _ : state) {
    add(a.impl()->data, b.impl()->data, out.impl()->data, state.range(0), 0);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_BareAdd)->Arg(16)->Arg(1024);

void BM_Add(benchmark::State& state) {
  const Tensor a = ones({state.range(0)}), b = ones({state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(call(Op::add, {a, b}));
}
BENCHMARK(BM_Add)->Arg(16)->Arg(1024)->Arg(1 << 20);

void BM_AddScalar(benchmark::State& state) {
  const Tensor a = ones({state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(call(Op::add, {a, Scalar(2)}));
}
BENCHMARK(BM_AddScalar)->Arg(16)->Arg(1024);

void BM_BareRelu(benchmark::State& state) {
  const Tensor a = ones({state.range(0)}), out = ones({state.range(0)});
  const eager::UnaryBlock relu = eager::unary_block(Op::relu, kFloat32);
  for (auto _ : state) {
    relu(a.impl()->data, out.impl()->data, state.range(0));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_BareRelu)->Arg(16)->Arg(1024);

void BM_Relu(benchmark::State& state) {
  const Tensor a = ones({state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(call(Op::relu, {a}));
}
BENCHMARK(BM_Relu)->Arg(16)->Arg(1024);

void BM_Compare(benchmark::State& state) {
  const Tensor a = ones({state.range(0)}), b = ones({state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(call(Op::lt, {a, b}));
}
BENCHMARK(BM_Compare)->Arg(16)->Arg(1024);

// n x n: a + a, a + row, a + column, a + transposed.
void BM_AddBroadcast(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor a = ones({n, n});
  const Tensor others[] = {ones({n, n}), ones({n}), ones({n, 1}),
                           call(Op::permute, {ones({n, n})}, Attrs().add_list({1, 0}))};
  const Tensor& b = others[state.range(1)];
  for (auto _ : state) benchmark::DoNotOptimize(call(Op::add, {a, b}));
  state.SetItemsProcessed(state.iterations() * n * n);
}
BENCHMARK(BM_AddBroadcast)->ArgsProduct({{256, 2048}, {0, 1, 2, 3}})->ArgNames({"n", "other"});

void BM_Transpose(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor t = call(Op::permute, {ones({n, n})}, Attrs().add_list({1, 0}));
  for (auto _ : state) benchmark::DoNotOptimize(call(Op::contiguous, {t}));
  state.SetItemsProcessed(state.iterations() * n * n);
}
BENCHMARK(BM_Transpose)->Arg(256)->Arg(2048);

// rows x n, over dim 0 or 1.
void BM_Sum(benchmark::State& state) {
  const Tensor a = ones({state.range(0), state.range(1)});
  const Attrs attrs = Attrs().add_list({state.range(2)}).add(false);
  for (auto _ : state) benchmark::DoNotOptimize(call(Op::sum, {a}, attrs));
  state.SetItemsProcessed(state.iterations() * a.numel());
}
BENCHMARK(BM_Sum)
    ->Args({1, 16, 1})
    ->Args({1024, 1024, 1})
    ->Args({1024, 1024, 0})
    ->Args({65536, 16, 1})
    ->Args({1, 1 << 20, 1})
    ->ArgNames({"rows", "n", "dim"});

void BM_Softmax(benchmark::State& state) {
  const Tensor a = ones({state.range(0), state.range(1)});
  for (auto _ : state) benchmark::DoNotOptimize(call(Op::softmax, {a}, Attrs().add(-1)));
  state.SetItemsProcessed(state.iterations() * a.numel());
}
BENCHMARK(BM_Softmax)->Args({64, 768})->ArgNames({"rows", "n"});

}  // namespace
}  // namespace frit

BENCHMARK_MAIN();
