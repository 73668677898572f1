// Golden files: a core graph in, steps out.
#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(Files, ScheduleGolden,
                         testing::ValuesIn(golden::files("tests/schedule/golden")),
                         [](const auto& info) { return golden::test_name(info.param); });

}  // namespace
}  // namespace frit
