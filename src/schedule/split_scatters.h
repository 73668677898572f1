// Splits scatters and their kin into a copy of what they begin with, and what is put into it.
//
//   %1 = scatter_add %x, %i, %s        // f32           // f16
//   %1 = clone %x                      %1: f32 = cast %x
//   %2 = scatter_add %1, %i, %s        %2: f32 = cast %s
//                                      %3: f32 = scatter_add %1, %i, %2
//                                      %4: f16 = cast %3
//
// The second one is a put: it writes to the memory of its first operand, which nothing else reads.
// Those that are eager's stay as they are: see Roles::scatter().
#pragma once

#include <vector>

#include "frit/graph.h"

namespace frit::scheduling {

struct SplitGraph {
  Graph graph;
  std::vector<int> came_from;  // per node: the node of the old graph that it puts for, or -1
};
SplitGraph split_scatters(const Graph& graph);

}  // namespace frit::scheduling
