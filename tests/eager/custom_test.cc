// Schemas of registered ops, calls of them, and their text in graphs.
#include "frit/custom_op.h"

#include <gtest/gtest.h>

#include "frit/graph.h"
#include "frit/ops.h"
#include "src/tensor/tensor_impl.h"
#include "tests/error_of.h"

namespace frit {
namespace {

std::vector<Tensor> first(const OpArgs& args) { return {args.tensor(0).clone()}; }
void like_first(const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); }

std::string refusal_of(const std::string& schema) {
  return error_of([&] { register_op(schema, {.eager = first, .fake = like_first}); });
}

TEST(Schema, IsRefusedNamingThePlace) {
  EXPECT_EQ(refusal_of("f(Tensor x) -> Tensor"),
            "register_op(f(Tensor x) -> Tensor): line 1, column 2: expected ':', found '('");
  EXPECT_EQ(refusal_of("a::f(Device x) -> Tensor"),
            "register_op(a::f(Device x) -> Tensor): line 1, column 6: expected Tensor, float, "
            "Scalar, int, int[], bool or str, found 'Device'");
  EXPECT_EQ(
      refusal_of("a::f(Tensor x) -> int"),
      "register_op(a::f(Tensor x) -> int): line 1, column 19: expected Tensor: results of other "
      "kinds are not supported, found 'int'");
  EXPECT_EQ(refusal_of("a::f(Tensor(a) x) -> Tensor(a)"),
            "register_op(a::f(Tensor(a) x) -> Tensor(a)): line 1, column 14: expected '!': results "
            "that are views are not supported: give a copy, found ')'");
  EXPECT_EQ(
      refusal_of("a::f(Tensor x, int n=2, int m) -> Tensor"),
      "register_op(a::f(Tensor x, int n=2, int m) -> Tensor): line 1, column 30: the argument m "
      "has no default, but one before it has, found ')'");
  EXPECT_EQ(refusal_of("a::f(Tensor x, Tensor x) -> Tensor"),
            "register_op(a::f(Tensor x, Tensor x) -> Tensor): line 1, column 24: the argument x is "
            "there twice, found ')'");
}

TEST(Schema, NeedsFunctionsThatFitIt) {
  EXPECT_EQ(error_of([] { register_op("a::g(Tensor x) -> Tensor", {}); }),
            "register_op(a::g(Tensor x) -> Tensor): no function: give eager_out or eager");
  EXPECT_EQ(
      error_of([] {
        register_op("a::g(Tensor x) -> Tensor",
                    {.eager_out = [](const OpArgs&, std::span<const Tensor>) {}});
      }),
      "register_op(a::g(Tensor x) -> Tensor): eager_out needs fake, which says what the results "
      "are");
}

TEST(Schema, OfAnOpThatIsThereMustBeTheSame) {
  register_op("a::taken(Tensor x) -> Tensor", {.eager = first});
  register_op("a::taken(Tensor   x)\n -> Tensor", {.eager = first});
  EXPECT_EQ(error_of([] { register_op("a::taken(Tensor y) -> Tensor", {.eager = first}); }),
            "register_op(a::taken(Tensor y) -> Tensor): a::taken is registered already, as "
            "a::taken(Tensor x) -> Tensor");
}

// The arguments of the last call of a::shown, as text.
std::string shown;

CustomOp show() {
  static const CustomOp op = register_op(
      "a::shown(Tensor x, Tensor? y=None, *, float z=0.5, int[] b=[1, 2], int a=-3, bool c=True, "
      "Scalar s=2) -> Tensor",
      {.eager =
           [](const OpArgs& args) {
             std::ostringstream out;
             out << args.has(1) << ' ' << args.number(2) << ' ' << args.ints(3) << ' '
                 << args.integer(4) << ' ' << args.flag(5) << ' ' << args.scalar(6).is_float();
             shown = out.str();
             return first(args);
           },
       .fake = like_first});
  return op;
}

TEST(CustomOp, GetsItsArgumentsAndTheirDefaults) {
  const Tensor x = tensor({1.0f});
  show()({x});
  EXPECT_EQ(shown, "0 0.5 [1, 2] -3 1 0");
  show()({x, x, 4, {5, 6, 7}, 8, false, 1.5});
  EXPECT_EQ(shown, "1 4 [5, 6, 7] 8 0 1");
  show()({x, std::nullopt, 4.0, std::vector<int64_t>{}});
  EXPECT_EQ(shown, "0 4 [] -3 1 0");
}

TEST(CustomOp, RefusesArgumentsOfOtherKinds) {
  const Tensor x = tensor({1.0f});
  EXPECT_EQ(error_of([] { show()({}); }), "a::shown: argument x is missing");
  EXPECT_EQ(error_of([] { show()({2}); }), "a::shown: argument x: expected Tensor, got a number");
  EXPECT_EQ(error_of([&] {
              show()({x, x, x});
            }),
            "a::shown: argument z: expected float, got a tensor");
  EXPECT_EQ(error_of([&] {
              show()({x, x, 1, 2});
            }),
            "a::shown: argument b: expected int[], got a number");
  EXPECT_EQ(error_of([&] {
              show()({x, x, 1, {}, 2.5});
            }),
            "a::shown: argument a: expected int, got a number");
  EXPECT_EQ(error_of([&] {
              show()({x, x, 1, {}, 2, true, 1, 1});
            }),
            "a::shown: too many arguments: 8 for 7");
}

TEST(CustomOp, RefusesResultsThatShareMemoryWithAnOperand) {
  const CustomOp op = register_op("a::view(Tensor x) -> Tensor",
                                  {.eager = [](const OpArgs& args) -> std::vector<Tensor> {
                                    return {args.tensor(0).slice(0, 1)};
                                  }});
  EXPECT_EQ(
      error_of([&] {
        op({tensor({1.0f, 2.0f})});
      }),
      "a::view(f32[2]): result 1 shares memory with operand 1: give a copy, or declare that the "
      "op writes to it");
}

TEST(CustomOp, RefusesAnotherNumberOfResultsThanItsSchemas) {
  const CustomOp op = register_op("a::two(Tensor x) -> (Tensor, Tensor)", {.eager = first});
  EXPECT_EQ(error_of([&] { op.call({tensor({1.0f})}); }),
            "a::two(f32[1]): its function gave 1 results, its schema says 2");
  EXPECT_EQ(error_of([&] { op({tensor({1.0f})}); }),
            "a::two: it has 2 results, not one: use call()");
}

TEST(CustomOp, GivesTensorsThatNobodyElseHolds) {
  static const Tensor cached = tensor({1.0f, 2.0f});
  const CustomOp op =
      register_op("a::cached(Tensor x) -> Tensor",
                  {.eager = [](const OpArgs&) -> std::vector<Tensor> { return {cached}; }});
  op({cached + 1}).add_(10);
  EXPECT_EQ(cached[0].item<float>(), 1);
}

TEST(CustomOp, LeavesNoMarkOfThePointersThatItTakes) {
  const CustomOp op = register_op("a::pointers(Tensor x) -> Tensor",
                                  {.eager_out =
                                       [](const OpArgs& args, std::span<const Tensor> results) {
                                         *results[0].data_ptr<float>() =
                                             *args.tensor(0).data_ptr<float>() + 1;
                                       },
                                   .fake = like_first});
  const Tensor x = tensor({1.0f}), y = op({x});
  EXPECT_EQ(y.item<float>(), 2);
  for (const Tensor& t : {x, y}) {
    EXPECT_EQ(t.impl()->storage->write_exposed.load(), 0);
    EXPECT_EQ(t.impl()->storage->read_exposed.load(), 0);
  }
}

TEST(CustomOp, IsFoundByItsName) {
  show();
  EXPECT_EQ(custom_op("a::shown").op(), show().op());
  EXPECT_EQ(name(show().op()), "a::shown");
  EXPECT_EQ(*op_named("a::shown"), show().op());
  EXPECT_EQ(error_of([] { custom_op("a::nobody"); }),
            "custom_op(a::nobody): no such op: register it, or load the plug-in that does");
}

TEST(CustomOp, ThatWritesGivesItsOperandBack) {
  const CustomOp op = register_op("a::fill_(Tensor(a!) x, float value) -> Tensor(a!)",
                                  {.eager_out = [](const OpArgs& args, std::span<const Tensor>) {
                                    args.tensor(0).fill_(args.scalar(1));
                                  }});
  const Tensor x = tensor({1.0f, 2.0f, 3.0f});
  const Tensor part = x.slice(0, 0, 3, 2);
  EXPECT_TRUE(op({part, 7}).is_same(part));
  EXPECT_EQ(x[0].item<float>(), 7);
  EXPECT_EQ(x[1].item<float>(), 2);
  EXPECT_EQ(x[2].item<float>(), 7);
}

constexpr char kText[] = R"(graph %g(%x: f32[2], %s: f64) -> f32[2] {
  %0: f32[2] = a::shown %x, false, %s, 2 {a=-3, b=[1,2], c=true}
  %1: f32[2] = relu %0
  return %1
}
)";

TEST(CustomOp, OfAGraphIsPrintedParsedVerifiedAndInterpreted) {
  show();
  const Graph graph = Graph::parse(kText);
  EXPECT_EQ(Graph::parse(graph.print()).print(), graph.print());
  EXPECT_EQ(graph.verify(), "");
  EXPECT_EQ(graph.verify(true), "");
  const GraphArg args[] = {tensor({-1.0f, 2.0f}), Scalar(3.0)};
  const Tensor y = interpret(graph, args)[0];
  EXPECT_EQ(y[0].item<float>(), 0);
  EXPECT_EQ(y[1].item<float>(), 2);
  EXPECT_EQ(shown, "0 3 [1, 2] -3 1 0");
}

TEST(CustomOp, ThatNobodyRegisteredIsRefusedInTextsByName) {
  EXPECT_EQ(
      error_of([] {
        Graph::parse(
            "graph %g(%x: f32[2]) -> f32[2] {\n  %0: f32[2] = b::missing %x\n  return "
            "%0\n}\n");
      }),
      "graph: line 2, column 16: unknown op b::missing: register it, or load the plug-in that "
      "does");
}

TEST(CustomOp, MustNotAskForElementsOrNumbersInItsFakeFunction) {
  const CustomOp op = register_op("a::asks(Tensor x, float z) -> Tensor",
                                  {.eager = first, .fake = [](const OpArgs& args, OpTypes& types) {
                                     types.add(kFloat32, {static_cast<int64_t>(args.number(1))});
                                   }});
  Graph graph("g");
  const auto x = graph.add_input("x", intern_contiguous(kFloat32, kCPU, {2}));
  EXPECT_EQ(
      error_of([&] {
        graph.add_node(op.op(), {{x, {}}, {-1, Scalar(2.0)}}, {});
      }),
      "a::asks: its fake function asks for the value of z, which varies from call to call: make "
      "it an int or a bool");
}

}  // namespace
}  // namespace frit
