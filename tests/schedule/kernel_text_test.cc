// Kernels as text: printing, parsing, the one-line form.
#include <gtest/gtest.h>

#include <random>

#include "frit/error.h"
#include "frit/kernel.h"
#include "src/base/lexer.h"
#include "src/schedule/kernel_text.h"

namespace frit {
namespace {

constexpr char kAffine[] =
    "kernel %k0(%a0: *f32, %out0: *f32, %n0: i64) {\n"
    "  loop %i0 = 0 to %n0 {\n"
    "    %0: f32 = load %a0[%i0]\n"
    "    %1: f32 = constant 2.0\n"
    "    %2: f32 = mul %0, %1\n"
    "    %3: f32 = constant 1.0\n"
    "    %4: f32 = add %2, %3\n"
    "    store %out0[%i0], %4\n"
    "  }\n"
    "}\n";

constexpr char kRows[] =
    "kernel %rows(%a: *f32[*,-1], %b: *f64[0,*], %s: f32, %out: *f32[*,1], %sums: *f32[1,0], %n: "
    "i64, %m: i64) {\n"
    "  loop %i0 = 0 to %n {\n"
    "    %0: f32 = reduce sum %i1 = 0 to %m {\n"
    "      %1: f32 = load %a[%i0, %i1]\n"
    "      %2: f64 = load %b[%i1]\n"
    "      %3: f32 = cast %2\n"
    "      %4: f32 = mul %1, %3\n"
    "      yield %4\n"
    "    }\n"
    "    %5: f32 = mul %0, %s\n"
    "    loop %i1 = 0 to %m {\n"
    "      %6: f32 = load %a[%i0, %i1]\n"
    "      %7: bool = gt %6, %5\n"
    "      %8: f32 = where %7, %6, %s\n"
    "      store %out[%i0, %i1], %8\n"
    "    }\n"
    "    store %sums[%i0], %5\n"
    "  }\n"
    "}\n";

constexpr char kTaken[] =
    "kernel %taken(%w: *f32[0,1], %p: *i64[1,0], %out: *f32[*,1], %n: i64, %m: i64) {\n"
    "  loop %i0 = 0 to %n {\n"
    "    %0: i64 = index %i0\n"
    "    loop %i1 = 0 to %m {\n"
    "      %1: i64 = load %p[%i0]\n"
    "      %2: i64 = add %1, %0\n"
    "      %3: f32 = take %w[%i1] at %2\n"
    "      %4: f64 = cast %3\n"
    "      %5: f64 = scan cumsum %4\n"
    "      %6: f32 = cast %5\n"
    "      store %out[%i0, %i1], %6\n"
    "    }\n"
    "  }\n"
    "}\n";

constexpr char kPut[] =
    "kernel %put(%x: *f32, %p: *i64, %y: *f32[0], %z: *f32, %n: i64) {\n"
    "  loop %i0 = 0 to %n {\n"
    "    %0: f32 = load %x[%i0]\n"
    "    %1: i64 = load %p[%i0]\n"
    "    put %z[%i0] at %1, %0\n"
    "    put add %y[] at %1, %0\n"
    "  }\n"
    "}\n";

// A kernel of one loop over %x and %y with these statements, %x being loaded as %0.
std::string pointwise(const std::string& dtype, const std::string& statements) {
  return "kernel %k(%x: *" + dtype + ", %y: *" + dtype + ", %s: " + dtype +
         ", %n: i64) {\n  loop %i0 = 0 to %n {\n    %0: " + dtype + " = load %x[%i0]\n" +
         statements + "  }\n}\n";
}

std::string parse_error(const std::string& text) {
  try {
    Kernel::parse(text);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(KernelText, PrintsWhatItParses) {
  for (const char* text : {kAffine, kRows, kTaken, kPut}) {
    EXPECT_EQ(Kernel::parse(text).print(), text);
    EXPECT_EQ(Kernel::parse(text).verify(), "");
  }
}

TEST(KernelText, ConstantsKeepTheirBits) {
  const auto check = [](const std::string& dtype, const std::string& number) {
    const std::string text = pointwise(
        dtype, "    %1: " + dtype + " = constant " + number + "\n    store %y[%i0], %1\n");
    EXPECT_EQ(Kernel::parse(text).print(), text);
    EXPECT_EQ(Kernel::parse(text).verify(), "");
  };
  for (const char* number : {"0.1", "-0.0", "inf", "-inf", "nan", "1e-45", "3.4028235e+38"})
    check("f32", number);
  for (const char* number : {"0.1", "-0.0", "nan", "5e-324", "1.7976931348623157e+308"})
    check("f64", number);
  for (const char* number : {"-1", "2147483647", "-2147483648"}) check("i32", number);
  for (const char* number : {"-1", "9223372036854775807", "-9223372036854775808"})
    check("i64", number);
  for (const char* number : {"true", "false"}) check("bool", number);
}

TEST(KernelText, AnF32IsReadInItsOwnPrecision) {
  const Kernel kernel =
      Kernel::parse(pointwise("f32", "    %1: f32 = constant 0.1\n    store %y[%i0], %1\n"));
  EXPECT_EQ(kernel.body[0].body[1].bits, 0x3dcccccdu);
}

TEST(KernelText, IndexZeroNeedsNoNumber) {
  EXPECT_EQ(Kernel::parse("kernel %k(%x: *f32, %n: i64) { loop %i = 0 to %n { } }").print(),
            "kernel %k(%x: *f32, %n: i64) {\n  loop %i0 = 0 to %n {\n  }\n}\n");
}

TEST(KernelText, WordsAreAddressesStridesScalarsAndSizes) {
  EXPECT_EQ(Kernel::parse(kAffine).num_words(), 5);
  EXPECT_EQ(Kernel::parse(kRows).num_words(), 4 * 3 + 3);
}

TEST(KernelText, ParserPointsAtTheError) {
  EXPECT_EQ(parse_error("kernel %k(%x: *f32, %n: i64) {\n  loop %i0 = 0 to %n {\n    %0: f32 = "
                        "load %z[%i0]\n  }\n}\n"),
            "kernel: line 3, column 20: expected a buffer, found '%z'");
  EXPECT_EQ(parse_error("kernel %k(%x: *f32, %n: i64) {\n  loop %i0 = 0 to %n {\n    %1: f32 = "
                        "load %x[%i0]\n  }\n}\n"),
            "kernel: line 3, column 7: expected %0 instead of %1, found ':'");
  EXPECT_EQ(parse_error("kernel %k(%x: *f32[2]) { }"),
            "kernel: line 1, column 21: expected 0, 1, -1 or *, found ']'");
  EXPECT_EQ(parse_error("kernel %k(%x: *f32, %y: *f32[1,1]) { }")
                .find("kernel: line 1, column 34: expected as many dimensions"),
            0u);
  EXPECT_EQ(parse_error(pointwise("f32", "    %1: f32 = frobnicate %0\n")),
            "kernel: line 4, column 15: expected an op, found 'frobnicate'");
  EXPECT_EQ(parse_error(pointwise("f32", "    %1: f32 = neg %1000\n"))
                .find("kernel: line 4, column 19: expected a value defined before"),
            0u);
  EXPECT_NE(parse_error("kernel %k(").find("found the end"), std::string::npos);
}

TEST(KernelText, LoopsNestedTooDeepAreAnError) {
  std::string text = "kernel %k(%x: *f32, %n: i64) {";
  for (int i = 0; i < 1000; ++i) text += "loop %i0 = 0 to %n {";
  EXPECT_NE(parse_error(text).find("nested too deep"), std::string::npos);
}

TEST(KernelOneLine, CallsBuffersXAndY) {
  EXPECT_EQ(Kernel::parse(kAffine).one_line(), "y[i] = x[i]*2 + 1");
}

TEST(KernelOneLine, BracketsWhatBindsLess) {
  const auto line = [](const char* statements) {
    return Kernel::parse(pointwise("f32", statements)).one_line();
  };
  EXPECT_EQ(line("    %1: f32 = add %0, %s\n    %2: f32 = mul %1, %0\n    store %y[%i0], %2\n"),
            "y[i] = (x[i] + s)*x[i]");
  EXPECT_EQ(line("    %1: f32 = sub %0, %s\n    %2: f32 = sub %0, %1\n    store %y[%i0], %2\n"),
            "y[i] = x[i] - (x[i] - s)");
  EXPECT_EQ(
      line("    %1: f32 = constant -0.5\n    %2: f32 = maximum %0, %1\n    store %y[%i0], %2\n"),
      "y[i] = maximum(x[i], -0.5)");
}

TEST(KernelOneLine, NamesWhatIsUsedTwice) {
  EXPECT_EQ(
      Kernel::parse(
          pointwise("f32",
                    "    %1: f32 = exp %0\n    %2: f32 = div %1, %1\n    store %y[%i0], %2\n"))
          .one_line(),
      "t0 = exp(x[i]); y[i] = t0/t0");
}

TEST(KernelOneLine, IsEmptyForOtherKernels) { EXPECT_EQ(Kernel::parse(kRows).one_line(), ""); }

// Denormals, the ends of each dtype, and what needs all its digits.
TEST(KernelText, ConstantsOfEveryDtypeParseBack) {
  std::mt19937_64 random(1);
  for (Dtype dtype : {kFloat32, kFloat64, kInt64, kInt32, kInt16, kInt8, kUInt8}) {
    const int unused = 64 - 8 * byte_size(dtype);
    for (int i = 0; i < 2000; ++i) {
      uint64_t bits = i < 64 ? uint64_t{1} << i : i < 128 ? ~uint64_t{0} >> (i - 64) : random();
      if (i % 7 == 0) bits >>= i % 64;
      bits = bits << unused >> unused;
      if (is_nan(dtype, bits)) bits = canonical_nan(dtype);
      const std::string text = print_constant(dtype, bits);
      base::Lexer lexer(text, "constant");
      EXPECT_EQ(parse_constant(lexer, dtype), bits) << name(dtype) << " " << text;
    }
  }
}

}  // namespace
}  // namespace frit
