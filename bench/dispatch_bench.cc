// What an op call costs besides its kernel: cold, matched in a hot trace, in a compiled function.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "frit/frit.h"
#include "src/base/flags.h"
#include "src/capture/match.h"
#include "src/eager/blocks/blocks.h"
#include "src/eager/dispatch.h"

namespace frit {
namespace {

constexpr int kElements = 16;
constexpr int kChain = 20;

// A cold op: observed, run at once. The JIT only records, so that nothing gets hot. Its ops are not
// those of BM_MatchedOp, whose plan would take them.
void BM_ColdOp(benchmark::State& state) {
  set_jit_mode(state.range(0) ? "record" : "off");
  const Tensor x = full({kElements}, 1.5);
  const int64_t before = stats().plan_entries;
  for (auto _ : state) {
    Tensor y = x;
    for (int i = 0; i < kChain; ++i) y = abs(y);
    benchmark::DoNotOptimize(y.const_data_ptr());
  }
  if (stats().plan_entries != before) state.SkipWithError("a plan ran");
  state.SetItemsProcessed(state.iterations() * kChain);
  set_jit_mode("on");
}
BENCHMARK(BM_ColdOp)->ArgName("observed")->Arg(0)->Arg(1);

// A cold call of a registered op whose function does nothing.
void BM_CustomOp(benchmark::State& state) {
  set_jit_mode(state.range(0) ? "record" : "off");
  static const CustomOp op = register_op(
      "bench::nothing(Tensor x, float by=1) -> Tensor",
      {.eager_out = [](const OpArgs&, std::span<const Tensor>) {},
       .fake = [](const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); }});
  const Tensor x = full({kElements}, 1.5);
  for (auto _ : state) benchmark::DoNotOptimize(op({x, 2.0}));
  set_jit_mode("on");
}
BENCHMARK(BM_CustomOp)->ArgName("observed")->Arg(0)->Arg(1);

// The eager kernel of those ops, without the calls around it.
void BM_KernelAlone(benchmark::State& state) {
  const eager::UnaryBlock kernel = eager::unary_block(Op::abs, kFloat32);
  float from[kElements], to[kElements];
  std::fill(from, from + kElements, 1.5f);
  for (auto _ : state)
    for (int i = 0; i < kChain; ++i) {
      kernel(from, to, kElements);
      benchmark::DoNotOptimize(to);
    }
}
BENCHMARK(BM_KernelAlone);

// A hot trace of kChain ops on 16 elements: matching, and one kernel for all of them.
void BM_MatchedOp(benchmark::State& state) {
  const Tensor x = full({kElements}, 1.5);
  const auto chain = [&] {
    Tensor y = x;
    for (int i = 0; i < kChain; ++i) y = relu(y);
    benchmark::DoNotOptimize(y.const_data_ptr());
  };
  trim();
  base::mutable_flags().hot = 1;
  for (int i = 0; i < 8; ++i) chain();
  const int64_t before = stats().plan_entries;
  for (auto _ : state) chain();
  if (stats().plan_entries == before) state.SkipWithError("no plan ran");
  base::mutable_flags().hot = 0;
  state.SetItemsProcessed(state.iterations() * kChain);
}
BENCHMARK(BM_MatchedOp);

// A compiled function of three tensors and two ops.
void BM_CompiledCall(benchmark::State& state) {
  const Tensor a = full({kElements}, 1.5), b = full({kElements}, 2.0), c = full({kElements}, 3.0);
  const auto fn = [](const Tensor& x, const Tensor& y, const Tensor& z) { return x * y + z; };
  const auto fast = compile(fn);
  base::mutable_flags().hot = 1;  // else it would be left to eager where that is faster
  for (int i = 0; i < 8; ++i) fast(a, b, c);
  const int64_t before = stats().plan_entries;
  for (auto _ : state) benchmark::DoNotOptimize(fast(a, b, c));
  if (stats().plan_entries == before) state.SkipWithError("no plan ran");
  base::mutable_flags().hot = 0;
}
BENCHMARK(BM_CompiledCall);

// A compiled function of one op on 16 elements: by Frit's own code, and by a backend that does no
// more than hand out memory for the result.
void BM_BackendCall(benchmark::State& state) {
  register_backend("bench_nothing", [](const BackendInput&) -> CompiledGraph {
    return [](std::span<const GraphArg>) { return std::vector<Tensor>{empty({kElements})}; };
  });
  const Tensor x = full({kElements}, 1.5);
  const auto fast = compile([](const Tensor& t) { return abs(t); },
                            {.backend = state.range(0) != 0 ? "bench_nothing" : "native"});
  base::mutable_flags().hot = 1;
  for (int i = 0; i < 8; ++i) fast(x);
  const int64_t before = stats().plan_entries;
  for (auto _ : state) benchmark::DoNotOptimize(fast(x));
  if (stats().plan_entries == before) state.SkipWithError("no plan ran");
  base::mutable_flags().hot = 0;
}
BENCHMARK(BM_BackendCall)->ArgName("foreign")->Arg(0)->Arg(1);

// What such a backend's function takes when it is called by itself.
void BM_BackendAlone(benchmark::State& state) {
  const CompiledGraph nothing = [](std::span<const GraphArg>) {
    return std::vector<Tensor>{empty({kElements})};
  };
  const GraphArg args[] = {full({kElements}, 1.5)};
  for (auto _ : state) benchmark::DoNotOptimize(nothing(args));
}
BENCHMARK(BM_BackendAlone);

// One call held against a recorded one: op, attributes, the layouts of two operands; and, where
// they hold, the result's handle. They hold, or the second operand's layout is another one.
void BM_GuardCheck(benchmark::State& state) {
  const Tensor a = full({kElements}, 1.5), b = full({kElements}, 2.0), other = full({1}, 2.0);
  const MuteScope mute;
  capture::TraceWriter writer;
  writer.begin();
  const Operand recorded[] = {a, b};
  Tensor result;
  run_eager({Op::add, recorded, Attrs()}, &result);
  writer.append({Op::add, recorded, Attrs()}, &result, 1);
  capture::MatchTable table;
  table.trace = writer.end();
  std::vector<TensorImpl*> placeholders;
  capture::Pending pending;
  const bool holds = state.range(0) != 0;
  const Operand operands[] = {a, holds ? b : other};
  const Attrs attrs;
  capture::Reason reason{};
  int scalar = -1, matched = 0;
  for (auto _ : state) {
    pending.begin(&table, &placeholders, &pending, 1 << 20);
    Tensor y;
    matched += pending.match({Op::add, operands, attrs}, &y, &reason, &scalar);
  }
  if ((matched != 0) != holds) state.SkipWithError("the guards say otherwise");
  for (TensorImpl* placeholder : placeholders)
    if (placeholder != nullptr) Tensor::adopt(placeholder);
}
BENCHMARK(BM_GuardCheck)->ArgName("holds")->Arg(0)->Arg(1);

}  // namespace
}  // namespace frit

BENCHMARK_MAIN();
