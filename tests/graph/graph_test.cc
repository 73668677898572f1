// Graphs: text forms, verification, interpretation.
#include "frit/graph.h"

#include <gtest/gtest.h>

#include "frit/ops.h"

namespace frit {
namespace {

constexpr char kMlp[] =
    "graph %mlp(%x: f32[8,16], %w: f32[16,4], %s: f64) -> f32[8,4] {\n"
    "  %0: f32[8,4] = matmul %x, %w\n"
    "  %1: f32[8,4] = mul %0, %s\n"
    "  %2: f32[8,4] = relu %1\n"
    "  return %2\n"
    "}\n";

std::string parse_error(const std::string& text) {
  try {
    Graph::parse(text);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Graph, PrintsWhatItParses) {
  for (const char* text : {
           kMlp,
           "graph %v(%x: f32[2,3]) -> f32[3,2]{1,3} {\n  %0: f32[3,2]{1,3} = permute %x {dims=[1, "
           "0]}\n  return %0\n}\n",
           "graph %r(%x: f32[2,3]) -> f32[2] {\n  %0: f32[2] = sum %x {dims=[1], keepdim=false}\n  "
           "return %0\n}\n",
           "graph %t(%x: f32[4]) -> f32[2], i64[2] {\n  %0: f32[2], %1: i64[2] = topk %x {dim=0, "
           "k=2, largest=true}\n  return %0, %1\n}\n",
           "graph %l(%x: i64[4]) -> f32[4] {\n  %0: f32[4] = mul %x, 2.5\n  return %0\n}\n",
           "graph %c(%x: f32[4]) -> bool[4] {\n  %0: bool[4] = cast %x {dtype=bool}\n  return "
           "%0\n}\n",
           "graph %e() {\n  return\n}\n",
       })
    EXPECT_EQ(Graph::parse(text).print(), text);
}

TEST(Graph, LiteralsKeepTheirBits) {
  for (const char* number : {"0.1", "-0.0", "inf", "-inf", "nan", "1e-45",
                             "1.7976931348623157e+308", "3", "-7", "true"}) {
    const std::string text = "graph %g(%x: f32[1]) -> f32[1] {\n  %0: f32[1] = add %x, " +
                             std::string(number) + "\n  return %0\n}\n";
    EXPECT_EQ(Graph::parse(text).print(), text);
  }
}

TEST(Graph, ParserPointsAtTheError) {
  EXPECT_EQ(parse_error(
                "graph %g(%x: f32[2]) -> f32[2] {\n  %0: f32[2] = frobnicate %x\n  return %0\n}\n"),
            "graph: line 2, column 16: expected an op, found 'frobnicate'");
  EXPECT_EQ(
      parse_error("graph %g(%x: f32[2]) -> f32[2] {\n  %0: f32[2] = relu %y\n  return %0\n}\n"),
      "graph: line 2, column 21: expected a value defined before, found '%y'");
  EXPECT_NE(
      parse_error("graph %g(%x: f32[2]) -> f32[3] {\n  %0: f32[3] = relu %x\n  return %0\n}\n")
          .find("by the rule of relu"),
      std::string::npos);
  EXPECT_NE(parse_error("graph %g(%x: f32[2,").find("found the end"), std::string::npos);
  EXPECT_NE(parse_error("graph %g(%x: f32[99999999999,99999999999]) { return }").find("too large"),
            std::string::npos);
}

TEST(Graph, OperandsThatDoNotFitAreRefused) {
  EXPECT_NE(parse_error("graph %g(%a: f32[2,3], %b: f32[2,3]) -> f32[2,3] {\n  %0: f32[2,3] = "
                        "matmul %a, %b\n  return %0\n}\n")
                .find("matmul"),
            std::string::npos);
}

TEST(Graph, CoreVerifierWantsEqualDtypesAndSizes) {
  const Graph mixed = Graph::parse(
      "graph %g(%a: f32[2,3], %b: f32[3]) -> f32[2,3] {\n  %0: f32[2,3] = add %a, %b\n  return "
      "%0\n}\n");
  EXPECT_EQ(mixed.verify(), "");
  EXPECT_EQ(mixed.verify(true),
            "graph %g: %0 = add: operand 2 is f32[3], expected the sizes of the result");
}

TEST(Graph, InterpretsWithTensorsAndScalars) {
  const Graph g = Graph::parse(kMlp);
  const GraphArg args[] = {full({8, 16}, 1.0), full({16, 4}, 0.5), Scalar(-2.0)};
  EXPECT_EQ(interpret(g, args)[0].sum().item<float>(), 0.0f);
  const GraphArg positive[] = {full({8, 16}, 1.0), full({16, 4}, 0.5), Scalar(2.0)};
  EXPECT_EQ(interpret(g, positive)[0][0][0].item<float>(), 16.0f);
}

TEST(Graph, InterpretRefusesOtherTypes) {
  const Graph g = Graph::parse(kMlp);
  const GraphArg few[] = {full({8, 16}, 1.0)};
  EXPECT_THROW(interpret(g, few), Error);
  const GraphArg wrong[] = {full({8, 15}, 1.0), full({16, 4}, 0.5), Scalar(2.0)};
  EXPECT_THROW(interpret(g, wrong), Error);
  const GraphArg kind[] = {ones({8, 16}), ones({16, 4}), Scalar(1)};
  EXPECT_THROW(interpret(g, kind), Error);
  const GraphArg tensor[] = {ones({8, 16}), ones({16, 4}), ones({})};
  EXPECT_THROW(interpret(g, tensor), Error);
  Graph no_such_output = g;
  no_such_output.set_outputs({g.num_values()});
  const GraphArg right[] = {ones({8, 16}), ones({16, 4}), Scalar(1.0)};
  EXPECT_THROW(interpret(no_such_output, right), Error);
  EXPECT_NO_THROW(interpret(g, right));
}

TEST(Graph, CompositesOfTooFewOperandsOrOfNumbersAreRefused) {
  for (const char* call :
       {"softmax 1 {dim=0}", "linear %x, 2", "embedding %x, 2", "mean 1 {dims=[], keepdim=false}",
        "layer_norm %x {affine=false, dims=1}",
        "scaled_dot_product_attention %x, %x, %x {causal=false, mask=false}"}) {
    const std::string text =
        "graph %g(%x: f32[4,8]) -> f32[4,8] {\n  %0: f32[4,8] = " + std::string(call) +
        "\n  return %0\n}\n";
    EXPECT_NE(parse_error(text).find("operand"), std::string::npos) << call << parse_error(text);
  }
}

}  // namespace
}  // namespace frit
