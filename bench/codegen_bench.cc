// What compiling a kernel costs, what the code is worth against a copy of the same bytes, and what
// block programs, which need no machine code, are worth between it and eager.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "frit/frit.h"
#include "src/codegen/native_writer.h"
#include "src/runtime/block_writer.h"
#include "tests/codegen/kernel_texts.h"

namespace frit::codegen {
namespace {

// One loop over f32 operands: `body` uses %i0.
std::string pointwise(const std::string& params, const std::string& body) {
  return "kernel %k(" + params + ", %n: i64) {\n  loop %i0 = 0 to %n {\n" + body + "  }\n}\n";
}

const std::string& relu_chain() {
  static const std::string text = pointwise("%x: *f32[1], %y: *f32[1]", R"(
    %0: f32 = load %x[%i0]
    %1: f32 = constant 2.0
    %2: f32 = mul %0, %1
    %3: f32 = constant 1.0
    %4: f32 = add %2, %3
    %5: f32 = relu %4
    store %y[%i0], %5
)");
  return text;
}

const std::string& ten_ops() {
  static const std::string text =
      pointwise("%x: *f32[1], %y: *f32[1], %z: *f32[1], %s: f32, %out: *f32[1]", R"(
    %0: f32 = load %x[%i0]
    %1: f32 = load %y[%i0]
    %2: f32 = load %z[%i0]
    %3: f32 = mul %0, %1
    %4: f32 = add %3, %2
    %5: f32 = sub %4, %0
    %6: f32 = exp %5
    %7: f32 = constant 0.5
    %8: f32 = mul %6, %7
    %9: f32 = maximum %8, %1
    %10: f32 = minimum %9, %s
    %11: f32 = abs %10
    %12: f32 = add %11, %s
    %13: f32 = mul %12, %2
    store %out[%i0], %13
)");
  return text;
}

const std::string& gelu_tanh() {
  static const std::string text = pointwise("%x: *f32[1], %y: *f32[1]", R"(
    %0: f32 = load %x[%i0]
    %1: f32 = mul %0, %0
    %2: f32 = mul %1, %0
    %3: f32 = constant 0.044715
    %4: f32 = mul %2, %3
    %5: f32 = add %0, %4
    %6: f32 = constant 0.7978845608
    %7: f32 = mul %5, %6
    %8: f32 = tanh %7
    %9: f32 = constant 1.0
    %10: f32 = add %8, %9
    %11: f32 = constant 0.5
    %12: f32 = mul %0, %11
    %13: f32 = mul %12, %10
    store %y[%i0], %13
)");
  return text;
}

const std::string& gelu_erf() {
  static const std::string text = pointwise("%x: *f32[1], %y: *f32[1]", R"(
    %0: f32 = load %x[%i0]
    %1: f32 = constant 0.7071067811865476
    %2: f32 = mul %0, %1
    %3: f32 = erf %2
    %4: f32 = constant 1.0
    %5: f32 = add %3, %4
    %6: f32 = constant 0.5
    %7: f32 = mul %0, %6
    %8: f32 = mul %7, %5
    store %y[%i0], %8
)");
  return text;
}

const std::string& silu() {
  static const std::string text = pointwise("%x: *f32[1], %y: *f32[1]", R"(
    %0: f32 = load %x[%i0]
    %1: f32 = silu %0
    store %y[%i0], %1
)");
  return text;
}

const std::string& layer_norm() {
  static const std::string text = R"(
kernel %layer_norm(%x: *f32[*,1], %out: *f32[*,1], %count: f32, %eps: f32, %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = reduce sum %i1 = 0 to %n1 {
      %1: f32 = load %x[%i0, %i1]
      yield %1
    }
    %2: f32 = div %0, %count
    %3: f32 = reduce sum %i1 = 0 to %n1 {
      %4: f32 = load %x[%i0, %i1]
      %5: f32 = sub %4, %2
      %6: f32 = mul %5, %5
      yield %6
    }
    %7: f32 = div %3, %count
    %8: f32 = add %7, %eps
    %9: f32 = sqrt %8
    loop %i1 = 0 to %n1 {
      %10: f32 = load %x[%i0, %i1]
      %11: f32 = sub %10, %2
      %12: f32 = div %11, %9
      store %out[%i0, %i1], %12
    }
  }
}
)";
  return text;
}

const std::string& column_sum() {
  static const std::string text = R"(
kernel %column_sum(%x: *f32[1,*], %out: *f32[1,0], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    %0: f32 = reduce sum %i1 = 0 to %n1 {
      %1: f32 = load %x[%i0, %i1]
      yield %1
    }
    store %out[%i0], %0
  }
}
)";
  return text;
}

const std::string& bias_relu() {
  static const std::string text = R"(
kernel %bias_relu(%x: *f32[*,1], %b: *f32[0,1], %y: *f32[*,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    loop %i1 = 0 to %n1 {
      %0: f32 = load %x[%i0, %i1]
      %1: f32 = load %b[%i1]
      %2: f32 = add %0, %1
      %3: f32 = relu %2
      store %y[%i0, %i1], %3
    }
  }
}
)";
  return text;
}

void compile(benchmark::State& state, const std::string& text) {
  const Kernel kernel = Kernel::parse(text);
  const std::unique_ptr<Writer> writer = new_native_writer();
  int64_t bytes = 0;
  for (auto _ : state) {
    std::string reason;
    const auto compiled = writer->compile(kernel, &reason);
    if (compiled == nullptr) return state.SkipWithError(reason.c_str());
    bytes = compiled->code_bytes();
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}

std::vector<float> filled(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i)
    values[static_cast<size_t>(i)] = std::sin(static_cast<float>(i)) * 4;
  return values;
}

uint64_t word(const float* data) { return reinterpret_cast<uint64_t>(data); }

void run_pointwise(benchmark::State& state, const std::string& text) {
  const auto compiled = new_native_writer()->compile(Kernel::parse(text), nullptr);
  const int64_t n = state.range(0);
  const std::vector<float> x = filled(n);
  std::vector<float> y = filled(n);
  const uint64_t args[] = {word(x.data()), 1, word(y.data()), 1, static_cast<uint64_t>(n)};
  for (auto _ : state) {
    compiled->run(args, 0, n);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void copy(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::vector<float> x = filled(n);
  std::vector<float> y = filled(n);
  for (auto _ : state) {
    std::memcpy(y.data(), x.data(), static_cast<size_t>(n) * sizeof(float));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

// 2-D kernels over `rows` rows of `size`.
void run_rows(benchmark::State& state, const std::string& text) {
  const auto compiled = new_native_writer()->compile(Kernel::parse(text), nullptr);
  const int64_t rows = state.range(0), size = state.range(1);
  const std::vector<float> x = filled(rows * size);
  std::vector<float> y = filled(rows * size);
  const uint64_t stride = static_cast<uint64_t>(size);
  std::vector<uint64_t> args = {word(x.data()), stride, 1, word(y.data()), stride, 1};
  if (text == layer_norm()) {
    args.push_back(__builtin_bit_cast(uint32_t, static_cast<float>(size)));
    args.push_back(__builtin_bit_cast(uint32_t, 1e-5f));
  }
  args.insert(args.end(), {static_cast<uint64_t>(rows), stride});
  for (auto _ : state) {
    compiled->run(args.data(), 0, rows);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * rows * size);
}

// Sums of the columns of a row-major matrix.
void run_columns(benchmark::State& state) {
  const auto compiled = new_native_writer()->compile(Kernel::parse(column_sum()), nullptr);
  const int64_t rows = state.range(0), columns = state.range(1);
  const std::vector<float> x = filled(rows * columns);
  std::vector<float> y = filled(columns);
  const uint64_t args[] = {word(x.data()),
                           1,
                           static_cast<uint64_t>(columns),
                           word(y.data()),
                           1,
                           0,
                           static_cast<uint64_t>(columns),
                           static_cast<uint64_t>(rows)};
  for (auto _ : state) {
    compiled->run(args, 0, columns);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * rows * columns);
}

// A bias for each channel, and few channels: what follows a convolution.
void run_bias_relu(benchmark::State& state) {
  const auto compiled = new_native_writer()->compile(Kernel::parse(bias_relu()), nullptr);
  const int64_t rows = state.range(0), size = state.range(1);
  const std::vector<float> x = filled(rows * size), b = filled(size);
  std::vector<float> y = filled(rows * size);
  const uint64_t stride = static_cast<uint64_t>(size);
  const uint64_t args[] = {word(x.data()),
                           stride,
                           1,
                           word(b.data()),
                           0,
                           1,
                           word(y.data()),
                           stride,
                           1,
                           static_cast<uint64_t>(rows),
                           stride};
  for (auto _ : state) {
    compiled->run(args, 0, rows);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * rows * size);
}

// The same work by each way there is. Eager runs op by op and makes its outputs.
using MakeWriter = std::unique_ptr<Writer> (*)();

void chain_by(benchmark::State& state, MakeWriter make) {
  const auto compiled = make()->compile(Kernel::parse(ten_ops()), nullptr);
  const int64_t n = state.range(0);
  const std::vector<float> x = filled(n), y = filled(n), z = filled(n);
  std::vector<float> out = filled(n);
  const uint64_t args[] = {word(x.data()),
                           1,
                           word(y.data()),
                           1,
                           word(z.data()),
                           1,
                           __builtin_bit_cast(uint32_t, 3.0f),
                           word(out.data()),
                           1,
                           static_cast<uint64_t>(n)};
  for (auto _ : state) {
    compiled->run(args, 0, n);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void chain_eagerly(benchmark::State& state) {
  set_jit_mode("off");
  set_num_threads(1);
  const int64_t n = state.range(0);
  const Tensor x = arange(n, kFloat32) * 1e-6, y = x * 2, z = x - 1;
  for (auto _ : state) {
    const Tensor product = x * y + z - x;
    const Tensor bounded = clamp(maximum(exp(product) * 0.5, y), std::nullopt, 3.0);
    benchmark::DoNotOptimize((abs(bounded) + 3.0) * z);
  }
  state.SetItemsProcessed(state.iterations() * n);
}

constexpr int64_t kSoftmaxRow = 256;

void softmax_by(benchmark::State& state, MakeWriter make) {
  const auto compiled = make()->compile(Kernel::parse(kSoftmax), nullptr);
  const int64_t n = state.range(0), rows = n / kSoftmaxRow;
  const std::vector<float> x = filled(n);
  std::vector<float> y = filled(n);
  const uint64_t args[] = {
      word(x.data()), kSoftmaxRow, 1, word(y.data()), kSoftmaxRow, 1, static_cast<uint64_t>(rows),
      kSoftmaxRow};
  for (auto _ : state) {
    compiled->run(args, 0, rows);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void softmax_eagerly(benchmark::State& state) {
  set_jit_mode("off");
  set_num_threads(1);
  const Tensor x = (arange(state.range(0), kFloat32) * 1e-5).reshape({-1, kSoftmaxRow});
  for (auto _ : state) benchmark::DoNotOptimize(frit::softmax(x, -1));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK_CAPTURE(compile, relu_chain, relu_chain());
BENCHMARK_CAPTURE(compile, ten_ops, ten_ops());
BENCHMARK_CAPTURE(compile, gelu_tanh, gelu_tanh());
BENCHMARK_CAPTURE(compile, gelu_erf, gelu_erf());
BENCHMARK_CAPTURE(compile, softmax, kSoftmax);
BENCHMARK_CAPTURE(compile, layer_norm, layer_norm());
// The largest size is out of any cache.
BENCHMARK(copy)->Arg(16)->Arg(1024)->Arg(65536)->Arg(1 << 20)->Arg(1 << 24);
BENCHMARK_CAPTURE(run_pointwise, relu_chain, relu_chain())
    ->Arg(16)
    ->Arg(1024)
    ->Arg(65536)
    ->Arg(1 << 20)
    ->Arg(1 << 24);
BENCHMARK_CAPTURE(run_pointwise, gelu_tanh, gelu_tanh())->Arg(1024)->Arg(65536);
BENCHMARK_CAPTURE(run_pointwise, gelu_erf, gelu_erf())->Arg(1024)->Arg(65536);
BENCHMARK_CAPTURE(run_pointwise, silu, silu())->Arg(1024)->Arg(65536);
BENCHMARK_CAPTURE(run_rows, softmax, kSoftmax)->Args({64, 64})->Args({85, 768})->Args({16, 4096});
BENCHMARK_CAPTURE(run_rows, layer_norm, layer_norm())
    ->Args({64, 64})
    ->Args({85, 768})
    ->Args({16, 4096});
BENCHMARK(run_columns)->Args({768, 768});
BENCHMARK(run_bias_relu)->Args({2368, 24})->Args({500, 96})->Args({64, 3});

BENCHMARK_CAPTURE(chain_by, machine_code, new_native_writer)->Arg(4096)->Arg(65536)->Arg(1 << 20);
BENCHMARK_CAPTURE(chain_by, blocks, runtime::new_block_writer)->Arg(4096)->Arg(65536)->Arg(1 << 20);
BENCHMARK(chain_eagerly)->Arg(4096)->Arg(65536)->Arg(1 << 20);
BENCHMARK_CAPTURE(softmax_by, machine_code, new_native_writer)->Arg(4096)->Arg(65536)->Arg(1 << 20);
BENCHMARK_CAPTURE(softmax_by, blocks, runtime::new_block_writer)
    ->Arg(4096)
    ->Arg(65536)
    ->Arg(1 << 20);
BENCHMARK(softmax_eagerly)->Arg(4096)->Arg(65536)->Arg(1 << 20);

}  // namespace
}  // namespace frit::codegen

BENCHMARK_MAIN();
