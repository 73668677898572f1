// Whether observing pays.
#include "src/engine/pace.h"

#include <gtest/gtest.h>

namespace frit::engine {
namespace {

constexpr int64_t kShort = 50, kLong = 5000;  // ns an op

// A window of which each path led to nothing.
uint32_t after_barren_window(Pace* pace, int64_t op_ns) {
  bool full = false;
  for (uint32_t op = 0; op < Pace::kWindow; ++op) full = pace->note_ops();
  EXPECT_TRUE(full);
  for (int path = 0; path < 100; ++path) pace->note_path(true);
  return pace->end_window(op_ns);
}

TEST(Pace, SmallOpsThatNothingComesOfGoUnobservedForLongerAndLonger) {
  Pace pace;
  uint32_t before = 0;
  for (int i = 0; i < 6; ++i) {
    const uint32_t quiet = after_barren_window(&pace, kShort);
    EXPECT_EQ(quiet, before == 0 ? Pace::kFirstQuiet : 2 * before);
    before = quiet;
  }
  EXPECT_EQ(after_barren_window(&pace, kShort), before) << "there is a limit";
}

TEST(Pace, LongOpsAreAlwaysObserved) {
  Pace pace;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(after_barren_window(&pace, kLong), 0u);
}

TEST(Pace, PathsThatComeBackAreObserved) {
  Pace pace;
  after_barren_window(&pace, kShort);
  after_barren_window(&pace, kShort);
  for (int path = 0; path < 50; ++path) pace.note_path(path % 2 == 0);
  EXPECT_EQ(pace.end_window(kShort), 0u);
  EXPECT_EQ(after_barren_window(&pace, kShort), Pace::kFirstQuiet) << "it begins anew";
}

TEST(Pace, RunsOfPlansCount) {
  Pace pace;
  for (int path = 0; path < 10; ++path) pace.note_path(true);
  for (int run = 0; run < 10; ++run) pace.note_plan();
  EXPECT_EQ(pace.end_window(kShort), 0u);
}

}  // namespace
}  // namespace frit::engine
