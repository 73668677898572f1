// Fusion: which nodes of a core graph become one kernel, and the order of what runs.
//
//   Roles roles(graph);
//   Fusion fusion = fuse(graph, &roles);
//
// A group is a set of nodes over one domain: the sizes of its loops, without ones. Its nodes are
// pointwise over the whole domain, or reductions or scans over the same rows of it (`row`),
// or pointwise over what a row gives, as the division in x / sum(x). See fuse.cc for the rules.
#pragma once

#include <vector>

#include "src/schedule/dim_map.h"
#include "src/schedule/roles.h"

namespace frit::scheduling {

struct Group {
  std::vector<int> nodes;      // ascending; one for a call
  bool is_call = false;        // an op that runs by its eager kernel
  std::vector<int64_t> sizes;  // of the domain
  // The domain's dimensions that reductions fold and scans go along, outer to inner; often none.
  std::vector<int> row;

  int rank() const { return static_cast<int>(sizes.size()); }
  bool is_row(int dim) const;
  std::vector<int64_t> row_values(const std::vector<int64_t>& per_dim) const;
};

struct Fusion {
  std::vector<Group> groups;  // in an order in which they can run
  std::vector<int> group_of;  // of each node; -1 where it has none (views, constants, dead nodes)
  std::vector<DimMap> maps;   // of each node in a kernel, for the dimensions of loop_sizes
  std::vector<bool> stored;   // of each node in a group: whether its value lies in memory

  // The map of what node n makes, and its strides along the domain's dimensions.
  DimMap result_map(const Graph& graph, int n) const;
  std::vector<int64_t> result_strides(const Graph& graph, const Group& group, int n) const;
  // Whether a node is computed once a row, by its map.
  bool is_per_row(const Group& group, const Graph& graph, int n) const;
};

// Nodes that turn out to be better run by eager become calls in `roles`.
Fusion fuse(const Graph& graph, Roles* roles);

// The sizes of a node's loops: of its result, or for a reduction or a copying reshape of its
// operand, or of what a put goes over.
Dims loop_sizes(const Graph& graph, const Graph::Node& node);

}  // namespace frit::scheduling
