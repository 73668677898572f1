// Integers that are polynomials in one integer, or in two.
#include "src/engine/polynomials.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace frit::engine {
namespace {

using Numbers = std::vector<int64_t>;

Numbers numbers_at(int64_t t) { return {7, t, 3 * t + 1, t * t * 64, t * t * t - 5 * t, -t}; }

std::vector<Numbers> at_all(const Numbers& points) {
  std::vector<Numbers> values;
  for (int64_t t : points) values.push_back(numbers_at(t));
  return values;
}

TEST(Polynomials, TheValuesElsewhereFollow) {
  const Numbers points = {-3, -2, 4, 87, 4997};
  const auto made = Polynomials::through({points, {0}}, at_all(points));
  ASSERT_TRUE(made.has_value());
  for (int64_t t : {-3, 0, 1, 5, 86, 1000, 100000}) EXPECT_EQ(made->at({t, 0}), numbers_at(t)) << t;
}

TEST(Polynomials, WhatIsNoneOfALowDegreeIsRefused) {
  const Numbers points = {2, 3, 9, 92, 5002};
  const auto refused = [&](auto f) {
    std::vector<Numbers> values;
    for (int64_t t : points) values.push_back({1, f(t)});
    return !Polynomials::through({points, {0}}, values).has_value();
  };
  EXPECT_TRUE(refused([](int64_t t) { return (t + 4095) / 4096; }));
  EXPECT_TRUE(refused([](int64_t t) { return t / 2; }));
  EXPECT_TRUE(refused([](int64_t t) { return (t + 63) / 64 * 64; }));
  EXPECT_TRUE(refused([](int64_t t) { return t * t * t * t; }));
  EXPECT_TRUE(refused([](int64_t t) { return t > 64 ? 1 : 0; }));
  EXPECT_FALSE(refused([](int64_t t) { return t * t; }));
}

Numbers numbers_of_two(int64_t s, int64_t t) {
  return {5, s, 2 * t - 1, s * t * 64, s * t * t + s, s * s * t * t - t, s + t};
}

TEST(Polynomials, OfTwoVariables) {
  const Polynomials::Points points{Numbers{-3, -2, 4, 4997}, Numbers{2, 3, 9, 5002}};
  std::vector<Numbers> values;
  for (int64_t s : points[0])
    for (int64_t t : points[1]) values.push_back(numbers_of_two(s, t));
  const auto made = Polynomials::through(points, values);
  ASSERT_TRUE(made.has_value());
  for (int64_t s : {-3, 0, 1, 5, 1000})
    for (int64_t t : {2, 4, 77, 5000}) EXPECT_EQ(made->at({s, t}), numbers_of_two(s, t));
}

TEST(Polynomials, OfTwoVariablesAreRefusedToo) {
  const Polynomials::Points points{Numbers{2, 3, 9, 5002}, Numbers{2, 3, 9, 5002}};
  const auto refused = [&](auto f) {
    std::vector<Numbers> values;
    for (int64_t s : points[0])
      for (int64_t t : points[1]) values.push_back({1, f(s, t)});
    return !Polynomials::through(points, values).has_value();
  };
  EXPECT_TRUE(refused([](int64_t s, int64_t t) { return s * t / 2; }));
  EXPECT_TRUE(refused([](int64_t s, int64_t t) { return std::max(s, t); }));
  EXPECT_TRUE(refused([](int64_t s, int64_t t) { return s * s * s + t; }));
  EXPECT_FALSE(refused([](int64_t s, int64_t t) { return s * s + t * s; }));
}

}  // namespace
}  // namespace frit::engine
