// How the sizes of two traces differ.
#include "src/engine/axes.h"

#include <gtest/gtest.h>

namespace frit::engine {
namespace {

using Numbers = std::vector<int64_t>;

TEST(Axes, WhatChangesTogetherIsOne) {
  // A batch, a length, one more than that, twice that, and what stays.
  const Numbers a = {2, 10, 11, 20, 7}, b = {3, 17, 18, 34, 7};
  const auto axes = Axes::independent(a, b);
  ASSERT_TRUE(axes.has_value());
  ASSERT_EQ(axes->count(), 2);
  const auto steps = axes->steps(a, b);
  ASSERT_TRUE(steps.has_value());
  const Place place = {4, 5};
  Numbers there;
  for (size_t i = 0; i < a.size(); ++i) there.push_back(axes->number_at(a[i], (*steps)[i], place));
  EXPECT_EQ(there, (Numbers{6, 15, 16, 30, 7}));
}

TEST(Axes, AProductOfBothIsOnBoth) {
  const Numbers a = {2 * 10 * 8, 10, 2}, b = {3 * 17 * 8, 17, 3};
  const auto axes = Axes::independent(a, b);
  ASSERT_TRUE(axes.has_value());
  const auto step = axes->step(a[0], b[0]);
  ASSERT_TRUE(step.has_value());
  const auto batch = axes->step(2, 3);
  const Place place = batch->axis == 0 ? Place{4, 5} : Place{5, 4};
  EXPECT_EQ(axes->number_at(a[0], *step, place), 6 * 15 * 8);
  EXPECT_EQ(axes->number_at(a[0], *step, {int64_t{1} << 40, int64_t{1} << 40}), -1);
}

TEST(Axes, MoreThanTwoAreOnlyALine) {
  const Numbers a = {2, 10, 100}, b = {3, 17, 111};
  EXPECT_FALSE(Axes::independent(a, b).has_value());
  const auto line = Axes::line(a, b);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->step(100, 111)->size, 11);
}

TEST(Axes, NumbersThatShrinkTogetherAreOne) {
  const auto line = Axes::line(Numbers{20, 10}, Numbers{14, 7});
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->number_at(20, *line->step(20, 14), {-1, 0}), 18) << "they grow";
  EXPECT_EQ(line->number_at(20, *line->step(20, 14), {-3, 0}), 14);
  EXPECT_FALSE(Axes::line(Numbers{20, 10}, Numbers{14, 17}).has_value());
}

TEST(Axes, NothingChangesOrIsTooLarge) {
  const int64_t end = int64_t{1} << 62;
  EXPECT_FALSE(Axes::line(Numbers{3}, Numbers{3}).has_value());
  EXPECT_FALSE(Axes::line(Numbers{3}, Numbers{end}).has_value());
  EXPECT_FALSE(Axes::independent(Numbers{3, 4, end}, Numbers{5, 8, 7}).has_value());
}

}  // namespace
}  // namespace frit::engine
