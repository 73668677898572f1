// How far the sequences are from the true values: f32 against the C library's double, f64 against
// its 80-bit long double. The largest errors are printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/ops/reference/apply_scalar.h"
#include "tests/ops/math/samples.h"

namespace frit::math {
namespace {

using Reference = long double (*)(long double, long double);

struct Row {
  Op op;
  double f32_ulp, f64_ulp;
  Reference reference;
};

#define FRIT_REFERENCE(expression) \
  [](long double x, [[maybe_unused]] long double y) -> long double { return expression; }
constexpr Row kRows[] = {
    {Op::exp, 1, 1, FRIT_REFERENCE(std::exp(x))},
    {Op::exp2, 1, 1, FRIT_REFERENCE(std::exp2(x))},
    {Op::expm1, 1.5, 1.5, FRIT_REFERENCE(std::expm1(x))},
    {Op::log, 1, 1, FRIT_REFERENCE(std::log(x))},
    {Op::log2, 0.51, 0.51, FRIT_REFERENCE(std::log2(x))},
    {Op::log10, 0.51, 0.51, FRIT_REFERENCE(std::log10(x))},
    {Op::log1p, 1.5, 1.5, FRIT_REFERENCE(std::log1p(x))},
    {Op::sin, 2, 1, FRIT_REFERENCE(std::sin(x))},
    {Op::cos, 2, 1, FRIT_REFERENCE(std::cos(x))},
    {Op::tan, 1.5, 1.5, FRIT_REFERENCE(std::tan(x))},
    {Op::tanh, 2, 1, FRIT_REFERENCE(std::tanh(x))},
    {Op::erf, 2, 2, FRIT_REFERENCE(std::erf(x))},
    {Op::rsqrt, 1.5, 1.5, FRIT_REFERENCE(1 / std::sqrt(x))},
    {Op::atan2, 2, 2, FRIT_REFERENCE(std::atan2(x, y))},
    {Op::pow, 1, 1, FRIT_REFERENCE(std::pow(x, y))},
};
#undef FRIT_REFERENCE

// Distance in units of the last place of the true value; infinite for another class or another sign
// of zero.
template <class T>
double ulp_distance(T got, long double want) {
  using L = std::numeric_limits<T>;
  const T rounded = static_cast<T>(want);
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  if (rounded == 0 && got == 0) return std::signbit(got) == std::signbit(rounded) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) {
    const bool at_the_edge =
        std::fabs(want) > static_cast<long double>(L::max()) * (1 - 2 * L::epsilon());
    return got == rounded || at_the_edge ? 0 : INFINITY;
  }
  int exponent;
  std::frexp(want, &exponent);
  const long double ulp = std::ldexp(1.0L, std::max(exponent, L::min_exponent) - L::digits);
  return static_cast<double>(std::fabs(got - want) / ulp);
}

template <class T>
T element(uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<double>(bits);
}

template <class T>
double worst(const Row& row, Type type, std::string* where) {
  const reference::ScalarFn fn =
      reference::scalar_fn(row.op, type == Type::kF32 ? kFloat32 : kFloat64);
  const int arity = info(row.op).operands;
  const std::vector<uint64_t> operands = samples(type, arity, 300000, 77);
  double largest = 0;
  for (size_t i = 0; i < operands.size(); i += arity) {
    const T x = element<T>(operands[i]), y = element<T>(operands[i + arity - 1]);
    const bool is_root_by_definition = row.op == Op::pow && (std::fabs(y) == T(0.5) || y == 3);
    if (is_root_by_definition)
      continue;  // pow(x, +-0.5) is sqrt, pow(x, 3) is x*x*x, as in PyTorch
    const double d = ulp_distance(element<T>(fn(&operands[i])), row.reference(x, y));
    if (d <= largest) continue;
    largest = d;
    char text[80];
    std::snprintf(text, sizeof text, "%a, %a gives %a", double(x), double(y),
                  double(element<T>(fn(&operands[i]))));
    *where = text;
  }
  return largest;
}

class Accuracy : public testing::TestWithParam<Row> {};

TEST_P(Accuracy, IsWithinTheBound) {
  const Row& row = GetParam();
  std::string at_f32, at_f64;
  const double f32 = worst<float>(row, Type::kF32, &at_f32);
  const double f64 = worst<double>(row, Type::kF64, &at_f64);
  std::printf("%-6s max ulp f32 %.3f f64 %.3f\n", info(row.op).name.data(), f32, f64);
  EXPECT_LE(f32, row.f32_ulp) << at_f32;
  EXPECT_LE(f64, row.f64_ulp) << at_f64;
}

INSTANTIATE_TEST_SUITE_P(Ops, Accuracy, testing::ValuesIn(kRows), [](const auto& test) {
  return std::string(frit::info(test.param.op).name);
});

double f64(Op op, double x) {
  const uint64_t bits = bits_of(x);
  return element<double>(reference::scalar_fn(op, kFloat64)(&bits));
}
float f32(Op op, float x) {
  const uint64_t bits = bits_of(x);
  return element<float>(reference::scalar_fn(op, kFloat32)(&bits));
}

TEST(Logarithms, AreExactAtPowers) {
  for (int n = -149; n < 128; ++n) EXPECT_EQ(f32(Op::log2, std::ldexp(1.0f, n)), n);
  for (int n = -1074; n < 1024; ++n) EXPECT_EQ(f64(Op::log2, std::ldexp(1.0, n)), n);
  for (int n = 0; n <= 10; ++n) EXPECT_EQ(f32(Op::log10, static_cast<float>(std::pow(10.0, n))), n);
  for (int n = 0; n <= 22; ++n) EXPECT_EQ(f64(Op::log10, std::pow(10.0, n)), n);
}

TEST(Exponentials, AreExactAtIntegers) {
  for (int n = -149; n < 128; ++n) EXPECT_EQ(f32(Op::exp2, n), std::ldexp(1.0f, n));
  for (int n = -1074; n < 1024; ++n) EXPECT_EQ(f64(Op::exp2, n), std::ldexp(1.0, n));
}

TEST(Angles, OfAnySizeAreReducedRight) {
  for (double x : {1e6, 1e15, 1e22, 1e100, 1.7e308, 6381956970095103.0 * 0x1p797})
    EXPECT_LE(ulp_distance(f64(Op::sin, x), std::sin(static_cast<long double>(x))), 1) << x;
  for (float x : {131073.0f, 1e6f, 1e20f, 3.4e38f})
    EXPECT_LE(ulp_distance(f32(Op::cos, x), std::cos(static_cast<long double>(x))), 1) << x;
}

}  // namespace
}  // namespace frit::math
