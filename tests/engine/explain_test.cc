// What is said about plans: where they were left and why, as data, logs and profiles; and the
// switches that bisect.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

template <class F>
PlanExit last_exit(const Compiled<F>& fast) {
  const Explanation explanation = explain_region(*fast.region());
  for (const PlanReport& plan : explanation.plans)
    if (plan.last_exit.step >= 0) return plan.last_exit;
  return {};
}

// Runs fn until it is hot, then once with what makes it leave its plan.
template <class F>
PlanExit exit_of(const Compiled<F>& fast, bool expects_exit = true) {
  for (int i = 0; i < 4; ++i) fast(false);
  EXPECT_EQ(last_exit(fast).step, -1);
  fast(true);
  const PlanExit exit = last_exit(fast);
  EXPECT_EQ(exit.step >= 0, expects_exit);
  return exit;
}

TEST(PlanExit, NamesTheCallThatCameInstead) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  const PlanExit exit = exit_of(compile([&](bool other) {
    const Tensor y = x * 2;
    return other ? y - x : y + x;
  }));
  EXPECT_EQ(exit.step, 1);
  EXPECT_EQ(exit.reason, "other_op");
  EXPECT_EQ(exit.str(), "step 1: expected add(v0, x0), got sub(v0, x0): another op than expected");
}

TEST(PlanExit, NamesTheOperandThatCameInstead) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f}), w = tensor({3.0f, 4.0f});
  const PlanExit known = exit_of(compile([&](bool other) { return (x * w) + (other ? w : x); }));
  EXPECT_EQ(known.str(),
            "step 1: expected add(v0, x0), got add(v0, x1): an operand is not the expected value");
  const Tensor stranger = tensor({5.0f, 6.0f});
  const PlanExit unknown =
      exit_of(compile([&](bool other) { return (x * w) + (other ? stranger : x); }));
  EXPECT_EQ(unknown.actual, "add(v0, f32[2])");
}

TEST(PlanExit, NamesTheLayoutThatAGuardRefused) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f}), w = tensor({3.0f, 4.0f}), wide = w.to(kFloat64);
  const PlanExit exit = exit_of(compile([&](bool other) { return (x * 2) + (other ? wide : w); }));
  EXPECT_EQ(exit.reason, "other_layout");
  EXPECT_EQ(exit.subject, "x1");
  EXPECT_EQ(exit.expected, "f32[2]");
  EXPECT_EQ(exit.actual, "f64[2]");
}

TEST(PlanExit, NamesMemoryThatTheHostMayWriteTo) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f}), w = tensor({3.0f, 4.0f});
  const auto fast = compile([&](bool) { return (x * 2) + w; });
  for (int i = 0; i < 4; ++i) fast(false);
  w.data_ptr<float>()[0] = 5;
  EXPECT_EQ(values(fast(true)), (std::vector<float>{7, 8}));
  const PlanExit exit = last_exit(fast);
  EXPECT_EQ(exit.subject, "x1");
  EXPECT_EQ(exit.actual, "memory that the host may write to");
}

TEST(PlanExit, SaysThatTheTraceEndedEarly) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  const PlanExit exit = exit_of(compile([&](bool other) {
    const Tensor y = x * 2;
    return other ? y : y + 1;
  }));
  EXPECT_EQ(exit.reason, "early_end");
  EXPECT_EQ(exit.expected, "add(v0, 1)");
  EXPECT_EQ(exit.actual, "the end: a compiled function returned");
}

TEST(PlanExit, IsPartOfTheExplanation) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  const auto fast = compile([&](bool other) { return other ? (x * 2) - x : (x * 2) + x; });
  exit_of(fast);
  const Explanation explanation = explain_region(*fast.region());
  EXPECT_NE(explanation.str().find("left last at step 1: expected add(v0, x0), got sub(v0, x0)"),
            std::string::npos)
      << explanation.str();
  const std::string json = explanation.json();
  for (const char* part :
       {R"json("last_exit":{"step":1,"reason":"other_op","call":"add(v0, x0)")json",
        R"json("exit_reason":"other_layout","dtype":"f32","sizes":[2])json",
        R"json({"kind":"environment","subject":"environment","meaning":"MXCSR)json",
        "\"kernels\":[\""})
    EXPECT_NE(json.find(part), std::string::npos) << part << " is not in " << json;
}

TEST(PlanForm, NamesTheFactsItRestsOn) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  const auto fast = compile([&](double exponent) { return pow(x, exponent); });
  // A plan for 4, another one that takes the exponent as an argument, and one for 3.
  for (const double exponent : {4.0, 3.0}) fast(exponent);
  const Explanation explanation = explain_region(*fast.region());
  std::vector<std::string> facts;
  for (const PlanReport& plan : explanation.plans) {
    if (plan.forms[0].facts.empty()) continue;
    facts = plan.forms[0].facts;
    EXPECT_NE(to_string(plan.guards).find("s0 == 4.0\n"), std::string::npos);
  }
  EXPECT_EQ(facts, (std::vector<std::string>{"s0 == 4.0: expand_composites, pow"}));
  EXPECT_NE(explanation.str().find("facts:\n  s0 == 4.0: expand_composites, pow\n"),
            std::string::npos)
      << explanation.str();
}

TEST(PlanForm, RestsOnTheModeOfDenormalsWhereThatDecides) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  const Explanation explanation = explain([&] { return relu(x * 1) + 1; })();
  ASSERT_EQ(explanation.plans.size(), 1u);
  EXPECT_EQ(explanation.plans[0].forms[0].facts,
            (std::vector<std::string>{"denormals are kept: simplify, mul"}));
  EXPECT_NE(explanation.json().find(R"json("facts":["denormals are kept: simplify, mul"])json"),
            std::string::npos);
}

class Log : public testing::Test {
 protected:
  // What fn writes to stderr while the category is logged.
  template <class Fn>
  std::string of(base::LogCategory category, Fn fn) {
    base::mutable_flags().log = {};
    base::mutable_flags().log.add(category);
    testing::internal::CaptureStderr();
    fn();
    base::mutable_flags().log = {};
    return testing::internal::GetCapturedStderr();
  }
  HotScope hot_;
  Tensor x_ = tensor({1.0f, 2.0f});
};

TEST_F(Log, GuardShowsExpectedAndActualScalars) {
  double term = 1.5;
  const auto fast = compile([&] { return (x_ * 2) + term; });
  for (int i = 0; i < 4; ++i) fast();
  term = 2.5;
  const std::string text = of(base::LogCategory::guard, [&] { fast(); });
  EXPECT_NE(text.find("reason=other_scalar call=add(v0, 1.5) subject=s1 expected=1.5 actual=2.5\n"),
            std::string::npos)
      << text;
}

TEST_F(Log, TraceShowsRecordings) {
  const auto fast = compile([&] { return (x_ * 2) + 1; });
  EXPECT_EQ(of(base::LogCategory::trace, [&] { fast(); }),
            "recording first=mul(f32[2], 2)\nrecorded ops=2 result=agrees\n");
}

TEST_F(Log, CompileShowsPlans) {
  const auto fast = compile([&] { return (x_ * 2) + 1; });
  const std::string text = of(base::LogCategory::compile, [&] { fast(); });
  EXPECT_TRUE(text.starts_with("compile plan=")) << text;
  EXPECT_NE(text.find(" ops=2 kernels=1 resized=no us="), std::string::npos) << text;
}

TEST_F(Log, AbortSaysWhyNothingWasCompiled) {
  register_backend("refuses", [](const BackendInput&) { return CompiledGraph(); });
  const auto fast = compile([&] { return (x_ * 2) + 1; }, {.backend = "refuses"});
  EXPECT_EQ(of(base::LogCategory::abort, [&] { fast(); }),
            "abort ops=2 reason=backend_refused why=the backend refused the graph\n");
}

TEST(Profile, HoldsOpsPlansKernelsCompilesAndExits) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  start_profile();
  exit_of(compile([&](bool other) { return other ? (x * 2) - x : (x * 2) + x; }));
  stop_profile();
  const std::string path = testing::TempDir() + "/profile.json";
  write_profile(path);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  for (const char* part :
       {R"json("name":"mul","cat":"op","ph":"X")json",
        R"json("args":{"call":"mul(f32[2], 2)"})json", R"json("cat":"plan","ph":"X")json",
        R"json("name":"y[i] = x[i]*2 + x[i]","cat":"kernel","ph":"X")json",
        R"json("cat":"compile","ph":"X")json",
        R"json("name":"exit: other_op","cat":"exit","ph":"i")json",
        R"json("expected":"add(v0, x0)","actual":"sub(v0, x0)")json"})
    EXPECT_NE(text.str().find(part), std::string::npos) << part << " is not in " << text.str();
}

TEST(Bisect, PlansThatAreLeftOutAreReplayed) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  const auto fast = compile([&] { return (x * 2) + 1; });
  base::mutable_flags().plans = {1, 0};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(values(fast()), (std::vector<float>{3, 5}));
  EXPECT_EQ(hot.plan_entries(), 0);
  EXPECT_EQ(hot.plans(), 1);
  base::mutable_flags().plans = {};
  EXPECT_EQ(values(fast()), (std::vector<float>{3, 5}));
  EXPECT_EQ(hot.plan_entries(), 1);
  EXPECT_EQ(hot.exits(), 0);
}

TEST(Bisect, WithoutFusionEachOpHasAKernel) {
  HotScope hot;
  const Tensor x = tensor({1.0f, -2.0f});
  const auto chain = [&] { return relu((x * 2) + 1); };
  base::mutable_flags().skip.add(base::Skippable::fuse);
  const Explanation apart = explain(chain)();
  base::mutable_flags().skip = {};
  const Explanation fused = explain(chain)();
  ASSERT_EQ(apart.plans.size(), 1u);
  ASSERT_EQ(fused.plans.size(), 1u);
  EXPECT_EQ(apart.plans[0].forms[0].kernels.size(), 3u);
  EXPECT_EQ(fused.plans[0].forms[0].kernels.size(), 1u);
}

TEST(Bisect, APassThatIsLeftOutChangesNothing) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  base::mutable_flags().skip.add(base::Skippable::eliminate_common);
  const Explanation explanation = explain([&] { return exp(x) + exp(x); })();
  ASSERT_EQ(explanation.plans.size(), 1u);
  const std::string& graph = explanation.plans[0].forms[0].normalized;
  EXPECT_NE(graph.find("exp"), graph.rfind("exp")) << graph;
}

}  // namespace
}  // namespace frit
