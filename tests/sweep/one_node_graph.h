// A sweep case as a graph of one node, and the ways of running it that the pipeline knows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frit/graph.h"
#include "src/normalize/normalize.h"
#include "src/schedule/schedule.h"
#include "tests/sweep/cases.h"
#include "tests/sweep/compare.h"

namespace frit::sweep {

// Whether the host scalars of a case stand in the graph as numbers or are its arguments.
enum class Scalars : uint8_t { kLiterals, kArguments };

// Inputs are the tensor operands in order, then scalars; outputs are all results of the node.
// Throws as the call would.
Graph one_node_graph(const SweepCase& c, Scalars scalars);

// The operands as arguments of such a graph.
std::vector<GraphArg> graph_args(const SweepCase& c, Scalars scalars);

// What normalize makes of it. Verifies the graph after each pass; `*problem` is the first broken
// rule.
Graph normalized(const Graph& graph, const std::vector<GraphArg>& args, std::string* problem,
                 Denormals denormals = Denormals::kKept);

// Empty, or what is wrong with the text of the graph: it must parse back to itself.
std::string text_problem(const Graph& graph);

// How far the pipeline takes a case.
struct Lowered {
  enum class Kind : uint8_t { kError, kRefused, kFallback, kCall, kKernels } kind;
  std::string reason;  // of kRefused and kFallback
};
// kKernels: nothing but fused kernels. kCall: a library call that is meant to be one.
Lowered how_lowered(const Schedule& schedule);

// The tensors that `run` returns, or its error. An op that writes gives its first operand.
template <class Run>
Outcome outcome_of(const SweepCase& c, Run run) {
  Outcome outcome;
  try {
    outcome.results = run();
    if (outcome.results.empty()) outcome.results.push_back(c.tensors[0]);
  } catch (const Error& error) {
    outcome.error = error.kind();
    outcome.error_text = error.what();
  }
  return outcome;
}

}  // namespace frit::sweep
