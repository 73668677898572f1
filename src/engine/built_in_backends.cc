// Op by op, printed, or by machine code.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/engine/built_in_backends.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "src/base/float_mode.h"
#include "src/eager/dispatch.h"
#include "src/engine/native.h"
#include "src/engine/plan_guards.h"
#include "src/normalize/normalize.h"
#include "src/runtime/executor.h"
#include "src/tensor/tensor_impl.h"

namespace frit {
namespace engine {
namespace {

CompiledGraph interpreting(const BackendInput& input) {
  return [graph = input.graph](std::span<const GraphArg> args) { return interpret(graph, args); };
}

// Runs a graph's nodes one after the other by eager's kernels. Values go when nothing is to read
// them any more.
class OpByOp {
 public:
  explicit OpByOp(Graph graph) : graph_(std::move(graph)), last_reader_(graph_.num_values(), -1) {
    const int num_nodes = static_cast<int>(graph_.nodes().size());
    for (int n = 0; n < num_nodes; ++n)
      for (const Graph::Operand& o : graph_.nodes()[n].operands)
        if (o.is_value()) last_reader_[o.value] = n;
    for (Graph::ValueId v : graph_.outputs()) last_reader_[v] = num_nodes;
  }

  std::vector<Tensor> operator()(std::span<const GraphArg> args) const {
    const MuteScope mute;
    std::vector<GraphArg> values(args.begin(), args.end());
    for (int n = 0; n < static_cast<int>(graph_.nodes().size()); ++n) run(n, &values);
    std::vector<Tensor> outputs;
    for (Graph::ValueId v : graph_.outputs()) outputs.push_back(values[v].tensor);
    return outputs;
  }

 private:
  void run(int n, std::vector<GraphArg>* values) const {
    const Graph::Node& node = graph_.nodes()[n];
    std::vector<Operand> operands;
    for (const Graph::Operand& o : node.operands) {
      if (!o.is_value())
        operands.emplace_back(o.literal);
      else if (graph_.is_scalar(o.value))
        operands.emplace_back((*values)[o.value].scalar);
      else
        operands.emplace_back((*values)[o.value].tensor);
    }
    Tensor results[kMaxResults];
    const DefaultDeviceScope device(node.results.empty() ? kCPU : graph_.device(node.results[0]));
    run_eager({node.op, operands, Attrs(node.attrs)}, results);
    for (const Graph::Operand& o : node.operands)
      if (o.is_value() && last_reader_[o.value] == n) (*values)[o.value].tensor = Tensor();
    for (size_t i = 0; i < node.results.size(); ++i) values->emplace_back(std::move(results[i]));
  }

  Graph graph_;
  std::vector<int> last_reader_;  // a node; past the last one for an output
};

// Prints what it is given, and leaves it to whoever is next.
CompiledGraph dumping(const BackendInput& input) {
  std::fprintf(stderr, "%s%s\n", input.graph.print().c_str(), to_string(input.guards).c_str());
  return nullptr;
}

// Runs an executor of its own on the arguments of a graph.
class Native {
 public:
  Native(Graph graph, std::shared_ptr<const runtime::Executor> executor)
      : graph_(std::move(graph)), executor_(std::move(executor)) {}

  std::vector<Tensor> operator()(std::span<const GraphArg> args) const {
    std::vector<Tensor> tensors;
    std::vector<Scalar> scalars;
    for (const GraphArg& arg : args) {
      if (arg.tensor.defined())
        tensors.push_back(arg.tensor);
      else
        scalars.push_back(arg.scalar);
    }
    std::vector<StorageRef> made(graph_.outputs().size());
    executor_->run({std::span<const Tensor>(tensors), {}, scalars, made, {}});
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < made.size(); ++i)
      outputs.push_back(new_view(graph_.layout(graph_.outputs()[i]), made[i].get(), 0));
    return outputs;
  }

 private:
  Graph graph_;
  std::shared_ptr<const runtime::Executor> executor_;
};

CompiledGraph natively(const BackendInput& input) {
  if (!base::rounds_to_nearest(static_cast<uint32_t>(environment_in(input.guards)))) return nullptr;
  const std::optional<Graph> core = core_graph_of(input);
  if (!core || !same_output_layouts(input.graph, *core)) return nullptr;
  std::string reason;
  std::shared_ptr<const runtime::Executor> executor = make_executor(*core, &reason);
  if (executor == nullptr) throw Error(ErrorKind::kNotImplemented, "native: " + reason);
  return Native(*core, std::move(executor));
}

}  // namespace

std::vector<BuiltInBackend> built_in_backends() {
  const auto op_by_op = [](const BackendInput& input) -> CompiledGraph {
    return OpByOp(input.graph);
  };
  return {{"dump", dumping, false}, {"eager", op_by_op, true}, {"interpret", interpreting, true}};
}

std::optional<Graph> core_graph_of(const BackendInput& input, const Expansions& expansions) {
  NormalizeContext context;
  context.keep = expansions.keep;
  context.decompositions = expansions.own;
  context.scalar_values.resize(input.graph.num_values());
  context.denormals = denormals_in(input.guards);
  const std::optional<Device> on = device_of(input.graph);
  if (!on) throw Error(ErrorKind::kNotImplemented, "normalized: values lie on several devices");
  const DefaultDeviceScope device(*on);
  // A scalar that is guarded is a literal of the graph by now.
  Graph core = normalize(input.graph, &context);
  const bool by_scalar = std::any_of(context.assumptions.begin(), context.assumptions.end(),
                                     [](const Assumption& a) { return a.fact == Fact::kScalar; });
  if (by_scalar) return std::nullopt;
  return core;
}

}  // namespace engine

Backend native_backend() { return engine::natively; }

}  // namespace frit
