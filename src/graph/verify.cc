// Checks what every graph must satisfy: uses after definitions, types that follow from the ops'
// rules, and, for core graphs, operands that need neither promotion nor broadcasting.
#include <sstream>

#include "frit/error.h"
#include "frit/graph.h"
#include "src/graph/types.h"
#include "src/ops/infer.h"

namespace frit {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, bool core) : graph_(graph), core_(core) {}

  std::string run() {
    int defined = graph_.num_inputs();
    for (const Graph::Node& node : graph_.nodes()) {
      std::string problem = check_uses(node, defined);
      if (problem.empty()) problem = check_types(node);
      if (problem.empty() && core_) problem = check_core(node);
      if (!problem.empty()) return where(node) + problem;
      defined += static_cast<int>(node.results.size());
    }
    for (Graph::ValueId v : graph_.outputs())
      if (v < 0 || v >= defined || graph_.is_scalar(v))
        return "graph %" + graph_.name() + ": return: an output is not a tensor value of the graph";
    return {};
  }

 private:
  std::string where(const Graph::Node& node) const {
    std::ostringstream out;
    out << "graph %" << graph_.name() << ": ";
    for (size_t i = 0; i < node.results.size(); ++i)
      out << (i ? ", " : "") << graph_.value_name(node.results[i]);
    out << " = " << name(node.op) << ": ";
    return out.str();
  }

  std::string check_uses(const Graph::Node& node, int defined) const {
    for (size_t i = 0; i < node.operands.size(); ++i)
      if (node.operands[i].value >= defined)
        return "operand " + std::to_string(i + 1) + " is used before it is defined";
    return {};
  }

  std::string check_types(const Graph::Node& node) const {
    std::vector<OperandType> types;
    for (const Graph::Operand& o : node.operands) {
      OperandType type;
      type.scalar = o.literal;
      if (o.is_value()) {
        type.layout = graph_.layout(o.value);
        if (graph_.is_scalar(o.value)) type.scalar = graph::any_scalar(graph_.scalar_kind(o.value));
      }
      types.push_back(type);
    }
    // What is made of no tensors may lie anywhere.
    const DefaultDeviceScope device(node.results.empty() ? kCPU : graph_.device(node.results[0]));
    try {
      const ResultTypes inferred = infer(node.op, types, Attrs(node.attrs));
      if (inferred.count != static_cast<int>(node.results.size())) return "number of results";
      for (int i = 0; i < inferred.count; ++i) {
        const Layout* stated = graph_.layout(node.results[i]);
        if (inferred.results[i].layout != stated)
          return "result is " + to_string(*stated) + ", the rule gives " +
                 to_string(*inferred.results[i].layout);
      }
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  std::string check_core(const Graph::Node& node) const {
    if (is_composite(node.op)) return "is a composite op in a core graph";
    if (!is_elementwise(node.op)) return {};
    const Layout* first = nullptr;
    const size_t skip = node.op == Op::where ? 1 : 0;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const Graph::Operand& o = node.operands[i];
      if (!o.is_value() || graph_.is_scalar(o.value)) continue;
      const Layout* layout = graph_.layout(o.value);
      if (layout->sizes() != graph_.sizes(node.results[0]))
        return "operand " + std::to_string(i + 1) + " is " + to_string(*layout) +
               ", expected the sizes of the result";
      if (i < skip) continue;
      if (first != nullptr && layout->dtype != first->dtype)
        return "operand " + std::to_string(i + 1) + " is " + to_string(*layout) + ", expected " +
               std::string(name(first->dtype));
      first = layout;
    }
    return {};
  }

  const Graph& graph_;
  const bool core_;
};

}  // namespace

std::string Graph::verify(bool core) const { return Verifier(*this, core).run(); }

}  // namespace frit
