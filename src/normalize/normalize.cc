// The list of passes and their runner.
#include "src/normalize/normalize.h"

#include "src/base/check.h"
#include "src/base/flags.h"

namespace frit {
namespace {

// Whether FRIT_SKIP names the pass.
bool is_skipped(const NamedPass& pass) {
  const base::SkipSet& skip = base::flags().skip;
  return (pass.run == passes::simplify && skip.has(base::Skippable::simplify)) ||
         (pass.run == passes::eliminate_common && skip.has(base::Skippable::eliminate_common));
}

constexpr NamedPass kPasses[] = {
    {"expand_composites", passes::expand_composites},
    {"promote_and_broadcast", passes::promote_and_broadcast},
    {"simplify", passes::simplify},
    {"eliminate_common", passes::eliminate_common},
    {"eliminate_dead", passes::eliminate_dead},
};

}  // namespace

void assume(NormalizeContext* context, Graph::ValueId scalar_input, Op op) {
  for (const Assumption& a : context->assumptions)
    if (a.scalar_input == scalar_input) return;
  context->assumptions.push_back(
      {scalar_input, context->scalar_values[scalar_input], std::string(name(op))});
}

std::span<const NamedPass> normalize_passes() { return kPasses; }

Graph run_passes(const Graph& graph, std::span<const NamedPass> passes, NormalizeContext* context) {
  Graph current = graph;
  for (const NamedPass& pass : passes) {
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
  Graph core = run_passes(graph, kPasses, context);
  if (base::flags().verify && context->keep.empty()) {
    const std::string problem = core.verify(true);
    FRIT_CHECK(problem.empty()) << problem << " (after normalize)\n" << core.print();
  }
  return core;
}

}  // namespace frit
