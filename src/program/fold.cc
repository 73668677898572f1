// Runs the ops that depend on constants alone, and makes their results constants.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/program/fold.h"

#include <string>
#include <utility>

#include "src/eager/dispatch.h"
#include "src/ops/infer.h"

namespace frit::program {
namespace {

class Folder {
 public:
  Folder(const Graph& graph, const std::vector<Tensor>& constants)
      : graph_(graph),
        num_examples_(graph.num_inputs() - static_cast<int>(constants.size())),
        values_(static_cast<size_t>(graph.num_values())),
        constant_(values_.size()),
        wanted_(values_.size()),
        folded_(values_.size()) {
    for (size_t i = 0; i < constants.size(); ++i) {
      values_[static_cast<size_t>(num_examples_) + i] = constants[i];
      constant_[static_cast<size_t>(num_examples_) + i] = true;
    }
  }

  Graph run(std::vector<Tensor>* constants) {
    find_constants();
    for (Graph::ValueId v : graph_.outputs()) want(v);
    for (const Graph::Node& node : graph_.nodes())
      if (!constant_[node.results[0]]) want_operands(node);
    return rebuild(constants);
  }

 private:
  void find_constants() {
    for (const Graph::Node& node : graph_.nodes()) {
      bool constant = true;
      for (const Graph::Operand& o : node.operands)
        constant = constant && (!o.is_value() || constant_[o.value]);
      for (Graph::ValueId v : node.results) constant_[v] = constant;
    }
  }

  // Costs nothing where it is used, other than a copy of what it shows.
  bool is_cheap(const Graph::Node& node) const {
    if (info(node.op).family == Family::kCreate) return true;
    if (info(node.op).traits == Traits::kNone) return false;
    std::vector<OperandType> operands;
    for (const Graph::Operand& o : node.operands)
      operands.push_back({o.is_value() ? graph_.layout(o.value) : nullptr, o.literal});
    return infer(node.op, operands, Attrs(node.attrs)).results[0].view_of >= 0;
  }

  void want_operands(const Graph::Node& node) {
    for (const Graph::Operand& o : node.operands)
      if (o.is_value()) want(o.value);
  }

  // A value that the new graph uses: an input, a node that stays, or a constant to be made.
  void want(Graph::ValueId v) {
    if (wanted_[v]) return;
    wanted_[v] = true;
    if (!constant_[v] || graph_.is_input(v)) return;
    const Graph::Node& node = graph_.nodes()[graph_.def(v)];
    folded_[v] = !is_cheap(node);
    if (!folded_[v]) want_operands(node);
  }

  const Tensor& evaluate(Graph::ValueId v) {
    if (values_[v].defined()) return values_[v];
    const Graph::Node& node = graph_.nodes()[graph_.def(v)];
    std::vector<Operand> operands;
    for (const Graph::Operand& o : node.operands)
      operands.push_back(o.is_value() ? Operand(evaluate(o.value)) : Operand(o.literal));
    Tensor results[kMaxResults];
    const DefaultDeviceScope here(kCPU);
    run_eager({node.op, operands, Attrs(node.attrs)}, results);
    for (size_t i = 0; i < node.results.size(); ++i)
      values_[node.results[i]] = std::move(results[i]);
    return values_[v];
  }

  Graph rebuild(std::vector<Tensor>* constants) {
    Graph result(graph_.name());
    std::vector<Graph::ValueId> made(values_.size(), -1);
    constants->clear();
    for (Graph::ValueId v = 0; v < graph_.num_values(); ++v) {
      const bool example = v < num_examples_;
      if (!example && !(wanted_[v] && (graph_.is_input(v) || folded_[v]))) continue;
      std::string name =
          graph_.is_input(v) ? graph_.input_name(v) : std::string(1, 'f').append(std::to_string(v));
      made[v] = result.add_input(std::move(name), graph_.layout(v));
      if (!example) constants->push_back(evaluate(v));
    }
    for (const Graph::Node& node : graph_.nodes()) {
      if (!stays(node)) continue;
      std::vector<Graph::Operand> operands;
      for (Graph::Operand o : node.operands) {
        if (o.is_value()) o.value = made[o.value];
        operands.push_back(o);
      }
      const auto results = result.add_node(node.op, std::move(operands), node.attrs, node.origin);
      for (size_t i = 0; i < results.size(); ++i)
        if (made[node.results[i]] < 0) made[node.results[i]] = results[i];
    }
    std::vector<Graph::ValueId> outputs;
    for (Graph::ValueId v : graph_.outputs()) outputs.push_back(made[v]);
    result.set_outputs(std::move(outputs));
    return result;
  }

  bool stays(const Graph::Node& node) const {
    if (!constant_[node.results[0]]) return true;
    for (Graph::ValueId v : node.results)
      if (wanted_[v] && !folded_[v]) return true;
    return false;
  }

  const Graph& graph_;
  const int num_examples_;
  std::vector<Tensor> values_;  // of constants, once they are needed
  std::vector<bool> constant_, wanted_, folded_;
};

}  // namespace

void fold_constants(Graph* core, std::vector<Tensor>* constants) {
  *core = Folder(*core, *constants).run(constants);
}

}  // namespace frit::program
