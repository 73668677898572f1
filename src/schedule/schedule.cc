// The stage as a list of steps: roles, fusion, lowering, placing.
#include "src/schedule/schedule.h"

#include <set>

#include "src/base/check.h"
#include "src/base/flags.h"
#include "src/schedule/fuse.h"
#include "src/schedule/lower.h"
#include "src/schedule/memory.h"
#include "src/schedule/place_buffers.h"
#include "src/schedule/roles.h"
#include "src/schedule/split_scatters.h"

namespace frit {
namespace scheduling {
namespace {

// Every output gets a node of its own that makes it: where one is an input, a view or there twice,
// a copy.
Graph with_own_outputs(const Graph& graph) {
  const Roles roles(graph);
  Graph result = graph;
  std::vector<Graph::ValueId> outputs;
  std::set<Graph::ValueId> taken;
  for (Graph::ValueId v : graph.outputs()) {
    const bool own = roles.base(v) == v && !graph.is_input(v) && taken.insert(v).second;
    outputs.push_back(own ? v : result.add_node(Op::clone, {{v, {}}}, {})[0]);
  }
  result.set_outputs(std::move(outputs));
  return result;
}

// A copy has a layout without gaps: an output that must have gaps, or one place for two elements,
// cannot be made.
std::string output_problem(const Graph& graph, const Graph& own_outputs) {
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    if (graph.layout(graph.outputs()[i]) != own_outputs.layout(own_outputs.outputs()[i]))
      return "output " + std::to_string(i) +
             " is a view with gaps: " + to_string(*graph.layout(graph.outputs()[i]));
  return {};
}

void add_steps(const Graph& graph, const Roles& roles, const Fusion& fusion, Memory* memory,
               Schedule* schedule) {
  for (int g = 0; g < static_cast<int>(fusion.groups.size()); ++g) {
    const Group& group = fusion.groups[g];
    if (group.is_call) {
      const int n = group.nodes[0];
      const Graph::Node& node = graph.nodes()[n];
      OpStep step = call_step(graph, node, [&](size_t k, OpStep::Arg* arg) {
        arg->view = memory->view(node.operands[k].value);
      });
      for (Graph::ValueId v : node.results) step.results.push_back(memory->view(v));
      schedule->steps.emplace_back(std::move(step));
      if (!roles.of(n).reason.empty()) schedule->fallbacks.push_back(roles.of(n).reason);
    } else if (!is_empty(group)) {
      KernelStep step = lower(graph, roles, fusion, g, memory);
      if (base::flags().verify) {
        const std::string problem = step.kernel->verify();
        FRIT_CHECK(problem.empty()) << problem << '\n' << step.kernel->print() << graph.print();
      }
      schedule->steps.emplace_back(std::move(step));
    }
  }
}

}  // namespace
}  // namespace scheduling

Schedule schedule(const Graph& user_graph) {
  Schedule result;
  scheduling::SplitGraph split = scheduling::split_scatters(user_graph);
  const Graph graph = scheduling::with_own_outputs(split.graph);
  scheduling::Roles roles(graph, user_graph, std::move(split.came_from));
  result.refusal = roles.refusal();
  if (result.refusal.empty()) result.refusal = scheduling::output_problem(user_graph, graph);
  if (!result.refusal.empty()) return result;
  const scheduling::Fusion fusion = scheduling::fuse(graph, &roles);
  scheduling::Memory memory(graph, roles, &result);
  scheduling::add_steps(graph, roles, fusion, &memory, &result);
  scheduling::place_buffers(&result);
  return result;
}

}  // namespace frit
