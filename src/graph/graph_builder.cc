// Appends builder calls to a graph as nodes.
#include "src/graph/graph_builder.h"

#include "src/base/check.h"

namespace frit {

Value GraphBuilder::op(Op op, std::span<const Arg> args, const Attrs& attrs) {
  std::vector<Graph::Operand> operands;
  for (const Arg& arg : args) operands.push_back({arg.value.id, arg.scalar});
  const std::vector<Graph::ValueId> results =
      graph_->add_node(op, std::move(operands), attrs.flat().vec(), origin_);
  FRIT_CHECK(!results.empty()) << name(op) << " has no result to build on";
  return Value{results[0]};
}

}  // namespace frit
