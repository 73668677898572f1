// Rewriter: copies a graph node by node while a pass replaces some of the nodes.
//
//   Rewriter rewriter(*graph);
//   for (const Graph::Node& node : graph->nodes()) {
//     if (...) rewriter.replace(node.results[0], new_value); else rewriter.copy(node);
//   }
//   *graph = rewriter.finish();
#pragma once

#include <vector>

#include "frit/graph.h"
#include "src/base/check.h"
#include "src/ops/op.h"

namespace frit {

class Rewriter {
 public:
  explicit Rewriter(const Graph& old)
      : old_(old), graph_(old.name()), is_output_(old.num_values()) {
    for (Graph::ValueId v = 0; v < old.num_inputs(); ++v)
      map_.push_back(old.is_scalar(v)
                         ? graph_.add_scalar_input(old.input_name(v), old.scalar_kind(v))
                         : graph_.add_input(old.input_name(v), old.layout(v)));
    map_.resize(old.num_values(), -1);
    for (Graph::ValueId v : old.outputs()) is_output_[v] = true;
  }

  Graph* graph() { return &graph_; }
  const Graph& old() const { return old_; }
  // The new operand for an old one.
  Graph::Operand operand(Graph::Operand o) const {
    if (o.is_value()) o.value = value(o.value);
    return o;
  }
  Graph::ValueId value(Graph::ValueId old) const {
    FRIT_CHECK(map_[old] >= 0) << old_.value_name(old) << " was dropped and is used";
    return map_[old];
  }
  bool has(Graph::ValueId old) const { return map_[old] >= 0; }
  bool is_output(Graph::ValueId old) const { return is_output_[old]; }

  void replace(Graph::ValueId old, Graph::ValueId made) { map_[old] = made; }
  // Appends the node as it is.
  void copy(const Graph::Node& node) {
    std::vector<Graph::Operand> operands;
    for (const Graph::Operand& o : node.operands) operands.push_back(operand(o));
    const auto results = graph_.add_node(node.op, std::move(operands), node.attrs, node.origin);
    for (size_t i = 0; i < results.size(); ++i) map_[node.results[i]] = results[i];
  }

  Graph finish() {
    std::vector<Graph::ValueId> outputs;
    for (Graph::ValueId v : old_.outputs()) outputs.push_back(in_layout_of(v));
    graph_.set_outputs(std::move(outputs));
    return std::move(graph_);
  }

 private:
  // The new value of an output, in the strides that it had.
  Graph::ValueId in_layout_of(Graph::ValueId old);

  const Graph& old_;
  Graph graph_;
  std::vector<Graph::ValueId> map_;
  std::vector<bool> is_output_;
};

}  // namespace frit
