// Drops nodes that no output needs. Effects stay.
#include "src/normalize/normalize.h"
#include "src/normalize/rewriter.h"

namespace frit::passes {

bool eliminate_dead(Graph* graph, NormalizeContext*) {
  std::vector<bool> needed(graph->num_values());
  for (Graph::ValueId v : graph->outputs()) needed[v] = true;
  const auto& nodes = graph->nodes();
  std::vector<bool> live(nodes.size());
  bool changed = false;
  for (size_t i = nodes.size(); i-- > 0;) {
    live[i] = info(nodes[i].op).traits == Traits::kEffect;
    for (Graph::ValueId v : nodes[i].results) live[i] = live[i] || needed[v];
    changed |= !live[i];
    if (!live[i]) continue;
    for (const Graph::Operand& o : nodes[i].operands)
      if (o.is_value()) needed[o.value] = true;
  }
  if (!changed) return false;
  Rewriter rewriter(*graph);
  for (size_t i = 0; i < nodes.size(); ++i)
    if (live[i]) rewriter.copy(nodes[i]);
  *graph = rewriter.finish();
  return true;
}

}  // namespace frit::passes
