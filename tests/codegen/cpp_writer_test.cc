// The C++ writer: its text, and its bits once compiled.
#include "src/codegen/cpp_writer.h"

#include <gtest/gtest.h>

#include "tests/codegen/compiler_command.h"
#include "tests/codegen/kernel_case.h"
#include "tests/codegen/kernel_texts.h"

namespace frit::codegen {
namespace {

TEST(CppWriter, PrintsAKernelForPeopleToRead) {
  const Kernel kernel = Kernel::parse(R"(
kernel %k(%x: *f32[*], %s: f32, %y: *f32[1], %n: i64) {
  loop %i0 = 0 to %n {
    %0: f32 = load %x[%i0]
    %1: f32 = constant 0.5
    %2: f32 = mul %0, %1
    %3: f32 = maximum %2, %s
    store %y[%i0], %3
  }
}
)");
  EXPECT_EQ(cpp_source(kernel, nullptr), R"(// Made from kernel %k.
#include "src/codegen/cpp_prelude.h"

namespace math = frit::math;
using namespace frit::generated;

extern "C" void kernel([[maybe_unused]] const uint64_t* args, int64_t begin, int64_t end) {
  float* const x_ = reinterpret_cast<float*>(args[0]);
  const int64_t x_0 = static_cast<int64_t>(args[1]);
  const F32 s_ = from_bits<F32>(args[2]);
  float* const y_ = reinterpret_cast<float*>(args[3]);
  [[maybe_unused]] const int64_t n_ = static_cast<int64_t>(args[5]);
  for (int64_t i0 = begin; i0 < end; ++i0) {
    const F32 v0 = x_[i0 * x_0];
    const F32 v1 = 0x1p-1f;
    const F32 v2 = math::mul(v0, v1);
    const F32 v3 = math::maximum(v2, s_);
    y_[i0] = static_cast<float>(v3.value);
  }
}
)");
}

TEST(CppWriter, WithoutACommandOnlyPrints) {
  const auto compiled = new_cpp_writer("")->compile(Kernel::parse(R"(
kernel %k(%y: *f32[1], %n: i64) {
  loop %i0 = 0 to %n {
    %0: f32 = constant 1.0
    store %y[%i0], %0
  }
}
)"),
                                                    nullptr);
  ASSERT_NE(compiled, nullptr);
  EXPECT_EQ(compiled->code(), nullptr);
  EXPECT_NE(compiled->listing(), "");
}

TEST(CppWriter, AgreesOnOpsOfEveryDtype) {
  const auto writer = new_cpp_writer(compiler_command());
  const Kernel kernel = Kernel::parse(R"(
kernel %k(%a: *f32[1], %b: *f64[*], %c: *i32[0], %d: *i64[1], %e: *bool[1], %h: *f16[1], %s: bool, %y: *f64[1], %z: *bool[1], %w: *bf16[1], %v: *i64[1], %n: i64) {
  loop %i0 = 0 to %n {
    %0: f32 = load %a[%i0]
    %1: f64 = load %b[%i0]
    %2: i32 = load %c[]
    %3: i64 = load %d[%i0]
    %4: bool = load %e[%i0]
    %5: f16 = load %h[%i0]
    %6: f32 = cast %5
    %7: f32 = sin %0
    %8: f32 = add %7, %6
    %9: f64 = cast %8
    %10: f64 = fmod %9, %1
    %11: bool = lt %10, %1
    %12: bool = logical_xor %11, %s
    %13: bool = bitwise_and %12, %4
    %14: f64 = where %13, %10, %1
    store %y[%i0], %14
    store %z[%i0], %13
    %15: bf16 = cast %8
    store %w[%i0], %15
    %16: i64 = cast %2
    %17: i64 = mul %16, %3
    %18: i64 = cast %12
    %19: i64 = maximum %17, %18
    store %v[%i0], %19
  }
}
)");
  ASSERT_EQ(kernel.verify(), "");
  EXPECT_EQ(disagreement(*writer, kernel, {.sizes = {200}}), "");
}

TEST(CppWriter, WrapsTheSmallInts) {
  const auto writer = new_cpp_writer(compiler_command());
  const Kernel kernel = Kernel::parse(R"(
kernel %k(%a: *i8[1], %b: *u8[1], %c: *i16[*], %d: *f32[1], %s: i8, %x: *i8[1], %y: *u8[1], %z: *i16[1], %n: i64) {
  loop %i0 = 0 to %n {
    %0: i8 = load %a[%i0]
    %1: u8 = load %b[%i0]
    %2: i16 = load %c[%i0]
    %3: f32 = load %d[%i0]
    %4: i8 = mul %0, %s
    %5: i8 = constant -7
    %6: i8 = add %4, %5
    store %x[%i0], %6
    %7: u8 = cast %6
    %8: u8 = bitwise_not %1
    %9: u8 = sub %8, %7
    store %y[%i0], %9
    %10: i16 = cast %3
    %11: i16 = abs %2
    %12: i16 = mul %11, %10
    store %z[%i0], %12
  }
}
)");
  ASSERT_EQ(kernel.verify(), "");
  EXPECT_EQ(disagreement(*writer, kernel, {.sizes = {200}}), "");
}

TEST(CppWriter, AgreesOnTakesAndIndices) {
  const auto writer = new_cpp_writer(compiler_command());
  const Kernel kernel = Kernel::parse(R"(
kernel %k(%t: *f32[1], %b: *bool[0], %p: *i64[1], %y: *f32[1], %z: *bool[1], %n: i64) {
  loop %i0 = 0 to %n {
    %0: i64 = load %p[%i0]
    %1: i64 = constant 63
    %2: i64 = bitwise_and %0, %1
    %3: f32 = take %t[%i0] at %2
    %4: i32 = index %i0
    %5: f32 = cast %4
    %6: f32 = mul %3, %5
    store %y[%i0], %6
    %7: bool = take %b[] at %2
    store %z[%i0], %7
  }
}
)");
  ASSERT_EQ(kernel.verify(), "");
  EXPECT_EQ(disagreement(*writer, kernel, {.sizes = {200}}), "");
}

TEST(CppWriter, AgreesOnPuts) {
  const auto writer = new_cpp_writer(compiler_command());
  const Kernel kernel = Kernel::parse(R"(
kernel %k(%x: *f32[1], %b: *bool[1], %c: *i8[1], %p: *i64[1], %u: *f32[1], %v: *bool[0], %w: *i8[0], %n: i64) {
  loop %i0 = 0 to %n {
    %0: f32 = load %x[%i0]
    %1: i64 = load %p[%i0]
    %2: i64 = constant 63
    %3: i64 = bitwise_and %1, %2
    put %u[%i0] at %3, %0
    %4: bool = load %b[%i0]
    put maximum %v[] at %3, %4
    %5: i8 = load %c[%i0]
    put mul %w[] at %3, %5
  }
}
)");
  ASSERT_EQ(kernel.verify(), "");
  EXPECT_EQ(disagreement(*writer, kernel, {.sizes = {200}}), "");
}

TEST(CppWriter, AgreesOnScans) {
  const auto writer = new_cpp_writer(compiler_command());
  const Kernel kernel = Kernel::parse(R"(
kernel %k(%x: *f32[*,1], %y: *f64[*,1], %z: *i64[*,1], %n0: i64, %n1: i64) {
  loop %i0 = 0 to %n0 {
    loop %i1 = 0 to %n1 {
      %0: f32 = load %x[%i0, %i1]
      %1: f64 = cast %0
      %2: f64 = scan cumsum %1
      store %y[%i0, %i1], %2
      %3: i64 = cast %2
      %4: i64 = scan cumprod %3
      store %z[%i0, %i1], %4
    }
  }
}
)");
  ASSERT_EQ(kernel.verify(), "");
  EXPECT_EQ(disagreement(*writer, kernel, {.sizes = {3, 70}, .special = false}), "");
}

TEST(CppWriter, AgreesOnRowsWithReductions) {
  const auto writer = new_cpp_writer(compiler_command());
  const Kernel kernel = Kernel::parse(kSoftmax);
  EXPECT_EQ(disagreement(*writer, kernel, {.sizes = {3, 4200}, .special = false}), "");
}

}  // namespace
}  // namespace frit::codegen
