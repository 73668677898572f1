// Phases: the loops over a row that a group needs one after the other, and what is computed in
// which.
//
// softmax is three: amax of x; sum of exp(x - amax); exp / sum. What two phases need is computed in
// both where that is cheap (x - mean), and otherwise kept in memory (exp), if possible where an
// output will be written later. A group without reductions has one phase.
#pragma once

#include <map>

#include "src/schedule/fuse.h"

namespace frit::scheduling {

struct Phases {
  std::vector<int>
      reductions;  // the nodes whose folds are phases 0, 1, ...; after them comes the last phase
  bool has_last = false;  // whether the last phase does anything

  // Of nodes over the whole domain whose value is stored or kept: the phase that computes them.
  // Later ones read it.
  std::map<int, int> home;
  // Of nodes that are kept but not stored: the node whose memory they use, or -1 for memory of
  // their own.
  std::map<int, int> kept_in;

  int last() const { return static_cast<int>(reductions.size()); }
  // Whether phase `phase` reads the node's value from memory.
  bool is_read(int node, int phase) const;
};

Phases plan_phases(const Graph& graph, const Roles& roles, const Fusion& fusion, int group);

}  // namespace frit::scheduling
