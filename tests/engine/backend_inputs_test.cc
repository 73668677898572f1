// What backends get beside the graph: example inputs; and what is decomposed for them.
#include <gtest/gtest.h>

#include <sstream>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

CompiledGraph interpreting(const BackendInput& input) {
  return [graph = input.graph](std::span<const GraphArg> args) { return interpret(graph, args); };
}

// The examples as text: a tensor's elements, a number, or "gone"; graphs apart by a line each.
Backend noting(std::string* seen) {
  return [seen](const BackendInput& input) -> CompiledGraph {
    std::ostringstream text;
    for (size_t i = 0; i < input.examples.size(); ++i) {
      const GraphArg& arg = input.examples[i];
      text << (i > 0 ? " " : "");
      if (input.graph.is_scalar(static_cast<Graph::ValueId>(i)))
        text << arg.scalar.to_double();
      else if (!arg.tensor.defined())
        text << "gone";
      else
        for (float f : values(arg.tensor)) text << f << ",";
    }
    *seen += text.str() + "\n";
    return interpreting(input);
  };
}

TEST(ExampleInputs, AreTheArgumentsOfTheCallThatIsCompiled) {
  HotScope hot;
  std::string seen;
  register_backend("test_examples", noting(&seen));
  const auto fast = compile([](const Tensor& x, const Tensor& w) { return x * w + 1; },
                            {.backend = "test_examples"});
  const Tensor x = tensor({1.0f, 2.0f}), w = tensor({3.0f, 4.0f});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x, w)), (std::vector<float>{4, 9}));
  EXPECT_EQ(seen, "1,2, 3,4,\n");
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(ExampleInputs, HaveNumbersThatVary) {
  HotScope hot;
  std::string seen;
  register_backend("test_numbers", noting(&seen));
  double scale = 1;
  const auto fast =
      compile([&](const Tensor& x) { return relu(x) * scale; }, {.backend = "test_numbers"});
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 4; ++i, scale += 1)
    EXPECT_EQ(values(fast(x))[1], static_cast<float>(2 * scale));
  EXPECT_EQ(seen, "1,2,\n1,2, 1\n");  // at first the number is a literal
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(ExampleInputs, ThatNoLongerExistAreUndefined) {
  HotScope hot;
  std::string seen;
  register_backend("test_gone", noting(&seen));
  set_default_backend("test_gone");
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 4; ++i) {
    Tensor extra = tensor({5.0f, 6.0f});
    Tensor y = x * extra;
    extra = Tensor();
    EXPECT_EQ(values(relu(y) + 1), (std::vector<float>{6, 13}));
  }
  set_default_backend("native");
  EXPECT_NE(seen.find("1,2, gone"), std::string::npos) << seen;
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(ExampleInputs, AreOfTheNewShapeWhereAPlanIsBuiltForOne) {
  HotScope hot;
  std::string seen;
  register_backend("test_shapes", noting(&seen));
  const auto fast =
      compile([](const Tensor& x) { return relu(x * 2) + 1; }, {.backend = "test_shapes"});
  for (int64_t n = 1; n < 5; ++n)
    for (int i = 0; i < 2; ++i) EXPECT_EQ(fast(ones({n})).numel(), n);
  EXPECT_NE(seen.find("1,\n1,1,\n"), std::string::npos) << seen;
}

TEST(ExampleInputs, ReachNormalizedAndPartsOfGraphs) {
  HotScope hot;
  std::string seen;
  const auto takes = [](const Graph&, const Graph::Node& n) { return name(n.op) != "tanh"; };
  register_backend("test_parts_of", normalized(partitioned(noting(&seen), takes)));
  const auto fast =
      compile([](const Tensor& x) { return relu(tanh(x * 2) + x); }, {.backend = "test_parts_of"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(tensor({0.0f})))[0], 0.0f);
  EXPECT_EQ(seen, "0,\ngone 0,\n");
}

// The ops that a backend gets of a function, one after the other.
template <class Fn>
std::string ops_given(Decompositions decompositions, Fn fn) {
  HotScope hot;
  std::string seen;
  register_backend("test_tables", normalized(
                                      [&](const BackendInput& input) {
                                        for (const auto& node : input.graph.nodes())
                                          seen += std::string(name(node.op)) + " ";
                                        return interpreting(input);
                                      },
                                      std::move(decompositions)));
  const Tensor x = tensor({0.5f, -2.0f, 3.0f, 1.0f}).reshape({2, 2});
  const auto fast = compile(fn, {.backend = "test_tables"});
  const std::vector<float> expected = values(fn(x));
  for (int i = 0; i < 3; ++i) {
    const std::vector<float> got = values(fast(x));
    for (size_t e = 0; e < expected.size(); ++e) EXPECT_NEAR(got[e], expected[e], 1e-5);
  }
  EXPECT_GE(hot.plan_entries() + hot.reason("backend_refused") + hot.reason("compile_error"), 1);
  return seen;
}

Tensor activated(const Tensor& x) { return softmax(silu(x), -1); }

TEST(DecompositionTables, DecomposeCompositesByDefault) {
  EXPECT_EQ(ops_given({}, activated), "silu amax expand sub exp sum expand div ");
  const std::vector<std::string> table = default_decompositions();
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end()));
  EXPECT_NE(std::find(table.begin(), table.end(), "softmax"), table.end());
  EXPECT_EQ(std::find(table.begin(), table.end(), "silu"), table.end());
}

TEST(DecompositionTables, KeepWhatIsNamed) {
  EXPECT_EQ(ops_given({"softmax"}, activated), "silu softmax ");
  EXPECT_EQ(ops_given(Decompositions().keep({"softmax", "silu"}), activated), "silu softmax ");
}

TEST(DecompositionTables, TakeABackendsOwnFormOfAnyOp) {
  const auto silu = [](OpExpansion& b) {
    return b.op("mul", {b.arg(0), b.op("sigmoid", {b.arg(0)})});
  };
  const auto softmax = [](OpExpansion& b) {
    const auto e = b.op("exp", {b.arg(0)});
    EXPECT_EQ(b.num_args(), 1);
    const auto total = b.op("sum", {e}, {{"dims", {b.integer("dim")}}, {"keepdim", true}});
    return b.op("div", {e, total});
  };
  EXPECT_EQ(ops_given(Decompositions().add("silu", silu).add("softmax", softmax), activated),
            "sigmoid mul exp sum expand div ");
  const auto sum = [](OpExpansion& b) {
    EXPECT_FALSE(b.flag("keepdim"));
    const auto kept = b.op("amax", {b.arg(0)}, {{"dims", b.ints("dims")}, {"keepdim", true}});
    return b.op("squeeze", {kept}, {{"dims", b.ints("dims")}});
  };
  EXPECT_EQ(ops_given(Decompositions().add("sum", sum),
                      [](const Tensor& x) { return frit::sum(x.slice(1, 0, 1), {1}); }),
            "slice amax squeeze ");
}

TEST(DecompositionTables, ThatAreWrongLeaveTheCallsEager) {
  const auto other_type = [](OpExpansion& b) { return b.cast(b.arg(0), kFloat64); };
  EXPECT_EQ(ops_given(Decompositions().add("silu", other_type), activated), "");
  EXPECT_GE(stats().fallbacks.count(
                "not compiled: silu: its decomposition: gives f64[2,2], not f32[2,2]"),
            1u);
  const auto itself = [](OpExpansion& b) { return b.op("silu", {b.arg(0)}); };
  EXPECT_EQ(ops_given(Decompositions().add("silu", itself), activated), "");
  EXPECT_GE(
      stats().fallbacks.count("not compiled: normalized(%trace): decompositions go in circles: "
                              "there is no end after 64 rounds"),
      1u);
  const auto asks = [](OpExpansion& b) { return OpExpansion::Value(b.integer("dims")); };
  EXPECT_EQ(ops_given(Decompositions().add("silu", asks), activated), "");
  EXPECT_GE(stats().fallbacks.count("not compiled: silu: its decomposition: no attribute dims"),
            1u);
  const auto schema = [](OpExpansion& b) { return OpExpansion::Value(b.args().number(0)); };
  EXPECT_EQ(ops_given(Decompositions().add("silu", schema), activated), "");
  EXPECT_GE(
      stats().fallbacks.count("not compiled: silu: its decomposition: it has no schema: ask for "
                              "attributes by name"),
      1u);
}

TEST(DecompositionTables, NameOpsThatExist) {
  const Backend backend = interpreting;
  const auto same = [](OpExpansion& b) { return b.arg(0); };
  const auto problem = [&](Decompositions d) {
    return error_of([&] { normalized(backend, std::move(d)); });
  };
  EXPECT_EQ(problem({"no_op"}), "normalized(keep=no_op): no such op");
  EXPECT_EQ(problem(Decompositions().add("no_op", same)),
            "normalized(decompositions=no_op): no such op");
  EXPECT_EQ(problem(Decompositions().add("silu", nullptr)),
            "normalized(decompositions=silu): the function is empty");
  EXPECT_EQ(problem(Decompositions().add("topk", same)),
            "normalized(decompositions=topk): only ops of one result can be decomposed");
  EXPECT_EQ(problem(Decompositions({"gelu"}).add("gelu", same)),
            "normalized(decompositions=gelu): it is to be kept as well");
  EXPECT_EQ(error_of([] { normalized(nullptr); }), "normalized(): the function is empty");
}

}  // namespace
}  // namespace frit
