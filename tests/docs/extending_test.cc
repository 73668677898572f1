// docs/extending.md is right: its examples in C++ are these, and print what the page shows.
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "frit/frit.h"
#include "tests/docs/page.h"

namespace frit {
namespace {

std::string shown_here(const std::string& mark) {
  return shown_in("tests/docs/extending_test.cc", mark);
}

std::string run_example() {
  std::ostringstream printed;
  std::streambuf* const saved = std::cout.rdbuf(printed.rdbuf());
  // example
  const CustomOp scale_add = register_op(
      "mylib::scale_add(Tensor x, Tensor y, float alpha=1) -> Tensor",
      {.eager_out =
           [](const OpArgs& args, std::span<const Tensor> results) {
             const auto* x = args.tensor(0).const_data_ptr<float>();
             const auto* y = args.tensor(1).const_data_ptr<float>();
             auto* out = results[0].data_ptr<float>();
             const auto alpha = static_cast<float>(args.number(2));
             for (int64_t i = 0; i < results[0].numel(); ++i) out[i] = x[i] + alpha * y[i];
           },
       .fake = [](const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); }});

  const auto fast = compile([&](const Tensor& x) { return relu(scale_add({x * 2, x, 3.0}) - 1); });
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 3; ++i) fast(x);
  std::cout << fast(x) << '\n' << explain_region(*fast.region()).plans[0].forms[0].captured;
  // end of example
  std::cout.rdbuf(saved);
  return printed.str();
}

std::string run_passes_example() {
  std::ostringstream printed;
  std::streambuf* const saved = std::cout.rdbuf(printed.rdbuf());
  // passes
  // b + x * y = addcmul(b, x, y, 1)
  const Pass fuse = [](Graph& graph) {
    GraphRewriter rewriter(graph);
    for (const Graph::Node& node : graph.nodes()) {
      const bool is_add = name(node.op) == "add";
      const Graph::Node* mul = is_add ? rewriter.only_use_of("mul", node, 1) : nullptr;
      if (mul == nullptr)
        rewriter.copy(node);
      else
        rewriter.replace_by(node, "addcmul",
                            {node.operands[0], mul->operands[0], mul->operands[1], {-1, 1.0}});
    }
    return rewriter.finish();
  };
  const Decompositions table = Decompositions({"addcmul"}).add("silu", [](OpExpansion& b) {
    return b.op("mul", {b.arg(0), b.op("sigmoid", {b.arg(0)})});
  });
  register_backend("fuses", [=](const BackendInput& input) -> CompiledGraph {
    Graph graph = input.graph;
    std::vector<NamedPass> passes = list_passes(table, input.guards);
    passes.push_back({"fuse", fuse});
    run_passes(graph, passes);
    std::cout << graph.print();
    return [graph](std::span<const GraphArg> args) { return interpret(graph, args); };
  });
  const auto fused =
      compile([](const Tensor& x, const Tensor& b) { return b + silu(x); }, {.backend = "fuses"});
  for (int i = 0; i < 3; ++i) fused(tensor({0.0f, 0.0f}), tensor({1.0f, 2.0f}));
  // end of passes
  std::cout.rdbuf(saved);
  return printed.str();
}

TEST(ExtendingPage, ShowsExamplesThatDoWhatItSays) {
  const std::string page = read("docs/extending.md");
  EXPECT_EQ(block(page, "custom op"), shown_here("example"));
  EXPECT_EQ(block(page, "custom op prints"), run_example());
  EXPECT_EQ(block(page, "passes"), shown_here("passes"));
  EXPECT_EQ(block(page, "passes prints"), run_passes_example());
}

}  // namespace
}  // namespace frit
