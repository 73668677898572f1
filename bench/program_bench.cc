// What running a frozen program costs besides its kernels.
#include <benchmark/benchmark.h>

#include <variant>

#include "frit/frit.h"
#include "src/engine/native.h"

namespace frit {
namespace {

constexpr int kElements = 16;

Tensor fused(const Tensor& x, const Tensor& y, const Tensor& z) { return x * y + z; }

struct Operands {
  const Tensor inputs[3] = {full({kElements}, 1.5), full({kElements}, 2.0), full({kElements}, 3.0)};
  const Tensor outputs[1] = {empty({kElements})};
};

// Three tensors, two ops, one kernel, into a given tensor.
void BM_RunInto(benchmark::State& state) {
  const Operands o;
  const Program program = freeze(fused, o.inputs);
  for (auto _ : state) {
    program.run(o.inputs, o.outputs);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_RunInto);

// The same, into new tensors.
void BM_Run(benchmark::State& state) {
  const Operands o;
  const Program program = freeze(fused, o.inputs);
  for (auto _ : state) benchmark::DoNotOptimize(program.run(o.inputs));
}
BENCHMARK(BM_Run);

// That kernel alone.
void BM_Kernel(benchmark::State& state) {
  const Operands o;
  const Graph core = Graph::parse(
      "graph %g(%x: f32[16], %y: f32[16], %z: f32[16]) -> f32[16] {\n"
      "  %0: f32[16] = mul %x, %y\n"
      "  %1: f32[16] = add %0, %z\n"
      "  return %1\n}\n");
  std::string reason;
  const auto executor = engine::make_executor(core, &reason);
  const Schedule& schedule = executor->schedule();
  const KernelStep& step = std::get<KernelStep>(schedule.steps.at(0));
  std::vector<uint64_t> words;
  for (const KernelWord& word : step.words) {
    if (word.kind == KernelWord::Kind::kImmediate) {
      words.push_back(static_cast<uint64_t>(word.immediate));
      continue;
    }
    const ScheduleBuffer& buffer = schedule.buffers[schedule.views[word.index].buffer];
    const bool input = buffer.kind == ScheduleBuffer::Kind::kInput;
    const Tensor& tensor = input ? o.inputs[buffer.index] : o.outputs[buffer.index];
    words.push_back(reinterpret_cast<uint64_t>(tensor.const_data_ptr()));
  }
  const CompiledKernel& kernel = *executor->kernels().at(0).code;
  for (auto _ : state) {
    kernel.run(words.data(), 0, step.outer_size);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Kernel);

}  // namespace
}  // namespace frit

BENCHMARK_MAIN();
