// Random graphs: a schedule computes what its graph does, bit for bit, interpreted, as machine code
// and block by block.
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/cpu.h"
#include "src/codegen/native_writer.h"
#include "src/runtime/block_writer.h"
#include "tests/schedule/random_graph.h"
#include "tests/schedule/run_schedule.h"

namespace frit {
namespace {

// Empty, or what is wrong with the kernels themselves.
std::string kernel_problem(const Schedule& schedule) {
  for (const ScheduleStep& step : schedule.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (kernel == nullptr) continue;
    const std::string text = kernel->kernel->print(), problem = kernel->kernel->verify();
    if (!problem.empty()) return problem + "\n" + text;
    if (Kernel::parse(text).print() != text) return "does not parse back:\n" + text;
    if (kernel->kernel->num_words() != static_cast<int>(kernel->words.size()))
      return "number of words:\n" + text;
  }
  return {};
}

// Runs the seeds, or the one in FRIT_TEST_SEED, and returns how many could be compared.
int compare_seeds(uint32_t count, Writer* writer) {
  const char* wanted = std::getenv("FRIT_TEST_SEED");
  const uint32_t first = wanted ? static_cast<uint32_t>(std::atoi(wanted)) : 1;
  if (wanted) count = 1;
  int compared = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const auto made = random_case(seed, 3 + static_cast<int>(seed % 40));
    if (!made) continue;
    const Schedule s = schedule(made->core);
    if (!s.refusal.empty()) continue;
    ++compared;
    std::string problem = kernel_problem(s);
    if (problem.empty())
      problem = first_difference(run_schedule(s, made->args, writer), made->expected);
    EXPECT_EQ(problem, "") << "seed " << seed << '\n' << made->core.print() << describe(s);
    if (!problem.empty()) return compared;
  }
  EXPECT_GT(compared * 3, static_cast<int>(count) * 2);
  return compared;
}

TEST(ScheduleOfARandomGraph, ComputesTheSameBitsInterpreted) { compare_seeds(1000, nullptr); }

TEST(ScheduleOfARandomGraph, ComputesTheSameBitsAsMachineCode) {
  const auto writer = codegen::new_native_writer();
  std::string reason;
  const Kernel probe = Kernel::parse(
      "kernel %k(%y: *f32, %s: f32, %n: i64) { loop %i0 = 0 to %n { store %y[%i0], %s } }");
  if (writer->compile(probe, &reason) == nullptr)
    GTEST_SKIP() << "no machine code here: " << reason;
  compare_seeds(1000, writer.get());
}

class ScheduleByBlocks : public testing::TestWithParam<Isa> {};

INSTANTIATE_TEST_SUITE_P(Isas, ScheduleByBlocks,
                         testing::Values(Isa::kBaseline, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(ScheduleByBlocks, ComputesTheSameBits) {
  const Isa before = base::isa();
  if (before < GetParam()) GTEST_SKIP() << "no " << name(GetParam());
  base::set_isa_cap(GetParam());
  const auto writer = runtime::new_block_writer();
  compare_seeds(1000, writer.get());
  base::set_isa_cap(before);
}

}  // namespace
}  // namespace frit
