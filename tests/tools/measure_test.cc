// Medians, turns, and what an expression has to do at the least.
#include "src/tools/measure.h"

#include <gtest/gtest.h>

#include <chrono>

#include "src/normalize/normalize.h"
#include "src/tensor/layout.h"
#include "src/tools/expression.h"
#include "src/tools/peak.h"
#include "src/tools/work.h"

namespace frit::tools {
namespace {

TEST(Spread, IsMedianAndQuartiles) {
  const Spread spread = spread_of({5, 1, 2, 4, 3});
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.low, 2);
  EXPECT_EQ(spread.high, 4);
  EXPECT_DOUBLE_EQ(spread.relative(), 2.0 / 3);
  EXPECT_EQ(spread_of({7}).relative(), 0);
}

// A call that takes `*ns` nanoseconds of the clock.
std::function<void()> busy_for(const int64_t* ns) {
  return [ns] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(*ns);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
}

TEST(Series, MeasuresWhatACallTakes) {
  const int64_t ns = 20'000;
  std::vector<Series> series;
  series.emplace_back("busy", busy_for(&ns));
  sample(&series, 0.05);
  EXPECT_GE(series[0].spread().low, 20'000);
  EXPECT_GE(series[0].calls_made(), 5);
}

TEST(Series, SaysWhenItIsTooNoisy) {
  int64_t ns = 0;
  int batch = 0;
  Series noisy("noisy", busy_for(&ns), [&] { ns = ++batch % 2 == 0 ? 100'000 : 1'000'000; });
  for (int i = 0; i < 8; ++i) noisy.take_sample();
  EXPECT_NE(noisy.noise().find("noisy: quartiles "), std::string::npos) << noisy.noise();
}

TEST(Series, PreparesEachBatch) {
  int prepared = 0, calls = 0;
  std::vector<Series> series;
  series.emplace_back(
      "counted", [&] { ++calls; }, [&] { ++prepared; });
  sample(&series, 0.01);
  EXPECT_GE(prepared, 5);
  EXPECT_EQ(series[0].calls_made(), calls);
}

TEST(Peak, FusedOrNotEveryAccumulatorGoesToOne) {
  // Twelve accumulators of at least 16 bytes, each ever nearer to 1.
  for (Dtype dtype : {kFloat32, kFloat64}) {
    const double lanes = flops_of_multiply_adds(dtype) / 2 / 4096;
    EXPECT_NEAR(run_multiply_adds(dtype), lanes, 1e-3);
    EXPECT_GE(lanes, 12.0 * 16 / byte_size(dtype));
  }
}

double flops_of(const std::string& expression, std::vector<NamedInput> inputs) {
  const Graph graph = parse_expression(expression, inputs);
  NormalizeContext context;
  context.scalar_values.resize(graph.num_inputs());
  return num_flops(normalize(graph, &context));
}

const Layout* f32(IntArrayRef sizes) { return intern_contiguous(kFloat32, kCPU, sizes); }

TEST(Work, CountsArithmeticByFamily) {
  EXPECT_EQ(flops_of("x * 2 + 1", {{"x", f32({4, 8})}}), 64);
  EXPECT_EQ(flops_of("sum(x, dims=[1])", {{"x", f32({4, 8})}}), 32);
  EXPECT_EQ(flops_of("x @ y", {{"x", f32({4, 8})}, {"y", f32({8, 16})}}), 2 * 4 * 16 * 8);
  EXPECT_EQ(flops_of("relu(linear(x, w, b))",
                     {{"b", f32({16})}, {"w", f32({16, 8})}, {"x", f32({4, 8})}}),
            2 * 4 * 16 * 8 + 4 * 16);
  EXPECT_EQ(flops_of("convolution(x, w, dilation=1, padding=0, stride=1, groups=1)",
                     {{"w", f32({6, 3, 3, 3})}, {"x", f32({1, 3, 8, 8})}}),
            2 * (6 * 6 * 6) * (3 * 3 * 3));
  EXPECT_EQ(flops_of("max_pool2d(x, kernel=2, stride=2, padding=0, dilation=1)",
                     {{"x", f32({1, 1, 4, 4})}}),
            4 * 4);
  EXPECT_EQ(flops_of("permute(x, dims=[1, 0])", {{"x", f32({4, 8})}}), 0);
}

TEST(Work, CountsBytesThatLieInMemory) {
  const NamedInput inputs[] = {{"b", f32({8})},
                               {"x", intern_layout(kFloat32, kCPU, {4, 8}, {0, 1})}};
  const Graph graph = parse_expression("x + b", inputs);
  EXPECT_EQ(bytes_moved(graph), 4 * 8 + 4 * 8 + 4 * 32);
  EXPECT_EQ(num_elements(graph), 32);
}

}  // namespace
}  // namespace frit::tools
