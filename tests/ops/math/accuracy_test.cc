// How far the sequences are from the true values: f32 against the C library's double, f64 against
// its 80-bit long double. The largest errors are printed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "src/ops/reference/apply_scalar.h"
#include "tests/ops/math/accuracy_rows.h"
#include "tests/ops/math/samples.h"

namespace frit::math {
namespace {

template <class T>
T element(uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<double>(bits);
}

template <class T>
double worst(const AccuracyRow& row, Type type, std::string* where) {
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
    const long double want = sizeof(T) == 4 ? row.single(x, y) : row.wide(x, y);
    const double d = ulp_distance(element<T>(fn(&operands[i])), want, row.scale);
    if (d <= largest) continue;
    largest = d;
    char text[80];
    std::snprintf(text, sizeof text, "%a, %a gives %a", double(x), double(y),
                  double(element<T>(fn(&operands[i]))));
    *where = text;
  }
  return largest;
}

class Accuracy : public testing::TestWithParam<AccuracyRow> {};

TEST_P(Accuracy, IsWithinTheBound) {
  const AccuracyRow& row = GetParam();
  std::string at_f32, at_f64;
  const double f32 = worst<float>(row, Type::kF32, &at_f32);
  const double f64 = worst<double>(row, Type::kF64, &at_f64);
  std::printf("%-6s max ulp f32 %.3f f64 %.3f\n", info(row.op).name.data(), f32, f64);
  EXPECT_LE(f32, row.f32_ulp) << at_f32;
  EXPECT_LE(f64, row.f64_ulp) << at_f64;
}

INSTANTIATE_TEST_SUITE_P(Ops, Accuracy, testing::ValuesIn(kAccuracyRows), [](const auto& test) {
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
