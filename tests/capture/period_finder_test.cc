// The period of a stream of tokens, and where it is cut.
#include "src/capture/period_finder.h"

#include <gtest/gtest.h>

#include <functional>

namespace frit::capture {
namespace {

// Pushes `count` tokens; gives the positions that were cut before.
std::vector<uint32_t> cuts(PeriodFinder* finder, int count,
                           const std::function<uint32_t(uint32_t)>& token) {
  std::vector<uint32_t> found;
  for (int i = 0; i < count; ++i) {
    finder->push(token(finder->size()), 4, nullptr, 0);
    if (finder->cut()) found.push_back(finder->size());
  }
  return found;
}

uint32_t scrambled(uint32_t i) { return (i * 2654435761u) >> 29; }

TEST(PeriodFinder, CutsALongPeriodOnceARound) {
  for (uint32_t period : {40u, 333u, 700u, 4096u}) {
    PeriodFinder finder;
    const auto found = cuts(&finder, static_cast<int>(6 * period + 100),
                            [&](uint32_t i) { return scrambled(i % period); });
    ASSERT_GE(found.size(), 2u) << period;
    EXPECT_LE(found[0], 5 * period + 100) << period;
    for (size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i] - found[i - 1], period);
  }
}

TEST(PeriodFinder, CutsAShortPeriodOnceInSeveralRounds) {
  for (uint32_t period : {1u, 2u, 3u, 7u, 31u}) {
    PeriodFinder finder;
    const auto found = cuts(&finder, 600, [&](uint32_t i) { return scrambled(i % period); });
    ASSERT_GE(found.size(), 3u) << period;
    const uint32_t step = found[1] - found[0];
    EXPECT_EQ(step % period, 0u);
    EXPECT_GE(step, 32u);
    EXPECT_LT(step, 32u + period);
  }
}

TEST(PeriodFinder, FindsNoneInAStreamThatDoesNotRepeat) {
  PeriodFinder finder;
  EXPECT_TRUE(cuts(&finder, 20000, [](uint32_t i) { return i * 2654435761u; }).empty());
}

TEST(PeriodFinder, StopsCuttingWhenTheLoopEndsAndFindsTheNext) {
  PeriodFinder finder;
  EXPECT_FALSE(cuts(&finder, 300, [](uint32_t i) { return i % 5; }).empty());
  EXPECT_TRUE(cuts(&finder, 60, [](uint32_t i) { return 1000 + i * 7919; }).empty());
  EXPECT_FALSE(cuts(&finder, 300, [](uint32_t i) { return 50 + i % 9; }).empty());
}

TEST(PeriodFinder, CutsWhereTheFewestBytesAreAlive) {
  PeriodFinder finder;
  std::vector<uint32_t> found;
  // Of ten ops a round, the third's result is taken by the ninth: between them much is alive.
  for (uint32_t i = 0; i < 800; ++i) {
    const uint32_t distances[] = {1, 6};
    const uint32_t number = i % 10;
    finder.push(number, number == 2 ? 1000 : 4, distances, number == 8 ? 2 : 1);
    if (finder.cut()) found.push_back(finder.size() % 10);
  }
  ASSERT_FALSE(found.empty());
  for (uint32_t at : found) EXPECT_TRUE(at <= 2 || at == 9) << at;
}

TEST(PeriodFinder, ForgetsAtAReset) {
  PeriodFinder finder;
  cuts(&finder, 300, [](uint32_t i) { return i % 5; });
  finder.reset();
  EXPECT_EQ(finder.size(), 0u);
  EXPECT_TRUE(cuts(&finder, 12, [](uint32_t i) { return i % 5; }).empty());
}

}  // namespace
}  // namespace frit::capture
