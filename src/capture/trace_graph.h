// From a trace to the graph of its user ops, with stores functionalized.
#pragma once

#include <string>
#include <vector>

#include "frit/graph.h"
#include "src/capture/trace.h"

namespace frit::capture {

// Memory that a plan's run has at hand: an external's, or an output's (neither: a scalar).
struct PlanMemory {
  int external = -1, output = -1;
  int64_t offset = 0;  // from its first element, in bytes
};

// A store that is made once everything has been computed.
struct Commit {
  PlanMemory target, source;
  const Layout *target_layout = nullptr, *source_layout = nullptr;
  int scalar = -1;  // the source, if it is one of the trace's scalars
};

// The graph's inputs are the externals %x0.. and the scalars %s0... Its outputs are what the plan
// must make new memory for; it computes from memory as it was when the trace began.
struct TraceGraph {
  Graph graph;
  std::vector<int> scalar_of_input;  // per graph input after the externals: the trace's scalar
  std::vector<PlanMemory> places;    // per slot; neither where it is not produced
  std::vector<Commit> commits;       // in order
};

// `produced`: the roots to make. `constant[i]`: scalar i stands as a literal instead of an input.
TraceGraph to_graph(const Trace& trace, const std::vector<bool>& produced,
                    const std::vector<bool>& constant, std::string name);

}  // namespace frit::capture
