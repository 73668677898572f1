// Attributes of nodes by name.
#include "frit/attributes.h"

#include <gtest/gtest.h>

#include "frit/custom_op.h"

#include "tests/error_of.h"

namespace frit {
namespace {

const char* const kSum =
    "graph %g(%x: f32[2,3]) -> f32[2,1] {\n"
    "  %0: f32[2,1] = sum %x {dims=[1], keepdim=true}\n"
    "  return %0\n"
    "}\n";

TEST(Attributes, AreReadByName) {
  const Graph graph = Graph::parse(kSum);
  const Graph::Node& sum = graph.nodes()[0];
  EXPECT_EQ(attribute(sum, "dims").to_ints(), IntArrayRef({1}));
  EXPECT_TRUE(attribute(sum, "keepdim").to_bool());
  std::string names;
  for (const Attribute& a : attributes(sum)) names += std::string(a.name()) + " ";
  EXPECT_EQ(names, "dims keepdim ");
}

TEST(Attributes, OfOtherKindsAndNamesAreErrors) {
  const Graph graph = Graph::parse(kSum);
  const Graph::Node& sum = graph.nodes()[0];
  EXPECT_EQ(error_of([&] { attribute(sum, "dims").to_int(); }),
            "attribute(dims): another kind: it is a list of ints, not an int");
  EXPECT_EQ(error_of([&] { attribute(sum, "keepdim").to_ints(); }),
            "attribute(keepdim): another kind: it is a bool, not a list of ints");
  EXPECT_EQ(error_of([&] { attribute(sum, "dim"); }),
            "attribute(sum, dim): no such attribute: sum has dims, keepdim");
}

TEST(Attributes, MakeTheNodeThatIsPrinted) {
  Graph graph = Graph::parse("graph %g(%x: f32[2,3]) -> f32[2,3] { return %x }");
  const auto sum = graph.add_node(*op_named("sum"), {{0, {}}},
                                  attributes_of("sum", {{"keepdim", true}, {"dims", {1}}}));
  graph.set_outputs(sum);
  EXPECT_EQ(graph.print(), kSum);
  const auto cast =
      graph.add_node(*op_named("cast"), {{0, {}}}, attributes_of("cast", {{"dtype", kInt64}}));
  EXPECT_EQ(graph.dtype(cast[0]), kInt64);
  EXPECT_EQ(attribute(graph.nodes()[1], "dtype").to_dtype(), kInt64);
}

TEST(Attributes, OfRegisteredOpsMayBeTexts) {
  register_op("attributes_test::named(Tensor x, str mode, int[] dims) -> Tensor",
              {.eager_out = [](const OpArgs&, std::span<const Tensor>) {},
               .fake = [](const OpArgs& args, OpTypes& types) { types.add_like(args.facts(0)); }});
  Graph graph = Graph::parse("graph %g(%x: f32[2]) -> f32[2] { return %x }");
  graph.set_outputs(graph.add_node(
      *op_named("attributes_test::named"), {{0, {}}},
      attributes_of("attributes_test::named", {{"mode", "as it is"}, {"dims", {1, 2}}})));
  const Graph::Node& node = graph.nodes()[0];
  EXPECT_EQ(attribute(node, "mode").to_text(), "as it is");
  EXPECT_EQ(attribute(node, "dims").to_ints(), IntArrayRef({1, 2}));
  EXPECT_EQ(error_of([&] { attribute(node, "mode").to_int(); }),
            "attribute(mode): another kind: it is a text, not an int");
  EXPECT_EQ(Graph::parse(graph.print()).print(), graph.print());
}

TEST(Attributes, ThatAreMissingOrWrongAreErrors) {
  EXPECT_EQ(error_of([] {
              attributes_of("sum", {{"dims", {1}}});
            }),
            "attribute(sum, keepdim): missing: sum has dims, keepdim");
  EXPECT_EQ(error_of([] {
              attributes_of("sum", {{"dims", {1}}, {"keepdim", 1}});
            }),
            "attribute(sum, keepdim): another kind: it is a bool, not an int");
  EXPECT_EQ(error_of([] {
              attributes_of("relu", {{"dim", 1}});
            }),
            "attribute(relu, dim): no such attribute: relu has none");
  EXPECT_EQ(error_of([] { attributes_of("no_op", {}); }), "attributes_of(no_op): no such op");
}

}  // namespace
}  // namespace frit
