// Runs a graph node by node with the reference loops.
#include "frit/error.h"
#include "frit/graph.h"
#include "src/ops/reference/reference.h"

namespace frit {
namespace {

void check_args(const Graph& graph, std::span<const GraphArg> args) {
  if (static_cast<int>(args.size()) != graph.num_inputs())
    throw Error(ErrorKind::kValue, "interpret(%" + graph.name() + "): arguments: expected " +
                                       std::to_string(graph.num_inputs()) + ", got " +
                                       std::to_string(args.size()));
  for (int i = 0; i < graph.num_inputs(); ++i) {
    if (graph.is_scalar(i)) continue;
    const Tensor& t = args[i].tensor;
    if (!t.defined() || t.impl()->layout != graph.layout(i))
      throw Error(ErrorKind::kValue, "interpret(%" + graph.name() + "): " + graph.value_name(i) +
                                         ": expected " + to_string(*graph.layout(i)) + ", got " +
                                         describe(t));
    materialize(t.impl());
  }
}

void run_node(const Graph::Node& node, const std::vector<GraphArg>& values, Tensor* results) {
  std::vector<Operand> operands;
  for (const Graph::Operand& o : node.operands) {
    if (!o.is_value()) {
      operands.emplace_back(o.literal);
    } else if (values[o.value].tensor.defined()) {
      operands.emplace_back(values[o.value].tensor);
    } else {
      operands.emplace_back(values[o.value].scalar);
    }
  }
  reference::run({node.op, operands, Attrs(node.attrs)}, results);
}

}  // namespace

std::vector<Tensor> interpret(const Graph& graph, std::span<const GraphArg> args) {
  check_args(graph, args);
  MuteScope mute;
  std::vector<GraphArg> values(args.begin(), args.end());
  for (const Graph::Node& node : graph.nodes()) {
    Tensor results[kMaxResults];
    run_node(node, values, results);
    for (size_t i = 0; i < node.results.size(); ++i) values.emplace_back(results[i]);
  }
  std::vector<Tensor> outputs;
  for (Graph::ValueId v : graph.outputs()) outputs.push_back(values[v].tensor);
  return outputs;
}

}  // namespace frit
