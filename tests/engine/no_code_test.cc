// Plans where there is no machine code: their kernels run block by block, with eager's bits.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frit/frit.h"
#include "src/base/cpu.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

// Pointwise ops, reductions of rows and columns, a broadcast, and a transposed operand.
Tensor several_kernels(const Tensor& x) {
  const Tensor rows = softmax(x * 0.5 + 1, -1);
  const Tensor columns = layer_norm(x.transpose(0, 1), {x.size(0)});
  return relu(rows - x) + columns.transpose(0, 1) * sum(x, {0}) - amax(x, {1}, true);
}

Tensor input(int64_t rows, int64_t columns) {
  return (arange(rows * columns, kFloat32) * 0.37 - 20).reshape({rows, columns}) / 7;
}

int64_t kernels_by(const std::string& writer) {
  const Stats now = stats();
  const auto it = now.writers.find(writer);
  return it == now.writers.end() ? 0 : it->second;
}

// Runs as a plan, checked against eager by the shadow; returns how many kernels became blocks.
int64_t block_kernels_of_a_run(const HotScope& hot) {
  const int64_t before = kernels_by("blocks");
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{3, 5}, {300, 700}, {5, 9000}}) {
    const auto fast = compile(several_kernels);
    const Tensor x = input(rows, columns);
    const std::vector<float> eager = values(several_kernels(x));
    const int64_t entries = hot.plan_entries();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x)), eager) << rows << " x " << columns;
    EXPECT_EQ(hot.plan_entries(), entries + 2);
  }
  return kernels_by("blocks") - before;
}

TEST(NoCode, PlansRunWhereExecutableMemoryIsRefused) {
  HotScope hot;
  base::mutable_flags().no_exec = true;
  EXPECT_GT(block_kernels_of_a_run(hot), 0);
}

TEST(NoCode, PlansRunOnTheBaselineInstructionSet) {
  HotScope hot;
  base::set_isa_cap(Isa::kBaseline);
  EXPECT_GT(block_kernels_of_a_run(hot), 0);
}

TEST(NoCode, IsExplained) {
  HotScope hot;
  base::mutable_flags().no_exec = true;
  const auto fast = compile([](const Tensor& x) { return relu(x * 3); });
  for (int i = 0; i < 3; ++i) fast(input(2, 2));
  const Explanation explanation = explain_region(*fast.region());
  ASSERT_EQ(explanation.plans.size(), 1u);
  const std::string expected =
      base::isa() == Isa::kBaseline
          ? "blocks (native: the processor has no AVX2 (or FRIT_ISA caps it))"
          : "blocks (native: executable memory is refused)";
  EXPECT_EQ(explanation.plans[0].writers, std::vector<std::string>{expected});
  EXPECT_NE(explanation.str().find("by " + expected + ":\nkernel %k0("), std::string::npos)
      << explanation.str();
}

TEST(NoCode, IsTheExceptionWhereMachineCodeRuns) {
  HotScope hot;
  if (base::isa() == Isa::kBaseline || base::flags().no_exec) GTEST_SKIP() << "no machine code";
  EXPECT_EQ(block_kernels_of_a_run(hot), 0);
}

TEST(NoCode, ThreadsShareAPlan) {
  HotScope hot;
  base::mutable_flags().no_exec = true;
  const auto fast = compile(several_kernels);
  const Tensor x = input(300, 700);
  const std::vector<float> eager = values(several_kernels(x));
  for (int i = 0; i < 2; ++i) fast(x);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) EXPECT_EQ(values(fast(x)), eager);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(hot.plan_entries(), 1 + 3 * 5);
}

}  // namespace
}  // namespace frit
