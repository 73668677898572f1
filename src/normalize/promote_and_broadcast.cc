// Makes casts and broadcasts of elementwise ops explicit, so that every operand has the compute
// dtype and the result's sizes. The 16-bit floats compute in f32 and round once, after the op.
#include "src/normalize/normalize.h"
#include "src/normalize/rewriter.h"
#include "src/ops/infer.h"
#include "src/tensor/convert.h"

namespace frit::passes {
namespace {

class Promotion {
 public:
  Promotion(const Graph& old, Rewriter* rewriter, NormalizeContext* context)
      : old_(old), rewriter_(rewriter), context_(context) {}

  bool run(const Graph::Node& node) {
    const frit::Promotion dtypes = promote(node.op, operand_types(node));
    const bool half = is_half(dtypes.compute) && !selects_bits(node);
    std::vector<Graph::Operand> operands;
    bool changed = false;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const bool condition = node.op == Op::where && i == 0;
      Graph::Operand o = rewriter_->operand(node.operands[i]);
      if (o.is_value() && !graph().is_scalar(o.value)) {
        const Graph::ValueId before = o.value;
        o.value = cast(o.value, condition ? kBool : dtypes.compute, node);
        if (half && !condition) o.value = cast(o.value, kFloat32, node);
        o.value = expand(o.value, old_.sizes(node.results[0]), node);
        changed |= o.value != before;
      } else if (half && info(node.op).dtype == DtypeRule::Bool) {
        o = rounded(o, dtypes.compute, node.op);
        changed = true;
      }
      operands.push_back(o);
    }
    Graph::ValueId made =
        graph().add_node(node.op, std::move(operands), node.attrs, node.origin)[0];
    // A comparison of halves is bool already; anything else rounds to the half here.
    if (graph().dtype(made) != dtypes.result) made = cast(made, dtypes.result, node);
    rewriter_->replace(node.results[0], made);
    return changed;
  }

 private:
  // Eager's selection of 16-bit floats does not compute, so that denormals stay what they are.
  bool selects_bits(const Graph::Node& node) const {
    return node.op == Op::where && assume_denormals(context_, node.op) == Denormals::kZero;
  }

  Graph& graph() { return *rewriter_->graph(); }

  std::vector<OperandType> operand_types(const Graph::Node& node) const {
    std::vector<OperandType> types;
    for (const Graph::Operand& o : node.operands) {
      OperandType type;
      type.scalar = o.literal;
      if (o.is_value()) {
        type.layout = old_.layout(o.value);
        const Scalar::Kind kind = old_.scalar_kind(o.value);
        if (old_.is_scalar(o.value))
          type.scalar = kind == Scalar::Kind::kFloat ? Scalar(1.0)
                        : kind == Scalar::Kind::kInt ? Scalar(1)
                                                     : Scalar(true);
      }
      types.push_back(type);
    }
    return types;
  }

  // A number beside a 16-bit tensor is rounded to it before they are compared; elsewhere it keeps
  // its f32 value. A number that is an argument becomes a literal, guarded.
  Graph::Operand rounded(const Graph::Operand& o, Dtype dtype, Op op) {
    const Scalar value = o.is_value() ? assume_scalar(context_, o.value, op) : o.literal;
    uint16_t element = 0;
    store_element(dtype, &element, value);
    return {-1, load_element(dtype, &element)};
  }

  Graph::ValueId cast(Graph::ValueId v, Dtype dtype, const Graph::Node& node) {
    if (graph().dtype(v) == dtype) return v;
    return graph().add_node(Op::cast, {{v, {}}}, Attrs().add(dtype).flat().vec(), node.origin)[0];
  }

  Graph::ValueId expand(Graph::ValueId v, IntArrayRef sizes, const Graph::Node& node) {
    if (graph().sizes(v) == sizes) return v;
    return graph().add_node(Op::expand, {{v, {}}}, Attrs().add_list(sizes).flat().vec(),
                            node.origin)[0];
  }

  const Graph& old_;
  Rewriter* rewriter_;
  NormalizeContext* context_;
};

}  // namespace

bool promote_and_broadcast(Graph* graph, NormalizeContext* context) {
  Rewriter rewriter(*graph);
  Promotion promotion(*graph, &rewriter, context);
  bool changed = false;
  for (const Graph::Node& node : graph->nodes()) {
    if (is_elementwise(node.op)) {
      changed |= promotion.run(node);
    } else {
      rewriter.copy(node);
    }
  }
  if (changed) *graph = rewriter.finish();
  return changed;
}

}  // namespace frit::passes
