// What the kernel interpreter computes, against sums and softmax written out.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "frit/kernel.h"
#include "src/ops/reference/reduce.h"

namespace frit {
namespace {

uint64_t word(const void* address) { return reinterpret_cast<uint64_t>(address); }

TEST(KernelInterpreter, FollowsStrides) {
  const Kernel kernel = Kernel::parse(
      "kernel %k(%x: *f32[*,*], %b: *f32[0,1], %y: *f32[*,1], %n: i64, %m: i64) { loop %i0 = 0 to "
      "%n { loop %i1 = 0 to %m {"
      " %0: f32 = load %x[%i0, %i1] %1: f32 = load %b[%i1] %2: f32 = sub %0, %1 store %y[%i0, "
      "%i1], %2 } } }");
  const float x[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30};
  float y[6] = {};
  const uint64_t args[] = {word(x), 1, 2, word(b), 0, 1, word(y), 3, 1, 2, 3};
  interpret(kernel, args, 0, 2);
  EXPECT_EQ(std::vector<float>(y, y + 6), (std::vector<float>{-9, -17, -25, -8, -16, -24}));
}

TEST(KernelInterpreter, RunsTheRangeOfTheOutermostLoop) {
  const Kernel kernel = Kernel::parse(
      "kernel %k(%y: *i32, %s: i32, %n: i64) { loop %i0 = 0 to %n { %0: i32 = neg %s store "
      "%y[%i0], %0 } }");
  int32_t y[5] = {};
  const uint64_t args[] = {word(y), 1, 7, 5};
  interpret(kernel, args, 1, 3);
  EXPECT_EQ(std::vector<int32_t>(y, y + 5), (std::vector<int32_t>{0, -7, -7, 0, 0}));
}

TEST(KernelInterpreter, BitsBeyondAScalarsDtypeDoNotCount) {
  const Kernel kernel = Kernel::parse(
      "kernel %k(%y: *bool, %s: i32, %n: i64) { loop %i0 = 0 to %n { %0: bool = eq %s, %s store "
      "%y[%i0], %0 } }");
  uint8_t y = 0;
  const uint64_t args[] = {word(&y), 1, 0xdeadbeef00000007, 1};
  interpret(kernel, args, 0, 1);
  EXPECT_EQ(y, 1);
}

TEST(KernelInterpreter, PutsOneElementAfterTheOther) {
  const Kernel kernel = Kernel::parse(
      "kernel %k(%x: *f32, %p: *i64, %y: *f32[0], %z: *f32, %n: i64) { loop %i0 = 0 to %n {"
      " %0: f32 = load %x[%i0] %1: i64 = load %p[%i0] put %y[] at %1, %0 put maximum %z[%i0] at "
      "%1, %0 } }");
  const float x[] = {4, -7, 5};
  const int64_t p[] = {1, 0, 1};
  float y[2] = {}, z[4] = {0, 1, 2, 3};
  const uint64_t args[] = {word(x), 1, word(p), 1, word(y), 0, word(z), 1, 3};
  interpret(kernel, args, 0, 3);
  EXPECT_EQ(std::vector<float>(y, y + 2), (std::vector<float>{-7, 5}));
  EXPECT_EQ(std::vector<float>(z, z + 4), (std::vector<float>{0, 4, 2, 5}));
}

TEST(KernelInterpreter, SumsInTheCanonicalOrder) {
  const Kernel kernel = Kernel::parse(
      "kernel %k(%x: *f32[*,1], %y: *f32[1,0], %n: i64, %m: i64) { loop %i0 = 0 to %n { %0: f32 = "
      "reduce sum %i1 = 0 to %m {"
      " %1: f32 = load %x[%i0, %i1] yield %1 } store %y[%i0], %0 } }");
  for (int64_t n : {0, 1, 31, 33, 4095, 4096, 4097, 12293}) {
    std::vector<float> x(static_cast<size_t>(n));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = std::sin(static_cast<float>(i)) * std::exp2(static_cast<float>(i % 40));
    float y = -1;
    const uint64_t args[] = {
        word(x.data()), static_cast<uint64_t>(n), 1, word(&y), 1, 0, 1, static_cast<uint64_t>(n)};
    interpret(kernel, args, 0, 1);
    const float expected = reference::fold<reference::SumFold<float>>(
        n, [&](int64_t i) { return x[static_cast<size_t>(i)]; });
    EXPECT_EQ(std::bit_cast<uint32_t>(y), std::bit_cast<uint32_t>(expected)) << n;
  }
}

TEST(KernelInterpreter, FoldsFromTheTrueIdentity) {
  const auto of_nothing = [](const std::string& op, const std::string& dtype) {
    const Kernel kernel = Kernel::parse(
        "kernel %k(%x: *" + dtype + "[*,1], %y: *" + dtype +
        "[1,0], %n: i64, %m: i64) { loop %i0 = 0 to %n { %0: " + dtype + " = reduce " + op +
        " %i1 = 0 to %m { %1: " + dtype + " = load %x[%i0, %i1] yield %1 } store %y[%i0], %0 } }");
    uint64_t y = 0;
    const uint64_t args[] = {word(&y), 0, 1, word(&y), 1, 0, 1, 0};
    interpret(kernel, args, 0, 1);
    return y;
  };
  EXPECT_EQ(of_nothing("sum", "f32"), 0u);
  EXPECT_EQ(of_nothing("prod", "f64"), std::bit_cast<uint64_t>(1.0));
  EXPECT_EQ(of_nothing("amax", "f32"), 0xff800000u);
  EXPECT_EQ(of_nothing("amin", "i32"), 0x7fffffffu);
  EXPECT_EQ(of_nothing("amin", "bool"), 1u);
  EXPECT_EQ(of_nothing("sum", "i64"), 0u);
}

}  // namespace
}  // namespace frit
