// Transforms against the sums that define them, computed in long double.
#include "src/fft/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace frit::fourier {
namespace {

using Wide = std::complex<long double>;

template <class T>
std::vector<T> random_numbers(int64_t n) {
  std::mt19937 generator(static_cast<uint32_t>(n));
  std::normal_distribution<double> normal;
  std::vector<T> numbers(static_cast<size_t>(n));
  for (T& number : numbers) number = static_cast<T>(normal(generator));
  return numbers;
}

template <class T>
std::vector<Wide> defined(const std::vector<T>& pairs, Direction direction) {
  const int64_t n = static_cast<int64_t>(pairs.size()) / 2;
  const long double sign = direction == Direction::kForward ? -1 : 1;
  std::vector<Wide> sums(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k)
    for (int64_t j = 0; j < n; ++j) {
      const long double angle = sign * 2 * std::numbers::pi_v<long double> *
                                static_cast<long double>(j * k % n) / static_cast<long double>(n);
      const size_t at = static_cast<size_t>(2 * j);
      sums[static_cast<size_t>(k)] +=
          Wide(pairs[at], pairs[at + 1]) * Wide(std::cos(angle), std::sin(angle));
    }
  return sums;
}

// The largest error of a part, in units of eps * log2(n) * the root of the mean square.
template <class T>
double error_of(const std::vector<T>& pairs, const std::vector<Wide>& sums) {
  long double worst = 0, squares = 0;
  for (size_t k = 0; k < pairs.size() / 2; ++k) {
    worst = std::max(worst, std::abs(pairs[2 * k] - sums[k].real()));
    worst = std::max(worst, std::abs(pairs[2 * k + 1] - sums[k].imag()));
    squares += std::norm(sums[k]);
  }
  const long double n = static_cast<long double>(sums.size());
  return static_cast<double>(
      worst / (std::numeric_limits<T>::epsilon() * std::log2(n + 1) * std::sqrt(squares / n)));
}

template <class T>
class Transform : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Transform, Types);

// 53 and 2 * 53 are the shortest that are computed by a convolution.
constexpr int64_t kLengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 30, 47, 53, 64, 105, 106, 211, 256};

TYPED_TEST(Transform, OfPairsIsTheSumThatDefinesIt) {
  for (const int64_t n : kLengths)
    for (const Direction direction : {Direction::kForward, Direction::kInverse}) {
      const std::vector<TypeParam> x = random_numbers<TypeParam>(2 * n);
      std::vector<TypeParam> out(x.size());
      transform(x.data(), out.data(), n, direction);
      EXPECT_LE(error_of(out, defined(x, direction)), 3) << n;
    }
}

TYPED_TEST(Transform, OfRealNumbersIsHalfOfThatOfPairs) {
  for (const int64_t n : kLengths) {
    const std::vector<TypeParam> x = random_numbers<TypeParam>(n);
    std::vector<TypeParam> pairs, out(static_cast<size_t>(2 * (n / 2 + 1)));
    for (const TypeParam number : x) pairs.insert(pairs.end(), {number, 0});
    transform_real(x.data(), out.data(), n);
    std::vector<Wide> sums = defined(pairs, Direction::kForward);
    sums.resize(out.size() / 2);
    EXPECT_LE(error_of(out, sums), 3) << n;
    EXPECT_EQ(out[1], 0) << n;
  }
}

TYPED_TEST(Transform, OfRealNumbersComesBack) {
  for (const int64_t n : kLengths) {
    const std::vector<TypeParam> x = random_numbers<TypeParam>(n);
    std::vector<TypeParam> pairs(static_cast<size_t>(2 * (n / 2 + 1))), back(x.size());
    transform_real(x.data(), pairs.data(), n);
    inverse_real(pairs.data(), back.data(), n);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(back[i] / static_cast<TypeParam>(n), x[i],
                  20 * std::numeric_limits<TypeParam>::epsilon())
          << n;
  }
}

TYPED_TEST(Transform, InverseDoesNotReadImaginaryPartsOfTheEnds) {
  const std::vector<TypeParam> clean{1, 0, 2, 3, 4, 0}, odd{1, NAN, 2, 3, 4, NAN};
  std::vector<TypeParam> a(4), b(4);
  inverse_real(clean.data(), a.data(), 4);
  inverse_real(odd.data(), b.data(), 4);
  EXPECT_EQ(a, b);
}

TYPED_TEST(Transform, TakesLinesAtAnyAddress) {
  const std::vector<TypeParam> x = random_numbers<TypeParam>(2 * 60 + 1);
  std::vector<TypeParam> shifted(x.begin() + 1, x.end()), a(120), b(121);
  transform(shifted.data(), a.data(), 60, Direction::kForward);
  transform(x.data() + 1, b.data() + 1, 60, Direction::kForward);
  EXPECT_EQ(a, std::vector<TypeParam>(b.begin() + 1, b.end()));
}

}  // namespace
}  // namespace frit::fourier
