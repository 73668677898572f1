// Random graphs: what normalize makes of them rests on noted facts only, and computes the same bits
// for other values of the scalars that are not noted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "src/normalize/verify_assumptions.h"
#include "tests/schedule/random_graph.h"
#include "tests/schedule/run_schedule.h"

namespace frit {
namespace {

bool is_free(const RandomCase& made, Graph::ValueId v) {
  const auto& facts = made.context.assumptions;
  return made.captured.is_scalar(v) &&
         std::none_of(facts.begin(), facts.end(), [&](const Assumption& fact) {
           return fact.fact == Fact::kScalar && fact.scalar_input == v;
         });
}

// Nothing where the graph cannot be run, as for a division of integers by zero.
std::optional<std::vector<Tensor>> run(const Graph& graph, const std::vector<GraphArg>& args) {
  try {
    return interpret(graph, args);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Empty, or how the two graphs differ for a turn's values of the free scalars.
std::string values_problem(const RandomCase& made, int turn) {
  std::vector<GraphArg> args = made.args;
  for (Graph::ValueId v = 0; v < made.captured.num_inputs(); ++v)
    if (is_free(made, v))
      args[static_cast<size_t>(v)] = other_value(made.captured.scalar_kind(v), turn + v);
  const auto captured = run(made.captured, args), core = run(made.core, args);
  // An error of data is raised at its call; that a graph leaves a dead op out that has one is
  // right.
  if (!captured) return "";
  return core ? first_difference(*core, *captured) : "only the normalized graph throws";
}

TEST(NormalizeOfARandomGraph, RestsOnNotedFactsOnly) {
  const char* wanted = std::getenv("FRIT_TEST_SEED");
  const uint32_t first = wanted ? static_cast<uint32_t>(std::atoi(wanted)) : 1;
  const uint32_t count = wanted ? 1 : 500;
  int with_free_scalars = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const auto made = random_case(seed, 3 + static_cast<int>(seed % 40));
    if (!made) continue;
    std::string problem =
        verify_assumptions(made->captured, normalize_passes(), made->context, made->core);
    bool any = false;
    for (Graph::ValueId v = 0; v < made->captured.num_inputs(); ++v) any |= is_free(*made, v);
    with_free_scalars += any;
    for (int turn = 0; any && problem.empty() && turn < kNumValueTurns; turn += 4)
      problem = values_problem(*made, turn + static_cast<int>(seed % 4));
    ASSERT_EQ(problem, "") << "seed " << seed << '\n'
                           << made->captured.print() << made->core.print();
  }
  if (!wanted) {
    EXPECT_GT(with_free_scalars, 150);
  }
}

}  // namespace
}  // namespace frit
