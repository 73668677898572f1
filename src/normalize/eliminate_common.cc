// Computes equal values once. Two outputs are never merged, since eager makes two tensors.
#include <map>

#include "src/normalize/normalize.h"
#include "src/normalize/rewriter.h"

namespace frit::passes {
namespace {

// What makes two nodes equal: op, operands, attributes.
std::vector<int64_t> key_of(const Graph::Node& node, const Rewriter& rewriter) {
  std::vector<int64_t> key = {static_cast<int64_t>(node.op)};
  for (const Graph::Operand& o : node.operands) {
    const Graph::Operand mapped = rewriter.operand(o);
    key.push_back(mapped.value);
    key.push_back(mapped.is_value() ? 0 : static_cast<int64_t>(mapped.literal.kind()) + 1);
    key.push_back(mapped.is_value() ? 0 : static_cast<int64_t>(mapped.literal.bits()));
  }
  key.push_back(-1);
  key.insert(key.end(), node.attrs.begin(), node.attrs.end());
  return key;
}

bool mergeable(const Graph::Node& node) {
  return info(node.op).traits != Traits::kEffect && !node.results.empty();
}

}  // namespace

bool eliminate_common(Graph* graph, NormalizeContext*) {
  Rewriter rewriter(*graph);
  std::map<std::vector<int64_t>, std::vector<Graph::ValueId>> seen;
  bool changed = false;
  for (const Graph::Node& node : graph->nodes()) {
    bool is_output = false;
    for (Graph::ValueId v : node.results) is_output |= rewriter.is_output(v);
    if (!mergeable(node)) {
      rewriter.copy(node);
      continue;
    }
    const std::vector<int64_t> key = key_of(node, rewriter);
    const auto it = seen.find(key);
    if (it != seen.end() && !is_output) {
      for (size_t i = 0; i < node.results.size(); ++i)
        rewriter.replace(node.results[i], it->second[i]);
      changed = true;
      continue;
    }
    rewriter.copy(node);
    std::vector<Graph::ValueId> made;
    for (Graph::ValueId v : node.results) made.push_back(rewriter.value(v));
    seen.emplace(key, std::move(made));
  }
  if (changed) *graph = rewriter.finish();
  return changed;
}

}  // namespace frit::passes
