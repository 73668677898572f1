// Prints graphs.
#include <sstream>

#include "frit/graph.h"
#include "src/graph/types.h"
#include "src/ops/attrs.h"

namespace frit {
namespace {

std::string type_text(const Graph& g, Graph::ValueId v) {
  return g.is_scalar(v) ? std::string(graph::scalar_type_name(g.scalar_kind(v)))
                        : to_string(*g.layout(v));
}

void print_node(const Graph& g, const Graph::Node& node, std::ostream& out) {
  out << "  ";
  const char* separator = "";
  for (Graph::ValueId v : node.results) {
    out << separator << g.value_name(v) << ": " << type_text(g, v);
    separator = ", ";
  }
  if (!node.results.empty()) out << " = ";
  out << name(node.op);
  separator = " ";
  for (const Graph::Operand& o : node.operands) {
    out << separator << (o.is_value() ? g.value_name(o.value) : graph::print_scalar(o.literal));
    separator = ", ";
  }
  const std::string attrs = to_string(node.op, Attrs(node.attrs));
  if (!attrs.empty()) out << ' ' << attrs;
  out << '\n';
}

}  // namespace

std::string Graph::print() const {
  std::ostringstream out;
  out << "graph %" << name_ << '(';
  for (ValueId v = 0; v < num_inputs_; ++v)
    out << (v ? ", " : "") << value_name(v) << ": " << type_text(*this, v);
  out << ')';
  const char* separator = " -> ";
  for (ValueId v : outputs_) {
    out << separator << type_text(*this, v);
    separator = ", ";
  }
  out << " {\n";
  for (const Node& node : nodes_) print_node(*this, node, out);
  out << "  return";
  separator = " ";
  for (ValueId v : outputs_) {
    out << separator << value_name(v);
    separator = ", ";
  }
  out << "\n}\n";
  return out.str();
}

}  // namespace frit
