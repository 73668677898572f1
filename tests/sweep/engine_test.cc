// Every op over its sweep cases, called through the engine between other ops: what a plan gives has
// the bits that eager gives, whether the op's operands and results are externals, pending, alive or
// dead.
#include <gtest/gtest.h>

#include "frit/compile.h"
#include "src/base/flags.h"
#include "src/eager/dispatch.h"
#include "src/ops/divisor.h"
#include "src/ops/index_range.h"
#include "src/tensor/observer.h"
#include "tests/sweep/cases.h"
#include "tests/sweep/compare.h"

namespace frit::sweep {
namespace {

// What stands around the op, and what of it is alive at the boundary.
enum class Program : uint8_t {
  kOpThenUse,      // op on externals; its results and what is made of them are alive
  kPrepareOpUse,   // op on values just made; only what is made of its results is alive
  kPrepareOpKeep,  // op on values just made, which stay alive beside its results
};

// x * 1, or its like for integers: a value of the same bits, made by an op.
Tensor same_again(const Tensor& t) {
  if (t.dtype() == kBool) return call(Op::logical_or, {t, t});
  if (is_floating_point(t.dtype())) return call(Op::mul, {t, Scalar(1)});
  return call(Op::bitwise_or, {t, Scalar(0)});
}

// Another handle of the same memory, as a program has one that makes a view of it.
Tensor fresh_handle(const Tensor& t) {
  return new_view(t.impl()->layout, t.impl()->storage, t.impl()->offset);
}

std::vector<Tensor> run_program(const SweepCase& c, Program program) {
  std::vector<Tensor> tensors, kept;
  for (const Tensor& t : c.tensors) tensors.push_back(t.defined() ? fresh_handle(t) : Tensor());
  if (program != Program::kOpThenUse)
    for (Tensor& t : tensors)
      if (t.defined()) t = same_again(t);
  std::vector<Operand> operands;
  for (size_t i = 0; i < tensors.size(); ++i)
    operands.push_back(tensors[i].defined() ? Operand(tensors[i]) : Operand(c.scalars[i]));
  Tensor results[kMaxResults];
  dispatch({c.op, operands, c.attrs}, results);
  const int count = info(c.op).results;
  if (count == 0) results[0] = tensors[0];
  for (int i = 0; i < std::max(count, 1); ++i) {
    kept.push_back(same_again(results[i]));
    if (program != Program::kPrepareOpUse) kept.push_back(results[i]);
  }
  if (program == Program::kPrepareOpKeep)
    for (const Tensor& t : tensors)
      if (t.defined()) kept.push_back(t);
  return kept;
}

Outcome outcome_of(const SweepCase& c, Program program) {
  Outcome outcome;
  try {
    outcome.results = run_program(c, program);
    // A read by the host: the boundary where the path ends.
    for (const Tensor& t : outcome.results) t.const_data_ptr();
  } catch (const Error& error) {
    outcome.error = error.kind();
    outcome.error_text = error.what();
  }
  return outcome;
}

class EngineSweep : public testing::TestWithParam<int> {
 protected:
  EngineSweep() : saved_(base::flags()) {
    base::mutable_flags().hot = 1;
    base::mutable_flags().verify = true;
    set_jit_mode("on");
  }
  ~EngineSweep() override { base::mutable_flags() = saved_; }

  void expect_equal_to_eager(Program program);

 private:
  base::Flags saved_;
};

constexpr int kRuns = 4;

// Calls that no plan takes in, so that only the ops around them are a plan's: those that make
// something of nothing, or whose result's size or error depends on elements.
bool runs_at_its_call(const SweepCase& c, Program program) {
  // An index that an op has made is not known before the plan has run.
  if (goes_by_indices(c.op)) return program != Program::kOpThenUse;
  if (minds_second_operand(c.op)) {
    const std::vector<Operand> operands = c.operands();
    return !second_operand_is_fine({c.op, operands, c.attrs});
  }
  return c.op == Op::nonzero || c.tensors.empty();
}

// Empty, or what is wrong with who ran the ops of the last run.
std::string wrong_runner(const SweepCase& c, Program program, const Stats& before,
                         const Stats& after) {
  if (after.plan_entries == before.plan_entries) return "no plan ran";
  if (c.op == Op::store) return "";  // waits for its plan or not, as its operands overlap
  const bool all_in_plans = after.eager_ops == before.eager_ops;
  if (all_in_plans == runs_at_its_call(c, program))
    return all_in_plans ? "ran in a plan" : "ran eagerly";
  return "";
}

// The first difference from eager in any of the runs; the last one must be a plan's.
std::string first_difference(const std::vector<SweepCase>* copies, size_t index, Program program) {
  set_jit_mode("off");
  const Outcome eager = outcome_of(copies[0][index], program);
  set_jit_mode("on");
  Stats before;
  for (int run = 1; run <= kRuns; ++run) {
    before = stats();
    const std::string found = compare(eager, outcome_of(copies[run][index], program));
    if (!found.empty()) return "run " + std::to_string(run) + ": " + found;
  }
  return eager.error ? "" : wrong_runner(copies[0][index], program, before, stats());
}

void EngineSweep::expect_equal_to_eager(Program program) {
  const Op op = static_cast<Op>(GetParam());
  std::vector<SweepCase> copies[kRuns + 1];
  for (auto& copy : copies) copy = sweep_cases(op);
  int differences = 0;
  for (size_t i = 0; i < copies[0].size() && differences < 5; ++i) {
    const std::string found = first_difference(copies, i, program);
    EXPECT_EQ(found, "") << "case " << i << ": " << copies[0][i].str();
    differences += found.empty() ? 0 : 1;
    trim();
  }
}

TEST_P(EngineSweep, PlansOfTheOpAndItsUseEqualEager) { expect_equal_to_eager(Program::kOpThenUse); }

TEST_P(EngineSweep, PlansWithOpsBeforeItEqualEager) {
  expect_equal_to_eager(Program::kPrepareOpUse);
}

TEST_P(EngineSweep, PlansThatKeepEveryValueEqualEager) {
  expect_equal_to_eager(Program::kPrepareOpKeep);
}

INSTANTIATE_TEST_SUITE_P(Ops, EngineSweep, testing::Range(0, kNumOps), [](const auto& param) {
  return std::string(name(static_cast<Op>(param.param)));
});

}  // namespace
}  // namespace frit::sweep
