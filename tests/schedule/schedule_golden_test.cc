// Golden files: a core graph in, steps out.
#include <gtest/gtest.h>

#include "src/normalize/verify_assumptions.h"
#include "tests/golden/golden.h"
#include "tests/schedule/run_schedule.h"

namespace frit {
namespace {

class ScheduleGolden : public testing::TestWithParam<std::string> {};

TEST_P(ScheduleGolden, GivesTheSteps) {
  golden::check(GetParam(), "graph", "steps", [](const std::string& text) {
    const Graph graph = Graph::parse(text);
    EXPECT_EQ(graph.verify(true), "");
    return describe(schedule(graph));
  });
}

TEST_P(ScheduleGolden, NormalizesByNotedFactsOnly) {
  const golden::File file = golden::read(GetParam());
  ASSERT_NE(file.find("graph"), nullptr);
  const Graph graph = Graph::parse(*file.find("graph"));
  for (const Denormals denormals : {Denormals::kKept, Denormals::kZero}) {
    NormalizeContext context;
    context.scalar_values.resize(static_cast<size_t>(graph.num_inputs()));
    context.denormals = denormals;
    const Graph core = normalize(graph, &context);
    EXPECT_EQ(verify_assumptions(graph, normalize_passes(), context, core), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ScheduleGolden,
                         testing::ValuesIn(golden::files("tests/schedule/golden")),
                         [](const auto& info) { return golden::test_name(info.param); });

}  // namespace
}  // namespace frit
