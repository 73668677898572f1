// The passes: what they make of small graphs, and that bits stay.
#include "src/normalize/normalize.h"

#include <gtest/gtest.h>

namespace frit {
namespace {

std::string normalized_text(const std::string& text, NormalizeContext* context = nullptr) {
  NormalizeContext local;
  if (context == nullptr) context = &local;
  const Graph graph = Graph::parse(text);
  context->scalar_values.resize(graph.num_values());
  const Graph core = normalize(graph, context);
  EXPECT_EQ(core.verify(true), "") << core.print();
  return core.print();
}

TEST(Normalize, LinearIsPermuteAndAddmm) {
  EXPECT_EQ(normalized_text("graph %g(%x: f32[4,8], %w: f32[2,8], %b: f32[2]) -> f32[4,2] {\n"
                            "  %0: f32[4,2] = linear %x, %w, %b\n"
                            "  %1: f32[4,2] = relu %0\n"
                            "  return %1\n}\n"),
            "graph %g(%x: f32[4,8], %w: f32[2,8], %b: f32[2]) -> f32[4,2] {\n"
            "  %0: f32[8,2]{1,8} = permute %w {dims=[1, 0]}\n"
            "  %1: f32[4,2] = addmm %b, %x, %0, 1, 1\n"
            "  %2: f32[4,2] = relu %1\n"
            "  return %2\n}\n");
}

TEST(Normalize, PromotionAndBroadcastingBecomeOps) {
  EXPECT_EQ(normalized_text("graph %g(%a: i32[2,1], %b: f32[3]) -> f32[2,3] {\n"
                            "  %0: f32[2,3] = add %a, %b\n"
                            "  return %0\n}\n"),
            "graph %g(%a: i32[2,1], %b: f32[3]) -> f32[2,3] {\n"
            "  %0: f32[2,1] = cast %a {dtype=f32}\n"
            "  %1: f32[2,3]{1,0} = expand %0 {sizes=[2, 3]}\n"
            "  %2: f32[2,3]{0,1} = expand %b {sizes=[2, 3]}\n"
            "  %3: f32[2,3] = add %1, %2\n"
            "  return %3\n}\n");
}

TEST(Normalize, HalvesComputeInF32AndRoundOnce) {
  EXPECT_EQ(normalized_text(
                "graph %g(%a: bf16[2]) -> bf16[2] {\n  %0: bf16[2] = exp %a\n  return %0\n}\n"),
            "graph %g(%a: bf16[2]) -> bf16[2] {\n"
            "  %0: f32[2] = cast %a {dtype=f32}\n"
            "  %1: f32[2] = exp %0\n"
            "  %2: bf16[2] = cast %1 {dtype=bf16}\n"
            "  return %2\n}\n");
}

TEST(Simplify, KeepsTheSignOfZero) {
  const std::string plus_zero =
      "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = add %a, 0.0\n  %1: f32[2] = relu %0\n  "
      "return %1\n}\n";
  EXPECT_EQ(normalized_text(plus_zero), plus_zero);
  EXPECT_EQ(normalized_text("graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = mul %a, 1.0\n  %1: "
                            "f32[2] = relu %0\n  return %1\n}\n"),
            "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = relu %a\n  return %0\n}\n");
}

TEST(Simplify, AnOutputNeverBecomesAnInput) {
  const std::string text =
      "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = mul %a, 1.0\n  return %0\n}\n";
  EXPECT_EQ(normalized_text(text), text);
}

TEST(Simplify, KeepsWhatMakesDenormalsZero) {
  NormalizeContext context;
  context.denormals = Denormals::kZero;
  const std::string floats =
      "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = mul %a, 1.0\n  %1: f32[2] = relu %0\n  "
      "return %1\n}\n";
  EXPECT_EQ(normalized_text(floats, &context), floats);
  EXPECT_EQ(normalized_text("graph %g(%a: i32[2]) -> i32[2] {\n  %0: i32[2] = mul %a, 1\n  %1: "
                            "i32[2] = relu %0\n  return %1\n}\n",
                            &context),
            "graph %g(%a: i32[2]) -> i32[2] {\n  %0: i32[2] = relu %a\n  return %0\n}\n");
}

TEST(Promotion, SelectsHalvesUnconvertedWhereDenormalsAreZero) {
  NormalizeContext context;
  context.denormals = Denormals::kZero;
  const std::string text =
      "graph %g(%c: bool[2], %a: f16[2]) -> f16[2] {\n  %0: f16[2] = where %c, %a, 2.0\n  return "
      "%0\n}\n";
  EXPECT_EQ(normalized_text(text, &context), text);
}

// Broadcasting from fewer dimensions takes the first operand's strides, from as many the usual
// ones.
TEST(Promotion, LeavesOutputsTheStridesOfSizesOfOne) {
  const Graph graph = Graph::parse(
      "graph %g(%x: f32[1,8,1,1]{8,1,8,8}, %s: f32[8,1,1]) -> f32[1,8,1,1]{8,1,8,8} {\n"
      "  %0: f32[1,8,1,1]{8,1,8,8} = mul %x, %s\n  return %0\n}\n");
  NormalizeContext context;
  const Graph core = normalize(graph, &context);
  EXPECT_EQ(core.layout(core.outputs()[0]), graph.layout(graph.outputs()[0])) << core.print();
}

TEST(EliminateCommon, ComputesEqualValuesOnceButKeepsOutputsApart) {
  EXPECT_EQ(normalized_text(
                "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = exp %a\n  %1: f32[2] = exp %a\n"
                "  %2: f32[2] = add %0, %1\n  return %2\n}\n"),
            "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = exp %a\n  %1: f32[2] = add %0, %0\n  "
            "return %1\n}\n");
  const std::string two =
      "graph %g(%a: f32[2]) -> f32[2], f32[2] {\n  %0: f32[2] = exp %a\n  %1: f32[2] = exp %a\n  "
      "return %0, %1\n}\n";
  EXPECT_EQ(normalized_text(two), two);
}

TEST(EliminateDead, DropsWhatNoOutputNeeds) {
  EXPECT_EQ(normalized_text("graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = exp %a\n  %1: f32[2] "
                            "= log %a\n  return %1\n}\n"),
            "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = log %a\n  return %0\n}\n");
}

TEST(ExpandComposites, NotesTheScalarThatDecidedTheForm) {
  NormalizeContext context;
  const Graph graph = Graph::parse(
      "graph %g(%a: f32[2], %s: i64) -> f32[2] {\n  %0: f32[2] = pow %a, %s\n  return %0\n}\n");
  context.scalar_values = {Scalar(), Scalar(2), Scalar()};
  const Graph core = normalize(graph, &context);
  EXPECT_EQ(core.nodes()[0].op, *op_named("mul"));
  ASSERT_EQ(context.assumptions.size(), 1u);
  EXPECT_EQ(context.assumptions[0].scalar_input, 1);
  EXPECT_TRUE(context.assumptions[0].value.identical(Scalar(2)));
}

TEST(Normalize, IsIdempotent) {
  const std::string once = normalized_text(
      "graph %g(%x: f32[4,8], %w: f32[2,8]) -> f32[4,2] {\n"
      "  %0: f32[4,2] = linear %x, %w\n"
      "  %1: f32[4,2] = softmax %0 {dim=1}\n"
      "  return %1\n}\n");
  EXPECT_EQ(normalized_text(once), once);
}

}  // namespace
}  // namespace frit
