// What PyTorch's rules say at the edges: signed zeros, NaN, ties, division, powers, casts.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "src/ops/math/integer.h"
#include "src/ops/math/record.h"
#include "src/ops/reference/apply_scalar.h"
#include "tests/ops/math/samples.h"

namespace frit::math {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

float f32(Op op, float a, float b = 0) {
  const uint64_t operands[] = {bits_of(a), bits_of(b)};
  return std::bit_cast<float>(static_cast<uint32_t>(reference::scalar_fn(op, kFloat32)(operands)));
}

// The same bits, where a NaN is any NaN.
void expect_same(float got, float want) {
  if (std::isnan(want))
    EXPECT_TRUE(std::isnan(got)) << got;
  else
    EXPECT_EQ(bits_of(got), bits_of(want)) << got << " is not " << want;
}

TEST(Maximum, TakesNanFromEitherSideAndTheFirstOfATie) {
  expect_same(f32(Op::maximum, kNan, 1), kNan);
  expect_same(f32(Op::maximum, 1, kNan), kNan);
  expect_same(f32(Op::maximum, -0.0f, 0.0f), -0.0f);
  expect_same(f32(Op::maximum, 0.0f, -0.0f), 0.0f);
  expect_same(f32(Op::minimum, 0.0f, -0.0f), 0.0f);
  expect_same(f32(Op::minimum, 1, kNan), kNan);
}

TEST(Fmax, IgnoresNan) {
  expect_same(f32(Op::fmax, kNan, 1), 1);
  expect_same(f32(Op::fmax, 1, kNan), 1);
  expect_same(f32(Op::fmin, kNan, kNan), kNan);
}

TEST(Relu, KeepsNegativeZeroAndNan) {
  expect_same(f32(Op::relu, -0.0f), -0.0f);
  expect_same(f32(Op::relu, kNan), kNan);
  expect_same(f32(Op::relu, -2), 0.0f);
}

TEST(Sign, OfZerosAndNanIsZero) {
  expect_same(f32(Op::sign, -0.0f), 0.0f);
  expect_same(f32(Op::sign, kNan), 0.0f);
  expect_same(f32(Op::sign, -kInf), -1.0f);
}

TEST(OddFunctions, KeepNegativeZero) {
  for (Op op :
       {Op::sin, Op::tan, Op::tanh, Op::erf, Op::expm1, Op::log1p, Op::sqrt, Op::round, Op::ceil})
    expect_same(f32(op, -0.0f), -0.0f);
}

TEST(InverseFunctions, AreNanOutsideOfTheirDomain) {
  for (Op op : {Op::asin, Op::acos, Op::atanh, Op::erfinv}) {
    expect_same(f32(op, 1.5f), kNan);
    expect_same(f32(op, -kInf), kNan);
  }
  expect_same(f32(Op::acosh, 0.5f), kNan);
  expect_same(f32(Op::acosh, -kInf), kNan);
  expect_same(f32(Op::atanh, -1), -kInf);
  expect_same(f32(Op::erfinv, 1), kInf);
  expect_same(f32(Op::atan, -kInf), -0x1.921fb6p0f);
}

TEST(GammaFunctions, HaveTheirPoles) {
  expect_same(f32(Op::lgamma, 0), kInf);
  expect_same(f32(Op::lgamma, -3), kInf);
  expect_same(f32(Op::lgamma, -kInf), kInf);
  expect_same(f32(Op::lgamma, 1), 0);
  expect_same(f32(Op::digamma, 0.0f), -kInf);
  expect_same(f32(Op::digamma, -0.0f), kInf);
  expect_same(f32(Op::digamma, -2), kNan);
}

TEST(ProductsWithLogarithms, AreZeroWhereTheFactorIs) {
  expect_same(f32(Op::xlogy, 0, 0), 0);
  expect_same(f32(Op::xlogy, 0, kInf), 0);
  expect_same(f32(Op::xlogy, 0, kNan), kNan);
  expect_same(f32(Op::xlog1py, 0, -1), 0);
  expect_same(f32(Op::entr, 0), 0);
  expect_same(f32(Op::entr, -1), -kInf);
}

TEST(Hypot, IsInfiniteBesideNan) {
  expect_same(f32(Op::hypot, -kInf, kNan), kInf);
  expect_same(f32(Op::hypot, 3e30f, 4e30f), 5e30f);
}

TEST(Signbit, SeesNegativeZeroAndNan) {
  const auto signbit = [](float x) {
    const uint64_t bits = bits_of(x);
    return reference::scalar_fn(Op::signbit, kFloat32)(&bits);
  };
  EXPECT_EQ(signbit(-0.0f), 1u);
  EXPECT_EQ(signbit(-kNan), 1u);
  EXPECT_EQ(signbit(0.0f), 0u);
}

uint64_t shift(Op op, Dtype dtype, int64_t x, int64_t count) {
  const uint64_t operands[] = {static_cast<uint64_t>(x), static_cast<uint64_t>(count)};
  return reference::scalar_fn(op, dtype)(operands);
}

TEST(Shifts, LeaveNothingBeyondTheWidth) {
  for (int64_t count : {int64_t{-1}, int64_t{64}, int64_t{1} << 40, INT64_MIN}) {
    EXPECT_EQ(shift(Op::bitwise_left_shift, kInt64, 1, count), 0u);
    EXPECT_EQ(shift(Op::bitwise_right_shift, kInt64, -7, count), ~uint64_t{0});
    EXPECT_EQ(shift(Op::bitwise_right_shift, kInt64, 7, count), 0u);
  }
  for (int count = 0; count < 64; ++count) {
    EXPECT_EQ(shift(Op::bitwise_left_shift, kInt64, -7, count), uint64_t(-7) << count);
    EXPECT_EQ(shift(Op::bitwise_right_shift, kInt64, -7, count), uint64_t(int64_t{-7} >> count));
  }
}

TEST(Shifts, OfSmallIntegersDropBits) {
  EXPECT_EQ(shift(Op::bitwise_left_shift, kInt8, 3, 7), 0x80u);
  EXPECT_EQ(shift(Op::bitwise_left_shift, kInt8, 1, 8), 0u);
  EXPECT_EQ(shift(Op::bitwise_left_shift, kUInt8, 3, 7), 0x80u);
  EXPECT_EQ(shift(Op::bitwise_right_shift, kInt8, 0x80, 9), 0xffu);
  EXPECT_EQ(shift(Op::bitwise_right_shift, kUInt8, 0x80, 7), 1u);
}

TEST(FloorDivide, FollowsTheFmodAlgorithm) {
  expect_same(f32(Op::floor_divide, 1, 0.1f), 9);
  expect_same(f32(Op::floor_divide, -7, 2), -4);
  expect_same(f32(Op::floor_divide, -1, kInf), -1);
  expect_same(f32(Op::floor_divide, 1, 0), kInf);
  expect_same(f32(Op::floor_divide, -0.0f, 3), -0.0f);
}

TEST(Remainder, HasTheSignOfTheDivisor) {
  expect_same(f32(Op::remainder, -1, kInf), kInf);
  expect_same(f32(Op::remainder, -7, 3), 2);
  expect_same(f32(Op::fmod, -7, 3), -1);
  expect_same(f32(Op::fmod, -3, 3), -0.0f);
  expect_same(f32(Op::fmod, 1, 0), kNan);
  expect_same(f32(Op::fmod, 5, kInf), 5);
}

TEST(Fmod, IsExactForHugeQuotients) {
  for (float a : {1e30f, 3.4e38f, 16777217.0f})
    for (float b : {3.0f, 1e-30f, 7.5f}) expect_same(f32(Op::fmod, a, b), std::fmod(a, b));
}

TEST(Pow, OfTheEdges) {
  expect_same(f32(Op::pow, kNan, 0), 1);
  expect_same(f32(Op::pow, 1, kNan), 1);
  expect_same(f32(Op::pow, -1, kInf), 1);
  expect_same(f32(Op::pow, -8, 1.0f / 3), kNan);
  expect_same(f32(Op::pow, -2, 5), -32);
  expect_same(f32(Op::pow, -0.0f, -3), -kInf);
  expect_same(f32(Op::pow, -kInf, 5), -kInf);
  expect_same(f32(Op::pow, 0, -0.7f), kInf);
  expect_same(f32(Op::pow, kInf, -1), 0);
  expect_same(f32(Op::pow, 1.1f, 2), 1.1f * 1.1f);
}

TEST(IntegerDivision, FloorsAndWraps) {
  EXPECT_EQ(floor_divide<int32_t>(-7, 2), -4);
  EXPECT_EQ(floor_divide<int8_t>(-128, -1), -128);
  EXPECT_EQ(trunc_divide<int32_t>(-7, 2), -3);
  EXPECT_EQ(trunc_divide<int8_t>(-128, -1), -128);
  EXPECT_EQ(remainder<int64_t>(-7, 3), 2);
  EXPECT_EQ(fmod<int64_t>(-7, 3), -1);
  EXPECT_EQ(floor_divide<uint8_t>(200, 7), 28);
  EXPECT_EQ(floor_divide<int32_t>(5, 0), 0);
}

// An op on every pair of samples, as instructions and by the plain function.
template <class T>
void expect_lanes_as_numbers(Op op, Type type, T (*plain)(T, T)) {
  Program p;
  const int32_t ids[] = {p.input(type, 0), p.input(type, 1)};
  p.outputs = {*record(p, op, ids)};
  const std::vector<uint64_t> pairs = samples(type, 2, 20000, 11);
  for (size_t i = 0; i < pairs.size(); i += 2) {
    const T a = static_cast<T>(pairs[i]), b = static_cast<T>(pairs[i + 1]);
    const T got = static_cast<T>(interpret(p, std::span(&pairs[i], 2))[0]);
    ASSERT_EQ(got, plain(a, b)) << name(op) << "(" << a << ", " << b << ")";
  }
}

TEST(IntegerDivision, InLanesIsThatOfNumbers) {
  expect_lanes_as_numbers<int32_t>(Op::floor_divide, Type::kI32, floor_divide);
  expect_lanes_as_numbers<int32_t>(Op::trunc_divide, Type::kI32, trunc_divide);
  expect_lanes_as_numbers<int32_t>(Op::fmod, Type::kI32, fmod);
  expect_lanes_as_numbers<int32_t>(Op::remainder, Type::kI32, remainder);
  expect_lanes_as_numbers<int32_t>(Op::pow, Type::kI32, pow);
  expect_lanes_as_numbers<int64_t>(Op::floor_divide, Type::kI64, floor_divide);
  expect_lanes_as_numbers<int64_t>(Op::trunc_divide, Type::kI64, trunc_divide);
  expect_lanes_as_numbers<int64_t>(Op::fmod, Type::kI64, fmod);
  expect_lanes_as_numbers<int64_t>(Op::remainder, Type::kI64, remainder);
  expect_lanes_as_numbers<int64_t>(Op::pow, Type::kI64, pow);
}

// Quotients next to an integer, of dividends around the largest that doubles hold exactly.
TEST(IntegerDivision, OfLargeDividendsIsExact) {
  Program p;
  const int32_t ids[] = {p.input(Type::kI64, 0), p.input(Type::kI64, 1)};
  p.outputs = {*record(p, Op::floor_divide, ids)};
  for (int64_t near : {int64_t{1} << 52, int64_t{1} << 53, int64_t{1} << 54, int64_t{1} << 62}) {
    for (int64_t divisor : {int64_t{3}, int64_t{5}, int64_t{-7}, int64_t{641}, int64_t{1} << 20,
                            (int64_t{1} << 26) + 1, (int64_t{1} << 53) - 1, (int64_t{1} << 53) + 1,
                            -(int64_t{1} << 53) - 1}) {
      const int64_t multiple = near / divisor * divisor;
      for (int64_t a : {near, -near, near - 1, 1 - near, multiple - 1, multiple, multiple + 1,
                        -multiple - 1, -multiple + 1}) {
        const uint64_t operands[] = {static_cast<uint64_t>(a), static_cast<uint64_t>(divisor)};
        for (int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
          std::fesetround(mode);
          const uint64_t quotient = interpret(p, operands)[0];
          std::fesetround(FE_TONEAREST);
          EXPECT_EQ(static_cast<int64_t>(quotient), floor_divide(a, divisor))
              << a << " " << divisor << " " << mode;
        }
      }
    }
  }
}

TEST(IntegerPow, WrapsAndVanishesForNegativeExponents) {
  EXPECT_EQ(pow<int32_t>(-3, 3), -27);
  EXPECT_EQ(pow<int8_t>(2, 7), -128);
  EXPECT_EQ(pow<int64_t>(-1, -3), -1);
  EXPECT_EQ(pow<int64_t>(2, -1), 0);
}

uint64_t cast(Type from, Type to, uint64_t bits) {
  Program p;
  p.outputs = {record_cast(p, p.input(from, 0), to)};
  return interpret(p, std::span(&bits, 1))[0];
}

TEST(RecordCast, TruncatesAndGivesTheSmallestForWhatDoesNotFit) {
  EXPECT_EQ(cast(Type::kF32, Type::kI32, bits_of(-2.7f)), bits_of(int32_t{-2}));
  EXPECT_EQ(cast(Type::kF32, Type::kI32, bits_of(3e9f)), 0x80000000u);
  EXPECT_EQ(cast(Type::kF64, Type::kI64, bits_of(std::nan(""))), uint64_t{1} << 63);
  EXPECT_EQ(cast(Type::kI64, Type::kI32, 0x1234567890), 0x34567890u);
  EXPECT_EQ(cast(Type::kI64, Type::kF32, (uint64_t{1} << 54) + (1 << 30) + 1),
            bits_of(0x1p54f + 0x1p31f));
}

TEST(RecordCast, OfNumbersToMasksIsNotZero) {
  EXPECT_EQ(cast(Type::kF32, Type::kM32, bits_of(-0.0f)), 0u);
  EXPECT_EQ(cast(Type::kF32, Type::kM64, bits_of(kNan)), ~uint64_t{0});
  EXPECT_EQ(cast(Type::kM64, Type::kF32, ~uint64_t{0}), bits_of(1.0f));
}

TEST(Program, SharesEqualInstructionsAndPrints) {
  Program p;
  const int32_t x = p.input(Type::kF32, 0);
  const int32_t ids[] = {x};
  const int32_t y = *record(p, Op::relu, ids);
  EXPECT_EQ(y, *record(p, Op::relu, ids));
  p.outputs = {y};
  EXPECT_EQ(p.print(),
            "%0: f32 = input 0\n%1: f32 = const 0x0\n%2: f32 = max_gt %1, %0\nreturn %2\n");
}

TEST(Record, HasNothingForOpsWithoutMeaning) {
  Program p;
  const int32_t i[] = {p.input(Type::kI32, 0)};
  const int32_t b[] = {p.input(Type::kM32, 1), p.input(Type::kM32, 2)};
  EXPECT_FALSE(record(p, Op::exp, i));
  EXPECT_FALSE(record(p, Op::sub, b));
  EXPECT_FALSE(record(p, Op::sum, i));
}

}  // namespace
}  // namespace frit::math
