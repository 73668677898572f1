// Factors against what they must multiply to, over sizes with and without Eigen's blocks.
#include "src/linalg/linalg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace frit::dense {
namespace {

template <class T>
struct Rows {
  int64_t rows, cols;
  std::vector<T> elements = std::vector<T>(static_cast<size_t>(rows * cols));

  T& at(int64_t i, int64_t j) { return elements[static_cast<size_t>(i * cols + j)]; }
  T at(int64_t i, int64_t j) const { return elements[static_cast<size_t>(i * cols + j)]; }
};

template <class T>
Rows<T> random_matrix(int64_t rows, int64_t cols) {
  std::mt19937 generator(static_cast<uint32_t>(rows * 100 + cols));
  std::normal_distribution<double> normal;
  Rows<T> m{rows, cols};
  for (T& element : m.elements) element = static_cast<T>(normal(generator));
  return m;
}

template <class T>
Rows<T> transposed(const Rows<T>& a) {
  Rows<T> t{a.cols, a.rows};
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.cols; ++j) t.at(j, i) = a.at(i, j);
  return t;
}

template <class T>
Rows<T> times(const Rows<T>& a, const Rows<T>& b) {
  Rows<T> product{a.rows, b.cols};
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.cols; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < a.cols; ++k) sum += double{a.at(i, k)} * double{b.at(k, j)};
      product.at(i, j) = static_cast<T>(sum);
    }
  return product;
}

template <class T>
Rows<T> identity(int64_t n) {
  Rows<T> one{n, n};
  for (int64_t i = 0; i < n; ++i) one.at(i, i) = 1;
  return one;
}

// The largest difference, in units of eps * n.
template <class T>
double difference(const Rows<T>& a, const Rows<T>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.elements.size(); ++i)
    worst = std::max(worst, std::abs(double{a.elements[i]} - double{b.elements[i]}));
  return worst / (std::numeric_limits<T>::epsilon() * static_cast<double>(a.rows));
}

template <class T>
class Factors : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Factors, Types);

constexpr int64_t kSizes[] = {1, 2, 7, 20, 60};

TYPED_TEST(Factors, OfQrMultiplyToTheMatrix) {
  for (const int64_t n : kSizes)
    for (const int64_t cols : {n, n / 2 + 1}) {
      const Rows<TypeParam> a = random_matrix<TypeParam>(n, cols);
      Rows<TypeParam> q{n, n}, r{n, cols};
      factor_qr(a.elements.data(), n, cols, n, q.elements.data(), r.elements.data());
      EXPECT_LE(difference(times(q, r), a), 10) << n;
      EXPECT_LE(difference(times(transposed(q), q), identity<TypeParam>(n)), 5) << n;
    }
}

TYPED_TEST(Factors, OfSingularValuesMultiplyToTheMatrix) {
  for (const int64_t n : kSizes) {
    const int64_t cols = n / 2 + 1;
    const Rows<TypeParam> a = random_matrix<TypeParam>(n, cols);
    Rows<TypeParam> u{n, n}, s{1, std::min(n, cols)}, vh{cols, cols}, middle{n, cols};
    ASSERT_TRUE(factor_svd(a.elements.data(), n, cols, true, u.elements.data(), s.elements.data(),
                           vh.elements.data()));
    for (int64_t i = 0; i < s.cols; ++i) middle.at(i, i) = s.at(0, i);
    EXPECT_LE(difference(times(times(u, middle), vh), a), 20) << n;
    EXPECT_LE(difference(times(transposed(u), u), identity<TypeParam>(n)), 10) << n;
    EXPECT_TRUE(std::is_sorted(s.elements.rbegin(), s.elements.rend()));
  }
}

TYPED_TEST(Factors, OfEigenvaluesMultiplyToTheMatrix) {
  for (const int64_t n : kSizes) {
    const Rows<TypeParam> half = random_matrix<TypeParam>(n, n), other = transposed(half);
    Rows<TypeParam> a{n, n}, values{1, n}, v{n, n}, scaled{n, n};
    for (size_t i = 0; i < a.elements.size(); ++i)
      a.elements[i] = half.elements[i] + other.elements[i];
    ASSERT_TRUE(
        factor_symmetric(a.elements.data(), n, false, values.elements.data(), v.elements.data()));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) scaled.at(i, j) = v.at(i, j) * values.at(0, j);
    EXPECT_LE(difference(times(scaled, transposed(v)), a), 40) << n;
  }
}

TYPED_TEST(Factors, SolveEquations) {
  for (const int64_t n : kSizes) {
    Rows<TypeParam> a = random_matrix<TypeParam>(n, n);
    for (int64_t i = 0; i < n; ++i) a.at(i, i) += static_cast<TypeParam>(2 * n);
    const Rows<TypeParam> b = random_matrix<TypeParam>(n, 3);
    Rows<TypeParam> x{n, 3};
    ASSERT_EQ(solve(a.elements.data(), b.elements.data(), n, int64_t{3}, x.elements.data()), 0);
    EXPECT_LE(difference(times(a, x), b), 10) << n;
  }
}

TYPED_TEST(Factors, DependOnNoAddress) {
  const Rows<TypeParam> a = random_matrix<TypeParam>(33, 33);
  std::vector<TypeParam> shifted(a.elements.size() + 1), x(a.elements.size()), y(x);
  std::copy(a.elements.begin(), a.elements.end(), shifted.begin() + 1);
  ASSERT_EQ(invert(a.elements.data(), 33, x.data()), 0);
  ASSERT_EQ(invert(shifted.data() + 1, 33, y.data()), 0);
  EXPECT_EQ(x, y);
}

TYPED_TEST(Factors, SayWhereTheyFail) {
  const std::vector<TypeParam> ones{1, 1, 1, 1}, negative{4, 2, 2, -1};
  std::vector<TypeParam> out(4);
  EXPECT_EQ(invert(ones.data(), 2, out.data()), 2);
  EXPECT_EQ(factor_cholesky(negative.data(), 2, false, out.data()), 2);
}

}  // namespace
}  // namespace frit::dense
