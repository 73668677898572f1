// Runs a graph node by node with the reference loops.
#include "frit/error.h"
#include "frit/graph.h"
#include "src/graph/types.h"
#include "src/ops/reference/reference.h"
#include "src/tensor/devices.h"

namespace frit {
namespace {

void check_scalar(const Graph& graph, int i, const GraphArg& arg) {
  const Scalar::Kind kind = graph.scalar_kind(i);
  if (!arg.tensor.defined() && arg.scalar.kind() == kind) return;
  const std::string got = arg.tensor.defined()
                              ? describe(arg.tensor)
                              : std::string(graph::scalar_type_name(arg.scalar.kind()));
  throw Error(ErrorKind::kValue, "interpret(%" + graph.name() + "): " + graph.value_name(i) +
                                     ": expected " + std::string(graph::scalar_type_name(kind)) +
                                     ", got " + got);
}

// set_outputs() takes any numbers.
void check_outputs(const Graph& graph) {
  for (Graph::ValueId v : graph.outputs())
    if (v < 0 || v >= graph.num_values() || graph.is_scalar(v))
      throw Error(ErrorKind::kValue, "interpret(%" + graph.name() + "): output " +
                                         std::to_string(v) + " is not a tensor of the graph");
}

void check_args(const Graph& graph, std::span<const GraphArg> args) {
  if (static_cast<int>(args.size()) != graph.num_inputs())
    throw Error(ErrorKind::kValue, "interpret(%" + graph.name() + "): arguments: expected " +
                                       std::to_string(graph.num_inputs()) + ", got " +
                                       std::to_string(args.size()));
  for (int i = 0; i < graph.num_inputs(); ++i) {
    const Tensor& t = args[i].tensor;
    if (graph.is_scalar(i)) {
      check_scalar(graph, i, args[i]);
      continue;
    }
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

// The reference loops read and write here.
GraphArg on_cpu(const GraphArg& arg) {
  const bool here = !arg.tensor.defined() || arg.tensor.device().is_cpu();
  return here ? arg : GraphArg(devices::copy_to(kCPU, *arg.tensor.impl()));
}

}  // namespace

std::vector<Tensor> interpret(const Graph& graph, std::span<const GraphArg> args) {
  check_args(graph, args);
  check_outputs(graph);
  MuteScope mute;
  const DefaultDeviceScope here(kCPU);
  std::vector<GraphArg> values;
  for (const GraphArg& arg : args) values.push_back(on_cpu(arg));
  for (const Graph::Node& node : graph.nodes()) {
    Tensor results[kMaxResults];
    run_node(node, values, results);
    for (size_t i = 0; i < node.results.size(); ++i) values.emplace_back(results[i]);
  }
  std::vector<Tensor> outputs;
  for (Graph::ValueId v : graph.outputs()) {
    const Tensor& made = values[v].tensor;
    const Device device = graph.layout(v)->device;
    outputs.push_back(device.is_cpu() ? made : devices::copy_to(device, *made.impl()));
  }
  return outputs;
}

}  // namespace frit
