// Eager against the reference: every op over its sweep cases, bits equal (NaN equals NaN), or the
// same kind of error from both.
#include <cstring>
#include <optional>

#include <gtest/gtest.h>

#include "src/base/cpu.h"
#include "src/base/thread_pool.h"
#include "src/eager/dispatch.h"
#include "src/ops/reference/reference.h"
#include "tests/sweep/cases.h"
#include "tests/sweep/compare.h"

namespace frit::sweep {
namespace {

class Sweep : public testing::TestWithParam<int> {
 protected:
  ~Sweep() override {
    base::set_isa_cap(Isa::kAvx512);
    base::set_num_threads(0);
  }
};

void expect_eager_equals_reference(Op op) {
  const std::vector<SweepCase> cases = all_cases(op), again = all_cases(op);
  ASSERT_FALSE(cases.empty());
  int ran = 0, differences = 0;
  for (size_t i = 0; i < cases.size() && differences < 5; ++i) {
    const Outcome eager = run_case(cases[i], &run_eager),
                  reference = run_case(again[i], &reference::run);
    const std::string difference = compare(eager, reference);
    EXPECT_EQ(difference, "") << "case " << i << ": " << cases[i].str();
    differences += difference.empty() ? 0 : 1;
    ran += eager.error.has_value() ? 0 : 1;
  }
  EXPECT_GT(ran, 0) << "every case is an error";
}

TEST(Compare, SeesThatResultsAreMissing) {
  const Outcome whole = run_case(all_cases(Op::relu)[0], &run_eager), nothing;
  ASSERT_EQ(compare(whole, whole), "");
  EXPECT_EQ(compare(whole, nothing), "results differ in number: 1 and 0");
  EXPECT_EQ(compare(nothing, whole), "results differ in number: 0 and 1");
}

TEST_P(Sweep, EagerEqualsTheReference) {
  base::set_num_threads(1);
  expect_eager_equals_reference(static_cast<Op>(GetParam()));
}

TEST_P(Sweep, EagerEqualsTheReferenceOnTwoThreadsAndAvx2) {
  if (base::detected_isa() == Isa::kBaseline) GTEST_SKIP() << "no AVX2 here";
  base::set_isa_cap(Isa::kAvx2);
  base::set_num_threads(2);
  expect_eager_equals_reference(static_cast<Op>(GetParam()));
}

TEST_P(Sweep, EagerEqualsTheReferenceOnTheBaseline) {
  base::set_isa_cap(Isa::kBaseline);
  base::set_num_threads(1);
  expect_eager_equals_reference(static_cast<Op>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Ops, Sweep, testing::Range(0, kNumOps), [](const auto& param) {
  return std::string(name(static_cast<Op>(param.param)));
});

}  // namespace
}  // namespace frit::sweep
