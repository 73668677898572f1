// Block kernels: lengths, broadcasts, in place, narrow dtypes and casts. That all levels compute
// the same is tests/ops/math's.
#include "src/eager/blocks/blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace frit::eager {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<Isa> levels() {
  std::vector<Isa> all;
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512})
    if (isa <= base::detected_isa()) all.push_back(isa);
  return all;
}

UnaryBlock unary(Isa isa, Op op, Dtype dtype) {
  return block_table(isa).unary[static_cast<int>(op)][static_cast<int>(dtype)];
}
BinaryBlock binary(Isa isa, Op op, Dtype dtype) {
  return block_table(isa).binary[static_cast<int>(op)][static_cast<int>(dtype)];
}

template <class To, class From>
std::vector<To> cast_all(Isa isa, const std::vector<From>& values) {
  std::vector<To> out(values.size());
  block_table(isa).cast[static_cast<int>(dtype_of<From>)][static_cast<int>(dtype_of<To>)](
      values.data(), out.data(), values.size());
  return out;
}

std::vector<uint16_t> bits(const std::vector<Half>& v) {
  std::vector<uint16_t> b;
  for (Half h : v) b.push_back(h.bits);
  return b;
}
std::vector<uint16_t> bits(const std::vector<BFloat16>& v) {
  std::vector<uint16_t> b;
  for (BFloat16 h : v) b.push_back(h.bits);
  return b;
}

class Blocks : public testing::TestWithParam<Isa> {};

TEST_P(Blocks, TouchExactlyTheirElementsAtEveryLength) {
  const BinaryBlock add = binary(GetParam(), Op::add, kFloat32);
  for (int n = 0; n <= 70; ++n) {
    std::vector<float> a(n), b(n), out(n + 2, -1);
    for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
    add(a.data(), b.data(), out.data() + 1, n, 0);
    EXPECT_EQ(out.front(), -1);
    EXPECT_EQ(out.back(), -1);
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[i + 1], 3 * i) << n;
  }
}

TEST_P(Blocks, BroadcastEitherOperand) {
  const BinaryBlock sub = binary(GetParam(), Op::sub, kInt64);
  std::vector<int64_t> a(37), out(37);
  for (int i = 0; i < 37; ++i) a[i] = i;
  const int64_t one = 100;
  sub(&one, a.data(), out.data(), 37, kBroadcast0);
  for (int i = 0; i < 37; ++i) EXPECT_EQ(out[i], 100 - i);
  sub(a.data(), &one, out.data(), 37, kBroadcast1);
  for (int i = 0; i < 37; ++i) EXPECT_EQ(out[i], i - 100);
}

TEST_P(Blocks, MayWriteOverAnOperand) {
  std::vector<double> x(50, 2.0);
  binary(GetParam(), Op::mul, kFloat64)(x.data(), x.data(), x.data(), 50, 0);
  EXPECT_EQ(x, std::vector<double>(50, 4.0));
  std::vector<BFloat16> h(600, BFloat16{0x4000});
  binary(GetParam(), Op::mul, kBFloat16)(h.data(), h.data(), h.data(), 600, 0);
  EXPECT_EQ(bits(h), std::vector<uint16_t>(600, 0x4080));
}

TEST_P(Blocks, MayStandUnaligned) {
  std::vector<char> memory(4 * 40 + 4);
  float* x = reinterpret_cast<float*>(memory.data() + 4);
  for (int i = 0; i < 40; ++i) x[i] = -static_cast<float>(i);
  unary(GetParam(), Op::abs, kFloat32)(x, x, 40);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(x[i], i);
}

TEST_P(Blocks, CompareIntoBytesOfZeroAndOne) {
  for (int n : {1, 2, 3, 17, 64}) {
    std::vector<double> a(n), b(n, 1.0);
    for (int i = 0; i < n; ++i) a[i] = i;
    std::vector<char> out(n + 1, 7);
    binary(GetParam(), Op::lt, kFloat64)(a.data(), b.data(), out.data(), n, 0);
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], i < 1);
    EXPECT_EQ(out[n], 7);
  }
}

TEST_P(Blocks, OfSmallIntegersWrap) {
  const std::vector<uint8_t> a = {250, 3, 0, 255}, b = {10, 5, 1, 255};
  std::vector<uint8_t> out(4);
  binary(GetParam(), Op::add, kUInt8)(a.data(), b.data(), out.data(), 4, 0);
  EXPECT_EQ(out, (std::vector<uint8_t>{4, 8, 1, 254}));
  binary(GetParam(), Op::sub, kUInt8)(a.data(), b.data(), out.data(), 4, 0);
  EXPECT_EQ(out, (std::vector<uint8_t>{240, 254, 255, 0}));
  const std::vector<int8_t> c = {-128, 127, -1, 5};
  std::vector<int8_t> negated(4);
  unary(GetParam(), Op::neg, kInt8)(c.data(), negated.data(), 4);
  EXPECT_EQ(negated, (std::vector<int8_t>{-128, -127, 1, -5}));
}

TEST_P(Blocks, OfHalvesRoundOnce) {
  const std::vector<Half> a = {{0x3c00}, {0x7bff}, {0x0001}}, b = {{0x1000}, {0x7bff}, {0x0001}};
  std::vector<Half> out(3);
  binary(GetParam(), Op::add, kFloat16)(a.data(), b.data(), out.data(), 3, 0);
  EXPECT_EQ(bits(out), (std::vector<uint16_t>{0x3c00, 0x7c00, 0x0002}));
}

TEST_P(Blocks, ChooseWithoutLookingAtTheOther) {
  const bool condition[] = {true, false, true};
  const float a[] = {1, kNan, -0.0f}, b = 5;
  float out[3];
  block_table(GetParam())
      .ternary[static_cast<int>(Op::where)][static_cast<int>(kFloat32)](condition, a, &b, out, 3,
                                                                        kBroadcast2);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 5);
  EXPECT_TRUE(out[2] == 0 && std::signbit(out[2]));
}

TEST_P(Blocks, CastFloatsToIntegersByTruncatingAndWrapping) {
  const std::vector<float> x = {2.7f, -2.7f, 300, -1, kNan, 3e9f, -0.0f};
  EXPECT_EQ((cast_all<int32_t>(GetParam(), x)),
            (std::vector<int32_t>{2, -2, 300, -1, INT32_MIN, INT32_MIN, 0}));
  EXPECT_EQ((cast_all<int64_t>(GetParam(), x)),
            (std::vector<int64_t>{2, -2, 300, -1, INT64_MIN, 3000000000, 0}));
  EXPECT_EQ((cast_all<uint8_t>(GetParam(), x)), (std::vector<uint8_t>{2, 254, 44, 255, 0, 0, 0}));
}

TEST_P(Blocks, CastToBoolIsNotZero) {
  EXPECT_EQ((cast_all<uint8_t>(GetParam(), std::vector<uint8_t>{0, 2})),
            (std::vector<uint8_t>{0, 2}));
  const std::vector<double> x = {kNan, -0.0, 0.1, kInf, 0};
  bool out[5];
  block_table(GetParam())
      .cast[static_cast<int>(kFloat64)][static_cast<int>(kBool)](x.data(), out, 5);
  const bool expected[] = {true, false, true, true, false};
  EXPECT_EQ(std::memcmp(out, expected, 5), 0);
}

TEST_P(Blocks, CastToHalvesRoundsToEvenAndFromF64Twice) {
  const std::vector<double> x = {1 + 0x1p-11 + 0x1p-30, 65519.999, 65520, 0x1p-25, 0x1.8p-24, -0.0};
  EXPECT_EQ(bits(cast_all<Half>(GetParam(), x)),
            (std::vector<uint16_t>{0x3c00, 0x7c00, 0x7c00, 0x0000, 0x0002, 0x8000}));
  const std::vector<float> y = {1 + 0x1p-8f, 1 + 0x1.8p-8f, 3.4e38f, kInf};
  EXPECT_EQ(bits(cast_all<BFloat16>(GetParam(), y)),
            (std::vector<uint16_t>{0x3f80, 0x3f81, 0x7f80, 0x7f80}));
}

TEST_P(Blocks, CastEveryHalfToF32AndBack) {
  std::vector<Half> all(65536);
  for (int i = 0; i < 65536; ++i) all[i].bits = static_cast<uint16_t>(i);
  const std::vector<float> wide = cast_all<float>(GetParam(), all);
  const std::vector<Half> back = cast_all<Half>(GetParam(), wide);
  for (int i = 0; i < 65536; ++i) {
    const bool nan = (i & 0x7fff) > 0x7c00;
    const float expected = (i & 0x7fff) == 0x7c00 ? kInf
                           : (i & 0x7c00) == 0
                               ? (i & 0x3ff) * 0x1p-24f
                               : std::ldexp(1024.0f + (i & 0x3ff), (i >> 10 & 31) - 25);
    EXPECT_EQ(std::isnan(wide[i]), nan);
    if (!nan) {
      EXPECT_EQ(wide[i], i & 0x8000 ? -expected : expected) << i;
    }
    EXPECT_TRUE(nan ? (back[i].bits & 0x7fff) > 0x7c00 : back[i].bits == i) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Blocks, testing::ValuesIn(levels()),
                         [](const auto& test) { return std::string(frit::name(test.param)); });

TEST(BinaryBlock, DividesIntegersWithoutTrapping) {
  const int32_t a[] = {-7, 7, INT32_MIN}, b[] = {2, 0, -1};
  int32_t out[3];
  binary_block(Op::floor_divide, kInt32)(a, b, out, 3, 0);
  EXPECT_EQ(out[0], -4);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[2], INT32_MIN);
  EXPECT_TRUE(any_zero(kInt32, b, 3));
  EXPECT_FALSE(any_zero(kInt32, a, 3));
}

TEST(UnaryBlock, IsNullWhereTheOpHasNoMeaning) {
  EXPECT_EQ(unary_block(Op::exp, kInt32), nullptr);
  EXPECT_EQ(binary_block(Op::sub, kBool), nullptr);
  EXPECT_EQ(unary_block(Op::sum, kFloat32), nullptr);
  EXPECT_NE(unary_block(Op::exp, kBFloat16), nullptr);
}

}  // namespace
}  // namespace frit::eager
