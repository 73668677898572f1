// Cuts a graph into the parts that a backend takes and those that are left.
//
// Nodes get stages: even ones hold what is left, odd ones what is taken, and a node's is the first
// of its kind that is none before its operands'. A stage is a part: it needs nothing of later ones.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "frit/backend.h"
#include "src/engine/foreign.h"
#include "src/engine/plan_guards.h"

namespace frit {
namespace {

using ValueId = Graph::ValueId;

struct Part {
  bool taken;
  Graph graph;
  std::vector<ValueId> inputs, outputs;  // of the whole graph
  CompiledGraph run{};
};

std::vector<int> stages_of(const Graph& graph, const Takes& takes) {
  std::vector<int> stages;
  for (const Graph::Node& node : graph.nodes()) {
    const int kind = takes(graph, node) ? 1 : 0;
    int stage = kind;
    for (const Graph::Operand& o : node.operands) {
      const int def = o.is_value() ? graph.def(o.value) : -1;
      if (def < 0) continue;
      const bool same = stages[def] % 2 == kind;
      stage = std::max(stage, stages[def] + !same);
    }
    stages.push_back(stage);
  }
  return stages;
}

class Cut {
 public:
  Cut(const Graph& whole, const Takes& takes) : whole_(whole), stages_(stages_of(whole, takes)) {}

  std::vector<Part> parts() const {
    const int last = stages_.empty() ? -1 : *std::max_element(stages_.begin(), stages_.end());
    std::vector<Part> parts;
    for (int stage = 0; stage <= last; ++stage) {
      Part part = part_of(stage);
      if (!part.outputs.empty()) parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  bool is_in(ValueId v, int stage) const {
    return whole_.def(v) >= 0 && stages_[whole_.def(v)] == stage;
  }

  // What nodes of the stage read of others: tensors, then scalars.
  std::vector<ValueId> inputs_of(int stage) const {
    std::vector<ValueId> inputs;
    for (size_t n = 0; n < stages_.size(); ++n) {
      if (stages_[n] != stage) continue;
      for (const Graph::Operand& o : whole_.nodes()[n].operands)
        if (o.is_value() && !is_in(o.value, stage) && !contains(inputs, o.value))
          inputs.push_back(o.value);
    }
    std::stable_partition(inputs.begin(), inputs.end(),
                          [&](ValueId v) { return !whole_.is_scalar(v); });
    return inputs;
  }

  // What others read of it.
  std::vector<ValueId> outputs_of(int stage) const {
    std::vector<ValueId> outputs;
    const auto note = [&](ValueId v) {
      if (is_in(v, stage) && !contains(outputs, v)) outputs.push_back(v);
    };
    for (size_t n = 0; n < stages_.size(); ++n)
      for (const Graph::Operand& o : whole_.nodes()[n].operands)
        if (o.is_value() && stages_[n] != stage) note(o.value);
    for (ValueId v : whole_.outputs()) note(v);
    return outputs;
  }

  Part part_of(int stage) const {
    Part part{stage % 2 == 1, Graph(whole_.name() + "_" + std::to_string(stage)), inputs_of(stage),
              outputs_of(stage)};
    std::map<ValueId, ValueId> own;
    for (ValueId v : part.inputs) {
      const std::string name = whole_.is_input(v) ? whole_.input_name(v) : "v" + std::to_string(v);
      own[v] = whole_.is_scalar(v) ? part.graph.add_scalar_input(name, whole_.scalar_kind(v))
                                   : part.graph.add_input(name, whole_.layout(v));
    }
    for (size_t n = 0; n < stages_.size(); ++n)
      if (stages_[n] == stage) add_node(whole_.nodes()[n], &part.graph, &own);
    std::vector<ValueId> outputs;
    for (ValueId v : part.outputs) outputs.push_back(own.at(v));
    part.graph.set_outputs(std::move(outputs));
    return part;
  }

  static void add_node(const Graph::Node& node, Graph* graph, std::map<ValueId, ValueId>* own) {
    std::vector<Graph::Operand> operands = node.operands;
    for (Graph::Operand& o : operands)
      if (o.is_value()) o.value = own->at(o.value);
    const std::vector<ValueId> results =
        graph->add_node(node.op, std::move(operands), node.attrs, node.origin);
    for (size_t i = 0; i < results.size(); ++i) (*own)[node.results[i]] = results[i];
  }

  static bool contains(const std::vector<ValueId>& values, ValueId v) {
    return std::find(values.begin(), values.end(), v) != values.end();
  }

  const Graph& whole_;
  const std::vector<int> stages_;
};

// Of what parts hand on to each other there is none.
std::vector<GraphArg> examples_of(const Part& part, const BackendInput& whole) {
  std::vector<GraphArg> examples;
  if (whole.examples.empty()) return examples;
  for (ValueId v : part.inputs)
    examples.push_back(whole.graph.is_input(v) ? whole.examples[static_cast<size_t>(v)]
                                               : GraphArg(Tensor()));
  return examples;
}

// Each part after those that it reads.
std::vector<Tensor> run_parts(const Graph& whole, const std::vector<Part>& parts,
                              std::span<const GraphArg> args) {
  std::vector<GraphArg> values(args.begin(), args.end());
  values.resize(static_cast<size_t>(whole.num_values()), GraphArg(Tensor()));
  for (const Part& part : parts) {
    std::vector<GraphArg> inputs;
    for (ValueId v : part.inputs) inputs.push_back(values[v]);
    std::vector<Tensor> results = part.run(inputs);
    if (results.size() != part.outputs.size())
      throw Error(ErrorKind::kRuntime, "partitioned(%" + part.graph.name() +
                                           "): " + std::to_string(results.size()) +
                                           " outputs, not " + std::to_string(part.outputs.size()));
    for (size_t i = 0; i < results.size(); ++i)
      values[part.outputs[i]].tensor =
          engine::own_output("partitioned, %" + part.graph.name(), whole.layout(part.outputs[i]),
                             std::move(results[i]), i);
  }
  std::vector<Tensor> outputs;
  for (ValueId v : whole.outputs()) outputs.push_back(values[v].tensor);
  return outputs;
}

}  // namespace

Backend partitioned(Backend fn, Takes takes, Backend rest) {
  if (!fn || !takes || !rest) throw Error(ErrorKind::kValue, "partitioned(): a function is empty");
  return [=](const BackendInput& input) -> CompiledGraph {
    std::vector<Part> parts = Cut(input.graph, takes).parts();
    bool any = false;
    for (Part& part : parts) {
      const GuardSet guards = engine::guards_of_part(part.graph, input.guards);
      const std::vector<GraphArg> examples = examples_of(part, input);
      if (part.taken) part.run = fn({part.graph, guards, examples});
      any |= part.run != nullptr;
      if (!part.run) part.run = rest({part.graph, guards, examples});
      if (!part.run) return nullptr;
    }
    if (!any) return nullptr;
    return
        [whole = input.graph, parts = std::make_shared<const std::vector<Part>>(std::move(parts))](
            std::span<const GraphArg> args) { return run_parts(whole, *parts, args); };
  };
}

}  // namespace frit
