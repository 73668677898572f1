// Sorts out writes, results whose size depends on values, and errors that no kernel can raise.
#include "src/program/boundary.h"

#include <vector>

#include "src/ops/custom.h"
#include "src/ops/divisor.h"

namespace frit::program {
namespace {

// Eager looks into the storage, of which a program's buffers have only the operand's part.
bool reaches_beyond(const Layout& operand, const ResultType& view) {
  return view.offset < 0 || view.layout->span() > operand.span() - view.offset;
}

}  // namespace

std::string_view boundary(Op op, std::span<const OperandType> operands, const Attrs& attrs) {
  if (info(op).traits == Traits::kEffect) return "it writes to memory";
  if (is_custom(op) && !custom::knows_types(op)) return "it has no fake function";
  if (op == Op::nonzero) return "the size of its result depends on values";
  if (minds_second_operand(op) && !second_operand_is_fine(op, operands[0], operands[1]))
    return "on integers, an error depends on values";
  if (op == Op::as_strided &&
      reaches_beyond(*operands[0].layout, infer(op, operands, attrs).results[0]))
    return "it reaches beyond its operand";
  return {};
}

std::string_view boundary(const Graph& graph, const Graph::Node& node) {
  std::vector<OperandType> operands;
  for (const Graph::Operand& o : node.operands)
    operands.push_back({o.is_value() ? graph.layout(o.value) : nullptr, o.literal});
  return boundary(node.op, operands, Attrs(node.attrs));
}

}  // namespace frit::program
