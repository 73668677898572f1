// The canonical order of reductions, against the order written out.
#include "src/ops/reference/reduce.h"

#include <bit>
#include <random>

#include <gtest/gtest.h>

namespace frit::reference {
namespace {

std::vector<float> numbers(size_t n) {
  std::mt19937 random(7);
  std::vector<float> x(n);
  for (float& v : x) v = static_cast<float>(random()) * 0x1p-20f - 2048;
  return x;
}

// Lane l holds elements l, l + 32, ...; then lanes are joined in halves.
float sum_of_block(const float* x, size_t n) {
  float lanes[32];
  for (size_t l = 0; l < 32; ++l) {
    lanes[l] = -0.0f;
    for (size_t i = l; i < n; i += 32) lanes[l] += x[i];
  }
  for (size_t half : {16, 8, 4, 2, 1})
    for (size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

float sum(const std::vector<float>& x) {
  return fold<SumFold<float>>(static_cast<int64_t>(x.size()),
                              [&](int64_t i) { return x[static_cast<size_t>(i)]; });
}

TEST(Fold, SumsLanesThenHalves) {
  for (size_t n : {1, 31, 32, 33, 1000, 4096}) {
    const std::vector<float> x = numbers(n);
    EXPECT_EQ(sum(x), sum_of_block(x.data(), n)) << n;
  }
}

TEST(Fold, CutsLongRowsIntoBlocks) {
  const std::vector<float> x = numbers(3 * 4096 + 5);
  std::vector<float> partials;
  for (size_t begin = 0; begin < x.size(); begin += 4096)
    partials.push_back(sum_of_block(x.data() + begin, std::min<size_t>(4096, x.size() - begin)));
  EXPECT_EQ(sum(x), sum_of_block(partials.data(), partials.size()));
}

TEST(Fold, CutsBlocksOfBlocks) {
  constexpr int64_t kCount = 4096 * 4097;
  const float ones = fold<SumFold<float>>(kCount, [](int64_t) { return 1.0f; });
  EXPECT_EQ(ones, static_cast<float>(kCount));
}

TEST(Fold, OfNothingOrOfNegativeZerosIsZero) {
  EXPECT_EQ(std::bit_cast<uint32_t>(sum({})), 0u);
  EXPECT_EQ(std::bit_cast<uint32_t>(sum({-0.0f, -0.0f})), 0u);
  EXPECT_EQ(fold<ProdFold<double>>(0, [](int64_t) { return 2.0; }), 1.0);
}

TEST(Fold, LetsNanWinAndKeepsNegativeZero) {
  const float x[] = {1, NAN, 3};
  EXPECT_TRUE(std::isnan(fold<MaxFold<float>>(3, [&](int64_t i) { return x[i]; })));
  EXPECT_TRUE(std::isnan(fold<MinFold<float>>(3, [&](int64_t i) { return x[i]; })));
  EXPECT_TRUE(std::signbit(fold<MaxFold<float>>(2, [](int64_t) { return -0.0f; })));
}

TEST(Fold, WrapsIntegers) {
  EXPECT_EQ(fold<SumFold<int64_t>>(2, [](int64_t) { return INT64_MIN; }), 0);
}

}  // namespace
}  // namespace frit::reference
