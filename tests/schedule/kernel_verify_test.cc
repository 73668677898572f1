// Each rule of kernels, broken.
#include <gtest/gtest.h>

#include "frit/kernel.h"

namespace frit {
namespace {

// Statements in `loop %i0 { ... }` or `loop %i0 { loop %i1 { ... } }` over these parameters.
constexpr char kParams[] =
    "kernel %k(%x: *f32[*,1], %c: *bool[*,1], %i: *i8[*,1], %row: *f32[*,0], %y: *f32[*,1], %s: "
    "f32, %n: i64, %m: i64) {\n";

std::string problem_in(const std::string& text) { return Kernel::parse(text).verify(); }
std::string in_rows(const std::string& body) {
  return problem_in(kParams + ("loop %i0 = 0 to %n {\n" + body + "}}"));
}
std::string in_elements(const std::string& body) {
  return in_rows("loop %i1 = 0 to %m {\n" + body + "}");
}

TEST(KernelVerifier, AcceptsLoopsInLoops) {
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0, %i1] %1: f32 = exp %0 store %y[%i0, %i1], %1"), "");
}

TEST(KernelVerifier, WantsOneLoopOverTheFirstDimension) {
  EXPECT_EQ(problem_in(std::string(kParams) + "}"), "kernel %k: the body is not one loop over %i0");
  EXPECT_EQ(problem_in(std::string(kParams) + "loop %i1 = 0 to %n { } }"),
            "kernel %k: the body is not one loop over %i0");
}

TEST(KernelVerifier, LoopsInsideAreOverLaterDimensions) {
  EXPECT_EQ(in_rows("loop %i0 = 0 to %n { }"), "kernel %k: loop: %i0 inside %i0");
}

TEST(KernelVerifier, OneDimensionHasOneSize) {
  EXPECT_EQ(in_rows("loop %i1 = 0 to %m { } loop %i1 = 0 to %n { }"),
            "kernel %k: loop: %i1 has two sizes");
}

TEST(KernelVerifier, ParametersHaveDifferentNames) {
  Kernel kernel =
      Kernel::parse("kernel %k(%x: *f32, %y: *f32, %n: i64) { loop %i0 = 0 to %n { } }");
  kernel.params[1].name = "x";
  EXPECT_EQ(kernel.verify(), "kernel %k: %x: two parameters of this name");
}

TEST(KernelVerifier, BuffersHaveAnAccessClassPerDimension) {
  Kernel kernel = Kernel::parse("kernel %k(%x: *f32, %n: i64) { loop %i0 = 0 to %n { } }");
  kernel.rank = 2;
  EXPECT_EQ(kernel.verify(), "kernel %k: %x: number of access classes: 1, expected 2");
}

TEST(KernelVerifier, ValuesAreNumberedDensely) {
  Kernel kernel = Kernel::parse(
      "kernel %k(%x: *f32, %n: i64) { loop %i0 = 0 to %n { %0: f32 = load %x[%i0] } }");
  kernel.body[0].body[0].id = 3;
  EXPECT_EQ(kernel.verify(), "kernel %k: value %3: expected %0");
}

TEST(KernelVerifier, ValuesAreUsedWhereTheyAreVisible) {
  EXPECT_EQ(in_rows("loop %i1 = 0 to %m { %0: f32 = load %x[%i0, %i1] } store %row[%i0], %0"),
            "kernel %k: store: %0 is not visible here");
}

TEST(KernelVerifier, SizesAreNoOperands) {
  Kernel kernel =
      Kernel::parse("kernel %k(%s: i64, %n: i64) { loop %i0 = 0 to %n { %0: i64 = neg %s } }");
  EXPECT_EQ(kernel.verify(), "");
  kernel.body[0].body[0].operands = {~1};
  EXPECT_EQ(kernel.verify(), "kernel %k: %0: parameter 1 is no scalar");
}

TEST(KernelVerifier, IndicesAreOpenAndAscending) {
  EXPECT_EQ(in_rows("%0: f32 = load %x[%i0, %i1]"), "kernel %k: %0: %i1 is no index here");
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i1, %i0]"), "kernel %k: %0: indices are not ascending");
}

TEST(KernelVerifier, IndicesAreAllAlongWhichABufferMoves) {
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0]"),
            "kernel %k: %0: %x moves along %i1, which is not listed");
  EXPECT_EQ(in_elements("%0: f32 = load %row[%i0]"), "");
}

TEST(KernelVerifier, NoElementIsStoredTwice) {
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0, %i1] store %row[%i0], %0"),
            "kernel %k: store: %row does not move along %i1");
}

TEST(KernelVerifier, LoadsAndStoresHaveTheBuffersDtype) {
  EXPECT_EQ(in_elements("%0: f64 = load %x[%i0, %i1]"), "kernel %k: %0: loads f32 as f64");
  EXPECT_EQ(in_elements("%0: bool = load %c[%i0, %i1] store %y[%i0, %i1], %0"),
            "kernel %k: store: stores bool as f32");
  EXPECT_EQ(in_elements("%0: i8 = load %i[%i0, %i1] store %i[%i0, %i1], %0"), "");
}

TEST(KernelVerifier, OpsHaveOperandsOfOneDtype) {
  EXPECT_EQ(
      in_elements("%0: f32 = load %x[%i0, %i1] %1: bool = load %c[%i0, %i1] %2: f32 = add %0, %1"),
      "kernel %k: %2: operand 2 is bool, expected f32");
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0, %i1] %1: f32 = where %0, %0, %0"),
            "kernel %k: %1: the condition is not bool");
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0, %i1] %1: f32 = add %0"),
            "kernel %k: %1: add takes 2 operands, not 1");
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0, %i1] %1: f32 = lt %0, %s"),
            "kernel %k: %1: is f32, expected bool");
}

TEST(KernelVerifier, OpsHaveAMeaningForTheDtype) {
  EXPECT_EQ(in_elements("%0: bool = load %c[%i0, %i1] %1: bool = exp %0"),
            "kernel %k: %1: exp has no meaning for bool");
  EXPECT_EQ(in_elements("%0: i8 = load %i[%i0, %i1] %1: i8 = neg %0"), "");
  EXPECT_EQ(in_elements("%0: i8 = load %i[%i0, %i1] %1: i8 = floor_divide %0, %0"), "");
  EXPECT_EQ(in_elements("%0: i8 = load %i[%i0, %i1] %1: i8 = hypot %0, %0"),
            "kernel %k: %1: hypot has no meaning for i8");
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0, %i1] %1: f16 = cast %0 %2: f16 = neg %1"),
            "kernel %k: %2: neg has no meaning for f16");
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0, %i1] %1: f32 = softmax %0"),
            "kernel %k: %1: softmax is not elementwise");
  EXPECT_EQ(in_elements("%0: f32 = load %x[%i0, %i1] %1: i8 = cast %0"), "");
}

TEST(KernelVerifier, AReductionEndsWithItsOnlyYield) {
  const auto reduce = [](const std::string& head, const std::string& body) {
    return in_rows("%0: " + head + " %i1 = 0 to %m {" + body + "}");
  };
  const std::string load = "%1: f32 = load %x[%i0, %i1] ";
  EXPECT_EQ(reduce("f32 = reduce sum", load + "yield %1"), "");
  EXPECT_EQ(reduce("f32 = reduce sum", load), "kernel %k: %0: does not end with a yield");
  EXPECT_EQ(reduce("f32 = reduce sum", load + "yield %1 yield %1"),
            "kernel %k: yield: stands elsewhere than at the end of a reduction");
  EXPECT_EQ(reduce("f64 = reduce sum", load + "yield %1"),
            "kernel %k: yield: gives f32, expected f64");
  EXPECT_EQ(reduce("f32 = reduce add", load + "yield %1"), "kernel %k: %0: add is no reduction");
  EXPECT_EQ(reduce("bool = reduce sum", "%1: bool = load %c[%i0, %i1] yield %1"),
            "kernel %k: %0: no sum of bool");
  EXPECT_EQ(in_rows("%0: f32 = load %row[%i0] yield %0"),
            "kernel %k: yield: stands elsewhere than at the end of a reduction");
}

TEST(KernelVerifier, AReductionHasNoLoopInside) {
  EXPECT_EQ(problem_in("kernel %k(%x: *f32[*,*,1], %n: i64, %m: i64, %l: i64) { loop %i0 = 0 to %n "
                       "{ %0: f32 = reduce sum %i1 = 0 to %m {"
                       " loop %i2 = 0 to %l { } %1: f32 = constant 1.0 yield %1 } } }"),
            "kernel %k: %0: has a loop inside");
}

TEST(KernelVerifier, ATakeHasAPlaceAndABufferOfItsOwn) {
  EXPECT_EQ(in_elements("%0: i64 = index %i1 %1: f32 = take %row[%i0] at %0"), "");
  EXPECT_EQ(in_elements("%0: i32 = index %i1 %1: f32 = take %row[%i0] at %0"),
            "kernel %k: %1: its place is i32, expected i64");
  EXPECT_EQ(in_elements("%0: i64 = index %i1 %1: f64 = take %row[%i0] at %0"),
            "kernel %k: %1: loads f32 as f64");
  EXPECT_EQ(in_elements("%0: i64 = index %i1 %1: f32 = take %row[] at %0"),
            "kernel %k: %1: %row moves along %i0, which is not listed");
  EXPECT_EQ(in_elements("%0: i64 = index %i1 %1: f32 = take %y[%i0, %i1] at %0 "
                        "store %y[%i0, %i1], %1"),
            "kernel %k: store: %y is both stored to and taken from");
}

TEST(KernelVerifier, APutHasAPlaceAndABufferOfItsOwn) {
  const std::string place = "%0: i64 = index %i1 %1: f32 = load %row[%i0] ";
  EXPECT_EQ(in_elements(place + "put %y[%i0, %i1] at %0, %1"), "");
  EXPECT_EQ(in_elements(place + "put add %y[%i0, %i1] at %0, %1"), "");
  EXPECT_EQ(in_elements(place + "put sub %y[%i0, %i1] at %0, %1"), "kernel %k: put: no sub of f32");
  EXPECT_EQ(in_elements(place + "put %y[%i0, %i1] at %1, %1"),
            "kernel %k: put: its place is f32, expected i64");
  EXPECT_EQ(in_elements(place + "put %y[%i0, %i1] at %0, %0"), "kernel %k: put: puts i64 as f32");
  EXPECT_EQ(in_elements(place + "put %y[%i0] at %0, %1"),
            "kernel %k: put: %y moves along %i1, which is not listed");
  EXPECT_EQ(in_elements(place + "put %y[%i0, %i1] at %0, %1 store %y[%i0, %i1], %1"),
            "kernel %k: store: %y is put to and used otherwise");
  EXPECT_EQ(
      in_elements("%0: i64 = index %i1 %1: f32 = load %y[%i0, %i1] put %y[%i0, %i1] at %0, %1"),
      "kernel %k: put: %y is put to and used otherwise");
}

TEST(KernelVerifier, APutStandsInAnInnermostLoopWithoutScans) {
  EXPECT_EQ(in_elements("%0: i64 = index %i1 %1: f32 = load %x[%i0, %i1] %2: f32 = scan cumsum %1 "
                        "put %y[%i0, %i1] at %0, %2"),
            "kernel %k: put: stands elsewhere than in an innermost loop without scans");
  EXPECT_EQ(in_rows("%0: i64 = index %i0 %1: f32 = constant 1.0 put %row[%i0] at %0, %1 "
                    "loop %i1 = 0 to %m { }"),
            "kernel %k: put: stands elsewhere than in an innermost loop without scans");
}

TEST(KernelVerifier, AnIndexIsOfAnOpenDimension) {
  EXPECT_EQ(in_rows("%0: i64 = index %i0"), "");
  EXPECT_EQ(in_rows("%0: i64 = index %i1"), "kernel %k: %0: %i1 is no index here");
  EXPECT_EQ(in_rows("%0: f32 = index %i0"), "kernel %k: %0: an index is i64 or i32");
}

TEST(KernelVerifier, AScanStandsInAnInnerLoop) {
  const std::string load = "%0: f32 = load %x[%i0, %i1] ";
  EXPECT_EQ(in_elements(load + "%1: f32 = scan cumprod %0"), "");
  EXPECT_EQ(in_elements(load + "%1: f32 = scan amax %0"), "kernel %k: %1: amax is no scan");
  EXPECT_EQ(in_elements(load + "%1: f64 = scan cumsum %0"), "kernel %k: %1: scans f32 as f64");
  EXPECT_EQ(in_elements("%0: bool = load %c[%i0, %i1] %1: bool = scan cumsum %0"),
            "kernel %k: %1: no cumsum of bool");
  EXPECT_EQ(in_rows("%0: f32 = load %row[%i0] %1: f32 = scan cumsum %0"),
            "kernel %k: %1: stands elsewhere than in an inner loop");
  EXPECT_EQ(in_rows("%0: f32 = reduce sum %i1 = 0 to %m { %1: f32 = load %x[%i0, %i1] "
                    "%2: f32 = scan cumsum %1 yield %2 }"),
            "kernel %k: %2: stands elsewhere than in an inner loop");
}

TEST(KernelVerifier, NaNConstantsAreCanonical) {
  Kernel kernel = Kernel::parse(
      "kernel %k(%x: *f32, %n: i64) { loop %i0 = 0 to %n { %0: f32 = constant nan } }");
  EXPECT_EQ(kernel.verify(), "");
  kernel.body[0].body[0].bits = 0xffc00000;
  EXPECT_EQ(kernel.verify(), "kernel %k: %0: a NaN that is not the canonical one");
}

}  // namespace
}  // namespace frit
