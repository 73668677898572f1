// Whether observing pays.
#include "src/engine/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace frit::engine {
namespace {

constexpr int64_t kShort = 50, kLong = 5000;  // ns an op

// A window of which each path led to nothing.
uint32_t after_barren_window(Pace* pace, int64_t op_ns) {
  for (int path = 0; path < 100; ++path) pace->note_path(true);
  bool full = false;
  for (uint32_t op = 0; op < Pace::kWindow; ++op) full = pace->note_ops();
  EXPECT_TRUE(full);
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

// Notes ops and, after each `length` of them, the end of a path, until the window is full.
uint32_t ops_of_window(Pace* pace, uint32_t length, const std::vector<bool>& barren) {
  uint32_t ops = 0;
  for (bool full = false; !full;) {
    full = pace->note_ops();
    if (++ops % length == 0 && ops / length <= barren.size())
      pace->note_path(barren[ops / length - 1]);
  }
  return ops;
}

TEST(Pace, LongPathsThatComeBackAreWaitedFor) {
  for (uint32_t length : {20, 100, 512}) {
    Pace pace;
    std::vector<bool> barren(Pace::kFewestPaths, false);
    std::fill_n(barren.begin(), Pace::kFewestPaths / 2, true);
    EXPECT_GE(ops_of_window(&pace, length, barren), Pace::kFewestPaths * length);
    EXPECT_EQ(pace.end_window(kShort), 0u) << length;
  }
}

TEST(Pace, LongPathsThatDoNotComeBackGoUnobservedForAsMuchLonger) {
  Pace pace;
  const uint32_t ops = ops_of_window(&pace, 400, std::vector<bool>(100, true));
  EXPECT_LE(ops, Pace::kFewestPaths * 400 + Pace::kWindow);
  EXPECT_GE(pace.end_window(kShort), 3 * ops);
}

TEST(Pace, OpsWithoutAnyPathAreNotWaitedForForEver) {
  Pace pace;
  EXPECT_EQ(ops_of_window(&pace, 1, {}), Pace::kLongestWindow);
}

}  // namespace
}  // namespace frit::engine
