// Replaces each composite node by the core ops that its function builds.
#include <algorithm>

#include "src/graph/graph_builder.h"
#include "src/graph/types.h"
#include "src/normalize/normalize.h"
#include "src/normalize/rewriter.h"
#include "src/ops/builder.h"
#include "src/ops/custom.h"
#include "src/tensor/layout.h"

namespace frit::passes {
namespace {

bool is_arg_reduction(Op op) { return info(op).family == Family::kArgReduce; }

// pow is a core op with a composite's freedom: some scalar exponents have exact forms of their own.
// argmax and argmin have other forms for kernels.
bool expands(const Graph& graph, const Graph::Node& node, const NormalizeContext& context) {
  if (context.decompositions.contains(node.op)) return true;
  if (context.keep.contains(node.op)) return false;
  if (is_arg_reduction(node.op))
    return arg_reduction_expands(*graph.layout(node.operands[0].value), Attrs(node.attrs));
  return is_composite(node.op) || node.op == Op::pow;
}

class Expansion {
 public:
  Expansion(Rewriter* rewriter, NormalizeContext* context)
      : rewriter_(rewriter), context_(context) {}

  void run(const Graph::Node& node) {
    // What its parts are made of lies where its result does.
    const DefaultDeviceScope device(rewriter_->old().device(node.results[0]));
    GraphBuilder builder(
        rewriter_->graph(), std::string(name(node.op)),
        // Inputs keep their ids, so a scalar input of the new graph is the old one.
        [&](Graph::ValueId v) { return assume_scalar(context_, v, node.op); });
    std::vector<Arg> args;
    for (const Graph::Operand& o : node.operands) {
      Arg arg;
      const Graph::Operand mapped = rewriter_->operand(o);
      arg.value.id = mapped.value;
      arg.scalar = mapped.literal;
      const Graph& graph = *rewriter_->graph();
      if (mapped.is_value() && graph.is_scalar(mapped.value))
        arg.scalar = graph::any_scalar(graph.scalar_kind(mapped.value));
      args.push_back(arg);
    }
    const Attrs attrs(node.attrs);
    if (const auto own = context_->decompositions.find(node.op);
        own != context_->decompositions.end()) {
      const Value wide = custom::expand_by(own->second, builder, node.op, args, attrs);
      const Value made = rounded(builder, node, wide);
      check_type(node, made.id);
      return rewriter_->replace(node.results[0], made.id);
    }
    const Value made = is_arg_reduction(node.op)
                           ? expand_arg_reduction(builder, node.op, args[0], attrs)
                           : expand_composite(builder, node.op, args, attrs);
    rewriter_->replace(node.results[0], made.id);
  }

 private:
  // What a registered op has computed in the type of its autocast.
  Value rounded(OpBuilder& builder, const Graph::Node& node, Value made) const {
    if (!is_custom(node.op)) return made;
    const std::optional<Dtype> autocast = custom::definition(node.op).functions()->autocast;
    const Dtype rule = rewriter_->old().layout(node.results[0])->dtype;
    const bool narrower = autocast && custom::needs_autocast(rule, *autocast);
    return narrower && builder.dtype(made) == *autocast ? builder.cast(made, rule) : made;
  }

  // What others have written must give what the op's rule says.
  void check_type(const Graph::Node& node, Graph::ValueId made) const {
    const Layout& is = *rewriter_->graph()->layout(made);
    const Layout& rule = *rewriter_->old().layout(node.results[0]);
    if (is.dtype == rule.dtype && is.sizes() == rule.sizes()) return;
    throw Error(ErrorKind::kValue, std::string(name(node.op)) + ": its decomposition: gives " +
                                       to_string(is) + ", not " + to_string(rule));
  }

  Rewriter* rewriter_;
  NormalizeContext* context_;
};

bool expand_once(Graph* graph, NormalizeContext* context) {
  const auto& nodes = graph->nodes();
  if (std::none_of(nodes.begin(), nodes.end(),
                   [&](const Graph::Node& n) { return expands(*graph, n, *context); }))
    return false;
  Rewriter rewriter(*graph);
  Expansion expansion(&rewriter, context);
  for (const Graph::Node& node : nodes) {
    if (expands(*graph, node, *context)) {
      expansion.run(node);
    } else {
      rewriter.copy(node);
    }
  }
  *graph = rewriter.finish();
  return true;
}

bool has_composite(const Graph& graph, const NormalizeContext& context) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Graph::Node& n) {
    return (is_composite(n.op) && !context.keep.contains(n.op)) ||
           context.decompositions.contains(n.op);
  });
}

// More than composites are deep: decompositions of others may go in circles.
constexpr int kMaxDepth = 64;

}  // namespace

bool expand_composites(Graph* graph, NormalizeContext* context) {
  bool changed = expand_once(graph, context);
  // A composite may build on another one.
  for (int depth = 1; has_composite(*graph, *context); ++depth) {
    if (depth == kMaxDepth)
      throw Error(ErrorKind::kValue, "normalized(%" + graph->name() +
                                         "): decompositions go in circles: there is no end after " +
                                         std::to_string(kMaxDepth) + " rounds");
    changed |= expand_once(graph, context);
  }
  return changed;
}

}  // namespace frit::passes
