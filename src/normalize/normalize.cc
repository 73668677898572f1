// The list of passes and their runner.
#include "src/normalize/normalize.h"

#include "src/base/check.h"
#include "src/base/flags.h"
#include "src/graph/types.h"
#include "src/normalize/verify_assumptions.h"
#include "src/ops/op.h"

namespace frit {
namespace {

// Whether FRIT_SKIP names the pass.
bool is_skipped(const NormalizePass& pass) {
  const base::SkipSet& skip = base::flags().skip;
  return (pass.run == passes::simplify && skip.has(base::Skippable::simplify)) ||
         (pass.run == passes::eliminate_common && skip.has(base::Skippable::eliminate_common));
}

constexpr NormalizePass kPasses[] = {
    {"expand_composites", passes::expand_composites},
    {"promote_and_broadcast", passes::promote_and_broadcast},
    {"simplify", passes::simplify},
    {"eliminate_common", passes::eliminate_common},
    {"eliminate_dead", passes::eliminate_dead},
};

// Once for each user.
void note(const Assumption& made, NormalizeContext* context) {
  for (const Assumption& a : context->assumptions)
    if (a.fact == made.fact && a.scalar_input == made.scalar_input && a.pass == made.pass &&
        a.op == made.op)
      return;
  context->assumptions.push_back(made);
}

}  // namespace

std::string Assumption::str(const Graph& graph) const {
  std::string text;
  switch (fact) {
    case Fact::kScalar:
      text = graph.input_name(scalar_input) + " == " + graph::print_scalar(value);
      break;
    case Fact::kDenormals:
      text = denormals == Denormals::kKept ? "denormals are kept" : "denormals may be zero";
      break;
  }
  return text + ": " + std::string(pass) + ", " + std::string(name(op));
}

Scalar assume_scalar(NormalizeContext* context, Graph::ValueId scalar_input, Op op) {
  if (!context->withheld.empty() && context->withheld[scalar_input])
    throw WithheldFact{scalar_input};
  const Scalar value = context->scalar_values[scalar_input];
  note({Fact::kScalar, scalar_input, value, {}, context->pass, op}, context);
  return value;
}

Denormals assume_denormals(NormalizeContext* context, Op op) {
  note({Fact::kDenormals, -1, {}, context->denormals, context->pass, op}, context);
  return context->denormals;
}

std::span<const NormalizePass> normalize_passes() { return kPasses; }

Graph run_normalize(const Graph& graph, std::span<const NormalizePass> passes,
                    NormalizeContext* context) {
  Graph current = graph;
  for (const NormalizePass& pass : passes) {
    context->pass = pass.name;
    if (is_skipped(pass) || !pass.run(&current, context)) continue;
    if (base::flags().verify) {
      const std::string problem = current.verify();
      FRIT_CHECK(problem.empty()) << problem << " (after " << pass.name << ")\n" << current.print();
    }
    if (context->after_pass) context->after_pass(pass.name, current);
  }
  return current;
}

Graph normalize(const Graph& graph, NormalizeContext* context) {
  Graph core = run_normalize(graph, kPasses, context);
  if (base::flags().verify && context->keep.empty()) {
    const std::string problem = core.verify(true);
    FRIT_CHECK(problem.empty()) << problem << " (after normalize)\n" << core.print();
  }
  if (base::flags().verify) {
    const std::string problem = verify_assumptions(graph, kPasses, *context, core);
    FRIT_CHECK(problem.empty()) << problem << "\n" << graph.print();
  }
  return core;
}

}  // namespace frit
