// A hop of the wake-word detector, JIT on and off, and the same hop in onnxruntime with one thread;
// and each of the three models alone.
//
//   bazel run -c opt //bench:hop_bench
//
// Needs models/ (tools/setup). The runs are interleaved: this machine and that hour serve all
// alike.
#include <benchmark/benchmark.h>

#include "bench/models.h"
#include "frit/frit.h"
#include "frit/onnx.h"
#include "src/backends/onnxruntime_library.h"

namespace frit::bench {
namespace {

void run_once(const onnx::Model& model, const ModelCase& c, const std::vector<float>& input) {
  const Tensor inputs[] = {from_host(input.data(), c.shape)};
  benchmark::DoNotOptimize(model.run(inputs)[0].contiguous().const_data_ptr());
}

void frit_model(benchmark::State& state, const char* jit) {
  const ModelCase& c = kModels[state.range(0)];
  set_num_threads(1);
  set_jit_mode(jit);
  const onnx::Model model = onnx::Model::load(models_directory() + "/" + c.file);
  const std::vector<float> input = input_of(c);
  for (int i = 0; i < 50; ++i) run_once(model, c, input);
  for (auto _ : state) run_once(model, c, input);
  state.SetLabel(c.file);
  set_jit_mode("on");
}
void BM_Hot(benchmark::State& state) { frit_model(state, "on"); }
void BM_Eager(benchmark::State& state) { frit_model(state, "off"); }

void BM_OnnxRuntime(benchmark::State& state) {
  const ModelCase& c = kModels[state.range(0)];
  std::string why;
  const auto runtime =
      backends::OnnxRuntime::load(models_directory() + "/onnxruntime/libonnxruntime.so.1", &why);
  if (runtime == nullptr)
    return state.SkipWithError(("run tools/setup: onnxruntime is not in models/: " + why).c_str());
  const auto session = runtime->open_file(models_directory() + "/" + c.file, 1);
  const std::vector<float> input = input_of(c);
  for (int i = 0; i < 50; ++i) session->run(input, c.shape);
  for (auto _ : state) benchmark::DoNotOptimize(session->run(input, c.shape));
  state.SetLabel(c.file);
}

BENCHMARK(BM_Hot)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Eager)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_OnnxRuntime)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace frit::bench

BENCHMARK_MAIN();
