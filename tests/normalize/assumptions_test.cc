// The assumption ledger: what passes note, and that a pass which forgets to is caught.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/normalize/normalize.h"
#include "src/normalize/rewriter.h"
#include "src/normalize/verify_assumptions.h"
#include "src/ops/op.h"

namespace frit {
namespace {

const char* const kTimesScalar =
    "graph %g(%a: f32[2], %s: f64) -> f32[2] {\n"
    "  %0: f32[2] = mul %a, %s\n"
    "  %1: f32[2] = relu %0\n"
    "  return %1\n"
    "}\n";

NormalizeContext context_with(const Scalar& s) {
  NormalizeContext context;
  context.scalar_values = {Scalar(), s};
  return context;
}

// The facts that normalize notes, one a line.
std::string facts_of(const std::string& text, NormalizeContext context) {
  const Graph graph = Graph::parse(text);
  context.scalar_values.resize(graph.num_inputs());
  const Graph core = normalize(graph, &context);
  EXPECT_EQ(verify_assumptions(graph, normalize_passes(), context, core), "");
  std::string facts;
  for (const Assumption& fact : context.assumptions) facts += fact.str(graph) + "\n";
  return facts;
}

TEST(Assumptions, NameTheScalarThatDecidedAForm) {
  const std::string pow =
      "graph %g(%a: f32[2], %s: i64) -> f32[2] {\n  %0: f32[2] = pow %a, %s\n  return %0\n}\n";
  EXPECT_EQ(facts_of(pow, context_with(2)), "s == 2: expand_composites, pow\n");
  EXPECT_EQ(facts_of(pow, context_with(7)), "s == 7: expand_composites, pow\n");
}

TEST(Assumptions, NameTheScalarThatWasRoundedToAHalf) {
  EXPECT_EQ(facts_of("graph %g(%a: f16[2], %s: f64) -> bool[2] {\n  %0: bool[2] = lt %a, %s\n  "
                     "return %0\n}\n",
                     context_with(0.1)),
            "s == 0.1: promote_and_broadcast, lt\n");
}

TEST(Assumptions, AreNotMadeOfScalarsThatAnyFormTakes) {
  EXPECT_EQ(facts_of(kTimesScalar, context_with(1.0)), "");
}

TEST(Assumptions, NameTheModeOfDenormalsWhereItDecides) {
  const std::string times_one =
      "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = mul %a, 1.0\n  %1: f32[2] = relu %0\n  "
      "return %1\n}\n";
  NormalizeContext zero;
  zero.denormals = Denormals::kZero;
  EXPECT_EQ(facts_of(times_one, {}), "denormals are kept: simplify, mul\n");
  EXPECT_EQ(facts_of(times_one, zero), "denormals may be zero: simplify, mul\n");
  const std::string select =
      "graph %g(%c: bool[2], %a: f16[2]) -> f16[2] {\n  %0: f16[2] = where %c, %a, 2.0\n  return "
      "%0\n}\n";
  EXPECT_EQ(facts_of(select, {}), "denormals are kept: promote_and_broadcast, where\n");
}

TEST(Assumptions, LeaveTheModeOfDenormalsOutWhereItDecidesNothing) {
  EXPECT_EQ(facts_of("graph %g(%a: i32[2]) -> i32[2] {\n  %0: i32[2] = mul %a, 1\n  %1: i32[2] = "
                     "relu %0\n  return %1\n}\n",
                     {}),
            "");
}

// Makes x of `mul x, s` where `drops` says so, which is right for s == 1.
bool drop_products(Graph* graph, NormalizeContext* context,
                   bool (*drops)(NormalizeContext* context, Graph::ValueId s)) {
  Rewriter rewriter(*graph);
  for (const Graph::Node& node : graph->nodes()) {
    if (node.op == Op::mul && node.operands[1].is_value() && drops(context, node.operands[1].value))
      rewriter.replace(node.results[0], rewriter.value(node.operands[0].value));
    else
      rewriter.copy(node);
  }
  *graph = rewriter.finish();
  return true;
}

// What the verifier says of one pass over the graph, with this value of its scalar.
std::string problem_of(decltype(NormalizePass::run) pass, const Scalar& value,
                       const char* text = kTimesScalar) {
  const NormalizePass passes[] = {{"drop_products", pass}};
  NormalizeContext context = context_with(value);
  const Graph graph = Graph::parse(text);
  context.scalar_values.resize(graph.num_inputs(), value);
  const Graph made = run_normalize(graph, passes, &context);
  const std::string problem = verify_assumptions(graph, passes, context, made);
  return problem.substr(0, problem.find('\n'));
}

bool honest(Graph* graph, NormalizeContext* context) {
  return drop_products(graph, context, [](NormalizeContext* c, Graph::ValueId s) {
    return assume_scalar(c, s, Op::mul).to_double() == 1;
  });
}

bool forgetful(Graph* graph, NormalizeContext* context) {
  return drop_products(graph, context, [](NormalizeContext* c, Graph::ValueId s) {
    return c->scalar_values[s].to_double() == 1;
  });
}

// Notes only what it has seen already.
bool peeping(Graph* graph, NormalizeContext* context) {
  return drop_products(graph, context, [](NormalizeContext* c, Graph::ValueId s) {
    return c->scalar_values[s].to_double() == 1 && assume_scalar(c, s, Op::mul).to_double() == 1;
  });
}

// Notes by hand what it never asked for.
bool unasking(Graph* graph, NormalizeContext* context) {
  return drop_products(graph, context, [](NormalizeContext* c, Graph::ValueId s) {
    c->assumptions.push_back({Fact::kScalar, s, c->scalar_values[s], {}, c->pass, Op::mul});
    return c->scalar_values[s].to_double() == 1;
  });
}

TEST(VerifyAssumptions, AcceptsAPassThatNotesWhatItUses) {
  EXPECT_EQ(problem_of(honest, 1.0), "");
  EXPECT_EQ(problem_of(honest, 2.0), "");
}

TEST(VerifyAssumptions, CatchesAPassThatUsesAScalarAndNotesNothing) {
  EXPECT_EQ(problem_of(forgetful, 1.0),
            "without the scalars that are not noted, the result is another one, and nobody noted "
            "why:");
}

TEST(VerifyAssumptions, CatchesAPassThatWouldUseAnotherValueOfAScalar) {
  EXPECT_EQ(problem_of(forgetful, 2.0),
            "where s == 1.0, the result is another one, and nobody noted why:");
  EXPECT_EQ(problem_of(peeping, 2.0),
            "where s == 1.0, drop_products notes s, which it had looked at before");
}

TEST(VerifyAssumptions, CatchesARewriteThatFiresWithoutItsFact) {
  EXPECT_EQ(problem_of(unasking, 1.0),
            "a rewrite fires without s, which is noted: it was not asked for");
}

// Takes two scalars of one value for one: a turn of the verifier gives them equal values, another
// different ones.
bool merging(Graph* graph, NormalizeContext* context) {
  Rewriter rewriter(*graph);
  const std::vector<Scalar>& values = context->scalar_values;
  if (values.size() > 2 && values[1].identical(values[2])) rewriter.replace(2, rewriter.value(1));
  for (const Graph::Node& node : graph->nodes()) rewriter.copy(node);
  *graph = rewriter.finish();
  return true;
}

TEST(VerifyAssumptions, CatchesAPassThatMergesScalarsOfEqualValues) {
  const char* const two =
      "graph %g(%a: f32[2], %s: f64, %t: f64) -> f32[2] {\n"
      "  %0: f32[2] = mul %a, %s\n"
      "  %1: f32[2] = add %0, %t\n"
      "  return %1\n"
      "}\n";
  EXPECT_NE(problem_of(merging, 5.0, two), "");
  const NormalizePass passes[] = {{"merging", merging}};
  const Graph graph = Graph::parse(two);
  NormalizeContext context;
  context.scalar_values = {Scalar(), 5.0, 6.0};
  const Graph made = run_normalize(graph, passes, &context);
  EXPECT_NE(verify_assumptions(graph, passes, context, made), "");
}

bool forgets_denormals(Graph* graph, NormalizeContext* context) {
  NormalizeContext unnoted = *context;
  return passes::simplify(graph, &unnoted);
}

TEST(VerifyAssumptions, CatchesAPassThatUsesTheModeOfDenormalsAndNotesNothing) {
  const char* const times_one =
      "graph %g(%a: f32[2]) -> f32[2] {\n  %0: f32[2] = mul %a, 1.0\n  %1: f32[2] = relu %0\n  "
      "return %1\n}\n";
  EXPECT_EQ(problem_of(passes::simplify, 0, times_one), "");
  EXPECT_EQ(problem_of(forgets_denormals, 0, times_one),
            "where denormals may be zero, the result is another one, and nobody noted why:");
}

}  // namespace
}  // namespace frit
