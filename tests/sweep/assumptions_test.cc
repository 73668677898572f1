// Every op over its sweep cases, its numbers as arguments: what normalize makes of it rests on
// noted facts only, and computes what the op does for other values of the numbers that are not
// noted.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/normalize/verify_assumptions.h"
#include "src/ops/op.h"
#include "tests/sweep/one_node_graph.h"

namespace frit::sweep {
namespace {

// A graph of user ops, and what normalize made of it.
struct Normalized {
  Graph graph, core;
  NormalizeContext context;
};

Normalized normalized_case(const SweepCase& c, Denormals denormals) {
  Normalized made;
  made.graph = one_node_graph(c, Scalars::kArguments);
  made.context.denormals = denormals;
  for (const GraphArg& arg : graph_args(c, Scalars::kArguments))
    made.context.scalar_values.push_back(arg.scalar);
  made.core = normalize(made.graph, &made.context);
  return made;
}

bool is_free(const Normalized& made, Graph::ValueId v) {
  const auto& facts = made.context.assumptions;
  return made.graph.is_scalar(v) && std::none_of(facts.begin(), facts.end(), [&](const auto& fact) {
           return fact.fact == Fact::kScalar && fact.scalar_input == v;
         });
}

// The arguments with other numbers where nothing is assumed of them. Empty: there are none.
std::vector<GraphArg> other_args(const SweepCase& c, const Normalized& made, int turn) {
  std::vector<GraphArg> args = graph_args(c, Scalars::kArguments);
  bool any = false;
  for (Graph::ValueId v = 0; v < made.graph.num_inputs(); ++v) {
    if (!is_free(made, v)) continue;
    args[static_cast<size_t>(v)] = other_value(made.graph.scalar_kind(v), turn + v);
    any = true;
  }
  return any ? args : std::vector<GraphArg>();
}

// Empty, or what differs for other values of free numbers. `turn`: which values come first.
std::string values_problem(const SweepCase& c, const Normalized& made, int turn, int* compared) {
  constexpr int kTurns = 3;
  if (made.graph.outputs().empty()) return "";
  for (int i = 0; i < kTurns; ++i) {
    const std::vector<GraphArg> args = other_args(c, made, turn + i * kNumValueTurns / kTurns);
    if (args.empty()) return "";
    const std::string found = compare(outcome_of(c, [&] { return interpret(made.graph, args); }),
                                      outcome_of(c, [&] { return interpret(made.core, args); }));
    ++*compared;
    if (!found.empty()) return "turn " + std::to_string(turn + i) + ": " + found;
  }
  return "";
}

std::string problem_of(const SweepCase& c, int turn, int* compared) {
  for (const Denormals denormals : {Denormals::kKept, Denormals::kZero}) {
    Normalized made;
    try {
      made = normalized_case(c, denormals);
    } catch (const Error&) {
      return "";  // of the call itself: that it is one is shown elsewhere
    }
    std::string found = verify_assumptions(made.graph, normalize_passes(), made.context, made.core);
    if (found.empty() && denormals == Denormals::kKept)
      found = values_problem(c, made, turn, compared);
    if (!found.empty()) return found + '\n' + made.graph.print() + made.core.print();
  }
  return "";
}

class AssumptionsOfAnOp : public testing::TestWithParam<int> {};

TEST_P(AssumptionsOfAnOp, AreAllThatItsFormRestsOn) {
  const std::vector<SweepCase> cases = sweep_cases(static_cast<Op>(GetParam()));
  int differences = 0, compared = 0;
  for (size_t i = 0; i < cases.size() && differences < 5; ++i) {
    const std::string found = problem_of(cases[i], static_cast<int>(i), &compared);
    EXPECT_EQ(found, "") << "case " << i << ": " << cases[i].str();
    differences += found.empty() ? 0 : 1;
  }
  // Those that surely take numbers were run with others.
  if (info(static_cast<Op>(GetParam())).family == Family::kBinary) {
    EXPECT_GT(compared, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, AssumptionsOfAnOp, testing::Range(0, kNumOps), [](const auto& param) {
  return std::string(name(static_cast<Op>(param.param)));
});

}  // namespace
}  // namespace frit::sweep
