// What the environment may say.
#include "src/base/flags.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/log.h"

namespace frit::base {
namespace {

// What is read where the environment has this variable, and written to stderr then.
testing::AssertionResult with(const char* variable, const char* value, const std::string& error,
                              bool (*look)(const Flags&)) {
  testing::internal::CaptureStderr();
  setenv(variable, value, 1);
  const Flags read = read_flags();
  unsetenv(variable);
  const std::string written = testing::internal::GetCapturedStderr();
  if (!look(read)) return testing::AssertionFailure() << "other flags for " << value;
  if (written.find(error) == written.npos || written.empty() != error.empty())
    return testing::AssertionFailure() << "stderr: " << written;
  return testing::AssertionSuccess();
}

TEST(Flags, LogTakesAListOfCategories) {
  EXPECT_TRUE(with("FRIT_LOG", "guard,compile", "", [](const Flags& f) {
    return f.log.has(LogCategory::guard) && f.log.has(LogCategory::compile) &&
           !f.log.has(LogCategory::trace) && !f.log.has(LogCategory::abort);
  }));
  EXPECT_TRUE(with("FRIT_LOG", "all", "", [](const Flags& f) {
    return f.log.has(LogCategory::trace) && f.log.has(LogCategory::abort);
  }));
}

TEST(Flags, UnknownNamesOfListsAreReportedAndNothingIsTaken) {
  const char* expected = "expected trace,guard,abort,compile,plugin|all; ignored";
  for (const char* value : {"guards", "guard,", ",guard", "guard,,trace", "guard trace", "1", ""})
    EXPECT_TRUE(with("FRIT_LOG", value, expected, [](const Flags& f) {
      return !f.log.has(LogCategory::guard) && !f.log.has(LogCategory::trace);
    })) << value;
  EXPECT_TRUE(with("FRIT_SKIP", "dead", "expected simplify,eliminate_common,fuse; ignored",
                   [](const Flags& f) { return !f.skip.has(Skippable::fuse); }));
}

TEST(Flags, PlansTakesARange) {
  EXPECT_TRUE(with("FRIT_PLANS", "3:5", "", [](const Flags& f) {
    return !f.plans.has(2) && f.plans.has(3) && f.plans.has(5) && !f.plans.has(6);
  }));
  EXPECT_TRUE(with("FRIT_PLANS", "4", "", [](const Flags& f) {
    return !f.plans.has(3) && f.plans.has(4) && !f.plans.has(5);
  }));
  EXPECT_TRUE(with("FRIT_PLANS", ":4", "", [](const Flags& f) {
    return f.plans.has(0) && f.plans.has(4) && !f.plans.has(5);
  }));
  EXPECT_TRUE(with("FRIT_PLANS", "4:", "",
                   [](const Flags& f) { return !f.plans.has(3) && f.plans.has(1 << 30); }));
  for (const char* value : {"", ":", "a", "1:b", "-1:2", "1:2:3"})
    EXPECT_TRUE(with("FRIT_PLANS", value, "expected FIRST:LAST; ignored", [](const Flags& f) {
      return f.plans.has(0) && f.plans.has(1 << 30);
    })) << value;
}

TEST(Flags, AreDescribedWithTheirNames) {
  const std::string text = describe_flags();
  for (const char* line :
       {"FRIT_LOG=trace,guard,abort,compile,plugin|all  ", "FRIT_PROFILE=FILE.json  ",
        "FRIT_SKIP=simplify,eliminate_common,fuse  "})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(Log, ALineIsWrittenWhole) {
  testing::internal::CaptureStderr();
  LogLine("compile").add("ops", 12).add("why", "an op has no lowering");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "compile ops=12 why=an op has no lowering\n");
}

}  // namespace
}  // namespace frit::base
