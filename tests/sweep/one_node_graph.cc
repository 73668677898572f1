// Builds graphs of one node and takes them through normalize.
#include "tests/sweep/one_node_graph.h"

namespace frit::sweep {

Graph one_node_graph(const SweepCase& c, Scalars scalars) {
  Graph graph(std::string(name(c.op)));
  std::vector<Graph::Operand> operands;
  for (const Scalar& scalar : c.scalars) operands.push_back({-1, scalar});
  for (size_t i = 0; i < c.tensors.size(); ++i)
    if (c.tensors[i].defined())
      operands[i] = {graph.add_input("x" + std::to_string(i), c.tensors[i].impl()->layout), {}};
  for (size_t i = 0; i < c.tensors.size() && scalars == Scalars::kArguments; ++i)
    if (!c.tensors[i].defined())
      operands[i] = {graph.add_scalar_input("s" + std::to_string(i), c.scalars[i].kind()), {}};
  graph.set_outputs(graph.add_node(c.op, std::move(operands), c.attrs.flat().vec()));
  return graph;
}

std::vector<GraphArg> graph_args(const SweepCase& c, Scalars scalars) {
  std::vector<GraphArg> args;
  for (const Tensor& t : c.tensors)
    if (t.defined()) args.emplace_back(t);
  for (size_t i = 0; i < c.tensors.size() && scalars == Scalars::kArguments; ++i)
    if (!c.tensors[i].defined()) args.emplace_back(c.scalars[i]);
  return args;
}

Graph normalized(const Graph& graph, const std::vector<GraphArg>& args, std::string* problem,
                 Denormals denormals) {
  NormalizeContext context;
  context.denormals = denormals;
  for (const GraphArg& arg : args) context.scalar_values.push_back(arg.scalar);
  bool promoted = false;
  context.after_pass = [&](std::string_view pass, const Graph& made) {
    promoted |= pass == "promote_and_broadcast";
    const std::string found = made.verify(promoted);
    if (problem->empty() && !found.empty()) *problem = found + " (after " + std::string(pass) + ")";
  };
  Graph core = normalize(graph, &context);
  if (problem->empty()) *problem = core.verify(true);
  return core;
}

std::string text_problem(const Graph& graph) {
  const std::string text = graph.print();
  try {
    const std::string again = Graph::parse(text).print();
    return again == text ? "" : "parses back as\n" + again;
  } catch (const Error& error) {
    return error.what();
  }
}

Lowered how_lowered(const Schedule& schedule) {
  if (!schedule.refusal.empty()) return {Lowered::Kind::kRefused, schedule.refusal};
  if (!schedule.fallbacks.empty()) return {Lowered::Kind::kFallback, schedule.fallbacks[0]};
  for (const ScheduleStep& step : schedule.steps)
    if (std::holds_alternative<OpStep>(step)) return {Lowered::Kind::kCall, {}};
  return {Lowered::Kind::kKernels, {}};
}

}  // namespace frit::sweep
