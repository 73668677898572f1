// Removes ops that give back their operand bit for bit. One rule an entry: equation, pattern,
// result.
//
// Only literals count as known numbers: a scalar that may vary is never looked at. Float rules that
// change a bit somewhere are not here: x + 0 (-0.0 becomes 0.0), x * 0 (NaN), x / c (by
// reciprocal). Those that drop an
// operation on floats drop its effect on denormals too: they hold only where denormals are kept.
#include <algorithm>
#include <cmath>

#include "src/normalize/normalize.h"
#include "src/normalize/rewriter.h"
#include "src/ops/attrs.h"

namespace frit::passes {
namespace {

bool is_literal(const Graph::Operand& o, double value) {
  return !o.is_value() && o.literal.to_double() == value;
}

struct Rule {
  const char* equation;
  // Whether the node gives back its first operand.
  bool (*matches)(const Graph& graph, const Graph::Node& node);
};

bool drops_float_operation(const Graph& g, const Graph::Node& node) {
  return is_elementwise(node.op) && is_floating_point(g.dtype(node.results[0]));
}

bool same_layout(const Graph& g, const Graph::Node& node) {
  const Graph::Operand& o = node.operands[0];
  return o.is_value() && !g.is_scalar(o.value) && g.layout(o.value) == g.layout(node.results[0]);
}

constexpr Rule kRules[] = {
    {"x * 1 = x",
     [](const Graph&, const Graph::Node& n) {
       return n.op == Op::mul && is_literal(n.operands[1], 1);
     }},
    {"x / 1 = x",
     [](const Graph&, const Graph::Node& n) {
       return n.op == Op::div && is_literal(n.operands[1], 1);
     }},
    // x - (-0.0) would turn -0.0 into 0.0; the literal must be +0.
    {"x - 0 = x",
     [](const Graph&, const Graph::Node& n) {
       return n.op == Op::sub && is_literal(n.operands[1], 0) &&
              !std::signbit(n.operands[1].literal.to_double());
     }},
    {"x + 0 = x, integers",
     [](const Graph& g, const Graph::Node& n) {
       return n.op == Op::add && is_literal(n.operands[1], 0) &&
              !is_floating_point(g.dtype(n.results[0]));
     }},
    {"cast to the same dtype", [](const Graph&, const Graph::Node& n) { return n.op == Op::cast; }},
    {"a view of the whole",
     [](const Graph&, const Graph::Node& n) {
       return n.op == Op::reshape || n.op == Op::view || n.op == Op::expand ||
              n.op == Op::squeeze || n.op == Op::contiguous;
     }},
    {"identity permutation",
     [](const Graph&, const Graph::Node& n) {
       const IntArrayRef dims(n.attrs.data() + 1, n.op == Op::permute ? n.attrs.size() - 1 : 0);
       return n.op == Op::permute && std::is_sorted(dims.begin(), dims.end());
     }},
};

}  // namespace

bool simplify(Graph* graph, NormalizeContext* context) {
  Rewriter rewriter(*graph);
  bool changed = false;
  for (const Graph::Node& node : graph->nodes()) {
    const bool identity = !node.operands.empty() && node.results.size() == 1 &&
                          same_layout(*graph, node) && !rewriter.is_output(node.results[0]) &&
                          std::any_of(std::begin(kRules), std::end(kRules),
                                      [&](const Rule& r) { return r.matches(*graph, node); }) &&
                          (!drops_float_operation(*graph, node) ||
                           assume_denormals(context, node.op) == Denormals::kKept);
    if (identity) {
      rewriter.replace(node.results[0], rewriter.value(node.operands[0].value));
      changed = true;
    } else {
      rewriter.copy(node);
    }
  }
  if (changed) *graph = rewriter.finish();
  return changed;
}

}  // namespace frit::passes
