// Passes of others, and Frit's own by name.
#include "frit/passes.h"

#include <gtest/gtest.h>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/error_of.h"

namespace frit {
namespace {

const char* const kMulAdd =
    "graph %g(%x: f32[4], %y: f32[4], %b: f32[4]) -> f32[4] {\n"
    "  %0: f32[4] = mul %x, %y\n"
    "  %1: f32[4] = add %b, %0\n"
    "  return %1\n"
    "}\n";

// b + x * y = addcmul(b, x, y, 1)
bool fuse_products(Graph& graph) {
  GraphRewriter rewriter(graph);
  for (const Graph::Node& node : graph.nodes()) {
    const Graph::Node* mul =
        name(node.op) == "add" ? rewriter.only_use_of("mul", node, 1) : nullptr;
    if (mul == nullptr)
      rewriter.copy(node);
    else
      rewriter.replace_by(node, "addcmul",
                          {node.operands[0], mul->operands[0], mul->operands[1], {-1, 1.0}});
  }
  return rewriter.finish();
}

std::vector<NamedPass> passes_with(NamedPass first, const Decompositions& decompositions = {}) {
  std::vector<NamedPass> passes = list_passes(decompositions);
  passes.insert(passes.begin(), std::move(first));
  return passes;
}

TEST(Passes, OfFritAreListedInOrder) {
  std::string names;
  for (const NamedPass& pass : list_passes()) names += pass.name + " ";
  EXPECT_EQ(names,
            "expand_composites promote_and_broadcast simplify eliminate_common eliminate_dead ");
}

TEST(Passes, OfFritNormalizeAndComeToAnEnd) {
  Graph graph = Graph::parse(
      "graph %g(%x: f32[2,4], %w: f32[3,4], %i: i64[2,3]) -> f32[2,3] {\n"
      "  %0: f32[2,3] = linear %x, %w\n"
      "  %1: f32[2,3] = pow %0, 2.5\n"
      "  %2: f32[2,3] = add %1, %i\n"
      "  %3: f32[2,3] = mul %2, 1\n"
      "  %4: f32[2,3] = gelu %3 {tanh=false}\n"
      "  return %4\n"
      "}\n");
  EXPECT_TRUE(run_passes(graph, list_passes()));
  EXPECT_EQ(graph.verify(true), "");
  EXPECT_FALSE(run_passes(graph, list_passes()));
}

TEST(Passes, OfABackendRunAmongFrits) {
  Graph graph = Graph::parse(kMulAdd);
  const GraphArg args[] = {arange(4, kFloat32), arange(4, kFloat32) + 5, ones({4})};
  const std::vector<float> before = values(interpret(graph, args)[0]);
  EXPECT_TRUE(run_passes(graph, passes_with({"fuse_products", fuse_products}, {"addcmul"})));
  EXPECT_EQ(graph.print(),
            "graph %g(%x: f32[4], %y: f32[4], %b: f32[4]) -> f32[4] {\n"
            "  %0: f32[4] = addcmul %b, %x, %y, 1.0\n"
            "  return %0\n"
            "}\n");
  EXPECT_EQ(graph.nodes()[0].origin, "add");
  EXPECT_EQ(values(interpret(graph, args)[0]), before);
}

TEST(Passes, ServeABackend) {
  HotScope hot;
  std::string seen;
  register_backend("test_fuses", [&](const BackendInput& input) -> CompiledGraph {
    Graph graph = input.graph;
    std::vector<NamedPass> passes = list_passes({"addcmul"}, input.guards);
    passes.push_back({"fuse_products", fuse_products});
    run_passes(graph, passes);
    seen = graph.print();
    return [graph](std::span<const GraphArg> args) { return interpret(graph, args); };
  });
  const auto fast = compile([](const Tensor& x, const Tensor& b) { return relu(b + x * x); },
                            {.backend = "test_fuses"});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(values(fast(tensor({1.0f, 2.0f}), tensor({1.0f, -9.0f}))),
              (std::vector<float>{2, 0}));
  EXPECT_NE(seen.find("addcmul %x1, %x0, %x0, 1.0"), std::string::npos) << seen;
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(Passes, WhoseFormDependsOnANumberRefuse) {
  Graph graph = Graph::parse(
      "graph %g(%x: f32[4], %s: f64) -> f32[4] {\n  %0: f32[4] = pow %x, %s\n  return %0\n}\n");
  EXPECT_EQ(error_of([&] { run_passes(graph, list_passes()); }),
            "expand_composites(%g): its form depends on the value of %s, which is not guarded");
}

TEST(Passes, ThatBreakTheGraphOrDoNotEndAreErrors) {
  Graph graph = Graph::parse(kMulAdd);
  const NamedPass endless[] = {{"endless", [](Graph&) { return true; }}};
  EXPECT_EQ(error_of([&] { run_passes(graph, endless); }),
            "run_passes(%g): no end: endless still changes the graph after 32 rounds");
  const NamedPass inputs[] = {{"inputs", [](Graph& g) {
                                 g = Graph::parse("graph %g(%x: f32[4]) -> f32[4] { return %x }");
                                 return true;
                               }}};
  EXPECT_EQ(error_of([&] { run_passes(graph, inputs); }),
            "run_passes(%g): wrong graph after inputs: its inputs are others");
  graph = Graph::parse(kMulAdd);
  const NamedPass outputs[] = {{"outputs", [](Graph& g) {
                                  g.set_outputs({0, 1});
                                  return true;
                                }}};
  EXPECT_EQ(error_of([&] { run_passes(graph, outputs); }),
            "run_passes(%g): wrong graph after outputs: its outputs are of other types");
  const NamedPass empty[] = {{"empty", nullptr}};
  EXPECT_EQ(error_of([&] { run_passes(graph, empty); }),
            "run_passes(empty): the function is empty");
}

TEST(Passes, AreVerified) {
  HotScope hot;  // FRIT_VERIFY
  Graph graph = Graph::parse(
      "graph %g(%x: f32[4], %s: f64) -> f32[4] {\n  %0: f32[4] = mul %x, %s\n  return %0\n}\n");
  const NamedPass wrong[] = {{"wrong", [](Graph& g) {
                                g.set_outputs({7});
                                return true;
                              }}};
  EXPECT_EQ(error_of([&] { run_passes(graph, wrong); }),
            "run_passes(%g): wrong graph after wrong: graph %g: return: an output is not a tensor "
            "value of the graph");
}

TEST(GraphRewriter, CountsUses) {
  Graph graph = Graph::parse(
      "graph %g(%x: f32[4]) -> f32[4], f32[4] {\n"
      "  %0: f32[4] = mul %x, %x\n"
      "  %1: f32[4] = add %x, %0\n"
      "  return %0, %1\n"
      "}\n");
  GraphRewriter rewriter(graph);
  EXPECT_EQ(rewriter.num_uses(0), 3);
  EXPECT_EQ(rewriter.num_uses(1), 2);
  EXPECT_EQ(rewriter.only_use_of("mul", graph.nodes()[1], 1), nullptr);  // an output as well
  EXPECT_EQ(rewriter.only_use_of("mul", graph.nodes()[1], 0), nullptr);
  EXPECT_EQ(rewriter.only_use_of("mul", graph.nodes()[1], 5), nullptr);
}

TEST(GraphRewriter, LeavesAGraphAloneOfWhichNothingIsReplaced) {
  Graph graph = Graph::parse(kMulAdd);
  GraphRewriter rewriter(graph);
  for (const Graph::Node& node : graph.nodes()) rewriter.copy(node);
  EXPECT_FALSE(rewriter.finish());
  EXPECT_EQ(graph.print(), kMulAdd);
}

TEST(GraphRewriter, CopiesWhatWouldBeAnInputOrAnotherOutput) {
  Graph graph = Graph::parse(
      "graph %g(%x: f32[4]) -> f32[4], f32[4], f32[4] {\n"
      "  %0: f32[4] = mul %x, 1\n"
      "  %1: f32[4] = neg %x\n"
      "  %2: f32[4] = neg %x\n"
      "  return %0, %1, %2\n"
      "}\n");
  GraphRewriter rewriter(graph);
  rewriter.replace(1, 0);
  rewriter.copy(graph.nodes()[1]);
  rewriter.replace(3, rewriter.value(2));
  EXPECT_TRUE(rewriter.finish());
  EXPECT_EQ(graph.print(),
            "graph %g(%x: f32[4]) -> f32[4], f32[4], f32[4] {\n"
            "  %0: f32[4] = neg %x\n"
            "  %1: f32[4] = clone %x\n"
            "  %2: f32[4] = clone %0\n"
            "  return %1, %0, %2\n"
            "}\n");
}

TEST(GraphRewriter, SaysWhatIsWrong) {
  Graph graph = Graph::parse(kMulAdd);
  GraphRewriter rewriter(graph);
  const Graph::Node& add = graph.nodes()[1];
  EXPECT_EQ(error_of([&] { rewriter.copy(add); }),
            "rewriter(%g): %0 was neither copied nor replaced, and is read");
  EXPECT_EQ(error_of([&] { rewriter.add("no_op", {}); }), "rewriter(%g): no such op: no_op");
  EXPECT_EQ(error_of([&] { rewriter.num_uses(9); }), "rewriter(%g): no value: number 9");
  EXPECT_EQ(error_of([&] { rewriter.replace(0, 9); }), "rewriter(%g): no value: number 9");
  EXPECT_EQ(error_of([&] {
              rewriter.add_new("neg", {{9, {}}});
            }),
            "rewriter(%g): no value: number 9");
  const auto sum =
      rewriter.add("sum", {{0, {}}}, attributes_of("sum", {{"dims", {0}}, {"keepdim", false}}));
  EXPECT_EQ(error_of([&] { rewriter.replace(3, sum[0]); }),
            "rewriter(%g): %0 is f32[4], what is to replace it is f32[]");
  EXPECT_EQ(error_of([&] {
              rewriter.replace_by(graph.nodes()[0], "topk", {{0, {}}},
                                  attributes_of("topk", {{"dim", 0}, {"k", 4}, {"largest", true}}));
            }),
            "rewriter(%g): topk has 2 results, mul has 1");
  EXPECT_EQ(error_of([&] { rewriter.finish(); }),
            "rewriter(%g): %1 was neither copied nor replaced, and is read");
}

}  // namespace
}  // namespace frit
