// Registered ops with lists of tensors, texts and arguments that may be left out: called, in
// graphs, in their text and in what is compiled.
#include <gtest/gtest.h>

#include <sstream>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

// The sum of a list of rows, or their maximum, times a number if there is one, plus a bias.
Tensor joined(const OpArgs& args) {
  Tensor all = args.tensor(1).clone();
  for (int k = 0; k < args.count(0); ++k)
    all = args.text(3) == "max" ? maximum(all, args.tensor(0, k)) : all + args.tensor(0, k);
  if (args.has(2)) all = all * args.scalar(2);
  return args.has(4) ? all + args.integer(4) : all;
}

CustomOp join() {
  static const CustomOp op = register_op(
      "kinds::join(Tensor[] parts, Tensor bias, float? by=None, str mode=\"sum\", int? n=None) -> "
      "Tensor",
      {.eager = [](const OpArgs& args) { return std::vector{joined(args)}; },
       .fake = [](const OpArgs& args, OpTypes& types) { types.add_like(args.facts(1)); }});
  return op;
}

std::vector<Tensor> parts(const Tensor& x, int count) {
  std::vector<Tensor> all;
  for (int k = 0; k < count; ++k) all.push_back(x * (k + 1));
  return all;
}

TEST(CustomOpKinds, AreHandedToTheFunction) {
  const Tensor x = tensor({1.0f, -2.0f}), bias = tensor({10.0f, 10.0f});
  EXPECT_EQ(values(join()({parts(x, 3), bias})), (std::vector<float>{16, -2}));
  EXPECT_EQ(values(join()({parts(x, 0), bias, 0.5})), (std::vector<float>{5, 5}));
  EXPECT_EQ(values(join()({parts(x, 12), bias, std::nullopt, "max", 1})),
            (std::vector<float>{13, 11}));
}

TEST(CustomOpKinds, AreRefusedWhereTheyDoNotFit) {
  const Tensor x = tensor({1.0f});
  EXPECT_EQ(error_of([&] {
              join()({x, x});
            }),
            "kinds::join: argument parts: expected Tensor[], got a tensor");
  EXPECT_EQ(error_of([&] {
              join()({parts(x, 1), parts(x, 1)});
            }),
            "kinds::join: argument bias: expected Tensor, got a list of tensors");
  EXPECT_EQ(error_of([&] {
              join()({parts(x, 1), x, "two"});
            }),
            "kinds::join: argument by: expected float?, got a text");
  EXPECT_EQ(error_of([&] {
              join()({parts(x, 1), x, 2, 3});
            }),
            "kinds::join: argument mode: expected str, got a number");
  EXPECT_EQ(error_of([&] {
              join()({parts(x, 1), x, 2, std::string_view("a\0b", 3)});
            }),
            "kinds::join: argument mode: there is a zero byte in the text");
  EXPECT_EQ(error_of([&] {
              join()({parts(x, 1), x, 2, "sum", 0.5});
            }),
            "kinds::join: argument n: expected int?, got a number");
  EXPECT_EQ(error_of([&] {
              join()({std::vector<Tensor>{Tensor()}, x});
            }),
            "kinds::join: argument parts: a tensor is undefined");
  EXPECT_EQ(error_of([&] {
              join()({parts(x, 24), x});
            }),
            "kinds::join: more than 24 tensors and numbers");
}

TEST(CustomOpKinds, AreRefusedInSchemasThatMeanNothing) {
  const auto refusal = [](const std::string& schema) {
    const std::string text = error_of([&] {
      register_op(schema, {.eager = [](const OpArgs&) { return std::vector<Tensor>(); }});
    });
    return text.substr(text.find("column"));
  };
  EXPECT_EQ(refusal("k::f(Tensor[] x, Tensor[] y) -> ()"),
            "column 28: a second Tensor[], found ')'");
  EXPECT_EQ(refusal("k::f(Tensor(a!)[] x) -> ()"),
            "column 19: a Tensor[] that is written to is not supported, found 'x'");
  EXPECT_EQ(refusal("k::f(Tensor x, Scalar? s) -> ()"),
            "column 22: of Scalar nothing else is supported, found '?'");
  EXPECT_EQ(refusal("k::f(Tensor[] x=None) -> ()"),
            "column 17: a Tensor[] has no default, found 'None'");
  EXPECT_EQ(refusal("k::f(Tensor x, str s=sum) -> ()"),
            "column 22: expected a text in quotes, found 'sum'");
  EXPECT_EQ(refusal("k::f(Tensor x) -> Tensor[]"),
            "column 27: a result of type Tensor[] is not supported, found the end");
}

TEST(CustomOpKinds, AreRefusedWhenAskedForAsOthers) {
  const auto refusal = [](auto ask) {
    static int number = 0;
    const CustomOp op = register_op(
        "kinds::ask" + std::to_string(number++) + "(Tensor[] t, float? f, int? n, str s) -> ()",
        {.eager = [=](const OpArgs& args) { return ask(args), std::vector<Tensor>(); }});
    const std::string text = error_of([&] {
      op.call({parts(tensor({1.0f}), 1), std::nullopt, std::nullopt, "x"});
    });
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_EQ(refusal([](const OpArgs& args) { args.tensor(0, 1); }),
            "its functions ask for tensor 1 of t, which has 1");
  EXPECT_EQ(refusal([](const OpArgs& args) { args.scalar(1); }),
            "its functions ask for f, which was left out");
  EXPECT_EQ(refusal([](const OpArgs& args) { args.integer(2); }),
            "its functions ask for n, which was left out");
  EXPECT_EQ(refusal([](const OpArgs& args) { args.integer(3); }),
            "its functions ask for argument s as another kind than its schema says");
  EXPECT_EQ(refusal([](const OpArgs& args) { args.count(3); }),
            "its functions ask for argument s as another kind than its schema says");
}

// A number of the plan that was given is no number that was left out.
TEST(CustomOpKinds, OfADecompositionMayVary) {
  HotScope hot;
  const CustomOp op = register_op(
      "kinds::scaled(Tensor x, float? by=None) -> Tensor",
      {.fake = [](const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); },
       .decomposition =
           [](OpExpansion& b) {
             return b.args().has(1) ? b.op("mul", {b.arg(0), b.arg(1)}) : b.op("neg", {b.arg(0)});
           }});
  const auto fast = compile(
      [&](const Tensor& x, double by) {
        return relu(op({x, by}) + 1);
      },
      {.dynamic = true});
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 1; i < 8; ++i)
    EXPECT_EQ(values(fast(x, i)),
              (std::vector<float>{static_cast<float>(1 * i + 1), static_cast<float>(2 * i + 1)}));
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_EQ(values(op({x})), (std::vector<float>{-1, -2}));
}

constexpr char kText[] = R"(graph %g(%x: f32[2], %s: f64) -> f32[2] {
  %0: f32[2] = kinds::join %x, %x, %x, %s {mode="a \"b\" \\ c\x0a", n=[3]}
  %1: f32[2] = kinds::join %0, false {mode="", n=[]}
  return %1
}
)";

TEST(CustomOpKinds, OfAGraphArePrintedParsedAndInterpreted) {
  join();
  const Graph graph = Graph::parse(kText);
  EXPECT_EQ(graph.print(), kText);
  EXPECT_EQ(graph.verify(true), "");
  const GraphArg args[] = {tensor({1.0f, 2.0f}), Scalar(2.0)};
  EXPECT_EQ(values(interpret(graph, args)[0]), (std::vector<float>{9, 15}));
}

TEST(CustomOpKinds, OfAGraphAreCheckedForTheirNumber) {
  join();
  EXPECT_NE(error_of([] {
              Graph::parse(
                  "graph %g(%x: f32[2]) -> f32[2] {\n  %0: f32[2] = kinds::join %x {mode=\"\", "
                  "n=[]}\n  return %0\n}\n");
            }).find("number of operands: 1"),
            std::string::npos);
}

TEST(CustomOpKinds, ArePartOfPlans) {
  HotScope hot;
  const auto fast = compile(
      [](const Tensor& x, int count, OpArg by, const char* mode, OpArg n) {
        return relu(join()({parts(x, count), x, by, mode, n})) + 1;
      },
      {.fullgraph = true});
  const auto plain = [](const Tensor& x, int count, OpArg by, const char* mode, OpArg n) {
    return relu(join()({parts(x, count), x, by, mode, n})) + 1;
  };
  const Tensor x = tensor({1.0f, -2.0f});
  struct {
    int count;
    OpArg by;
    const char* mode;
    OpArg n;
  } const calls[] = {{2, 0.5, "sum", 3},
                     {2, 0.5, "sum", std::nullopt},
                     {3, std::nullopt, "sum", std::nullopt},
                     {3, 4, "max", std::nullopt},
                     {0, std::nullopt, "max", -1}};
  for (int i = 0; i < 5; ++i) {
    for (const auto& c : calls) {
      const std::vector<float> made = values(fast(x, c.count, c.by, c.mode, c.n));
      set_jit_mode("off");
      EXPECT_EQ(made, values(plain(x, c.count, c.by, c.mode, c.n))) << i << c.mode << c.count;
      set_jit_mode("on");
    }
  }
  EXPECT_GE(hot.plan_entries(), 10);
}

TEST(CustomOpKinds, OfADecompositionAreFused) {
  HotScope hot;
  const CustomOp op = register_op("kinds::add_all(Tensor[] parts, str mode) -> Tensor",
                                  {.decomposition = [](OpExpansion& b) {
                                    OpExpansion::Value sum = b.arg(0, 0);
                                    for (int k = 1; k < b.args().count(0); ++k)
                                      sum = b.op("add", {sum, b.arg(0, k)});
                                    return b.args().text(1) == "negated" ? b.op("neg", {sum}) : sum;
                                  }});
  const auto fast = compile([&](const Tensor& x) { return op({parts(x, 3), "negated"}) * 2; });
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(fast(x)), (std::vector<float>{-12, 24}));
  EXPECT_GE(hot.plan_entries(), 2);
  EXPECT_EQ(explain_region(*fast.region()).plans[0].forms[0].kernels.size(), 1u);
  EXPECT_EQ(
      error_of([&] {
        op({parts(x, 0), "plain"});
      }),
      "kinds::add_all(mode=\"plain\"): kinds::add_all: its decomposition: there is no tensor 0 "
      "of parts");
}

TEST(CheckCustomOps, FindsWritesToATensorOfAList) {
  const CustomOp op = register_op("kinds::scribbles(Tensor x, Tensor[] all) -> ()",
                                  {.eager_out = [](const OpArgs& args, std::span<const Tensor>) {
                                    args.tensor(1, 1).fill_(7);
                                  }});
  base::mutable_flags().check_custom_ops = true;
  const Tensor x = tensor({1.0f, 2.0f});
  EXPECT_EQ(error_of([&] {
              op.call({x, parts(x, 2)});
            }),
            "kinds::scribbles(f32[2], f32[2], f32[2]): its function has written to operand 3: "
            "declare it as Tensor(a!)");
  base::mutable_flags().check_custom_ops = false;
}

}  // namespace
}  // namespace frit
