// Works back from what must be computed: folds and stores.
#include "src/schedule/phases.h"

#include <algorithm>
#include <bit>

namespace frit::scheduling {
namespace {

// What may be computed twice costs at most this, in loads or additions.
constexpr int kCheap = 6;
constexpr int kMaxCost = 1000;

// What an op costs, from the facts of its row: approximated functions are polynomials; of the exact
// ops those that only floats have are the divisions and roots.
int cost_of(Op op) {
  const OpInfo& row = info(op);
  if (row.family > Family::kTernary) return row.family == Family::kCast ? 1 : 0;
  if (row.tolerance.kind != Tolerance::Kind::kExact) return 20;
  return row.dtype == DtypeRule::Float ? 4 : 1;
}

class PhasePlanner {
 public:
  PhasePlanner(const Graph& graph, const Roles& roles, const Fusion& fusion, int group)
      : graph_(graph),
        roles_(roles),
        fusion_(fusion),
        group_(fusion.groups[group]),
        index_(group) {}

  Phases run() {
    for (int n : group_.nodes)
      if (is_reduce(n)) phases_.reductions.push_back(n);
    for (int n : group_.nodes) note_cost(n);
    for (size_t i = group_.nodes.size(); i-- > 0;) demand(group_.nodes[i]);
    for (const auto& [node, home] : phases_.home) phases_.has_last |= home == phases_.last();
    for (auto& [node, place] : phases_.kept_in) place = find_place(node);
    return std::move(phases_);
  }

 private:
  bool is_reduce(int n) const { return roles_.of(n).role == Role::kReduce; }
  bool is_whole(int n) const { return !is_reduce(n) && !fusion_.is_per_row(group_, graph_, n); }

  // The operands that are made over the whole domain in this group.
  std::vector<int> whole_operands(int n) const {
    std::vector<int> result;
    for (const Graph::Operand& o : graph_.nodes()[n].operands) {
      if (!is_memory(o)) continue;
      const int p = graph_.def(roles_.base(o.value));
      if (p >= 0 && fusion_.group_of[p] == index_ && is_whole(p)) result.push_back(p);
    }
    return result;
  }
  bool is_memory(const Graph::Operand& o) const {
    return o.is_value() && !graph_.is_scalar(o.value) && !roles_.is_constant(o.value);
  }

  void note_cost(int n) {
    if (!is_whole(n)) return;
    const Graph::Node& node = graph_.nodes()[n];
    int cost = roles_.of(n).role == Role::kScan ? kMaxCost : cost_of(node.op);
    for (const Graph::Operand& o : node.operands) {
      if (!is_memory(o)) continue;
      const int p = graph_.def(roles_.base(o.value));
      const bool made_here = p >= 0 && fusion_.group_of[p] == index_;
      if (!made_here || fusion_.stored[p]) {
        ++cost;
      } else if (is_whole(p)) {
        cost += costs_[p];
      }
    }
    costs_[n] = std::min(cost, kMaxCost);
  }

  // Passes on to its operands in which phases a node is needed. Later nodes have done so.
  void demand(int n) {
    if (is_reduce(n)) {
      const auto at = std::find(phases_.reductions.begin(), phases_.reductions.end(), n);
      for (int p : whole_operands(n)) needed_[p] |= 1u << (at - phases_.reductions.begin());
    }
    if (!is_whole(n)) return;
    uint32_t computed = needed_[n];
    const bool kept = std::popcount(computed) > 1 && costs_[n] > kCheap;
    if (fusion_.stored[n] && computed == 0) computed = 1u << phases_.last();
    if (fusion_.stored[n] || kept) {
      const int home = std::countr_zero(computed);
      phases_.home[n] = home;
      computed = 1u << home;
      if (!fusion_.stored[n]) phases_.kept_in[n] = -1;
    }
    for (int p : whole_operands(n)) needed_[p] |= computed;
  }

  // A node that is stored in the last phase: until then its memory is free.
  int find_place(int kept) {
    const Dtype dtype = graph_.dtype(graph_.nodes()[kept].results[0]);
    for (int n : group_.nodes) {
      const auto home = phases_.home.find(n);
      if (home == phases_.home.end() || home->second != phases_.last() || !fusion_.stored[n])
        continue;
      if (graph_.dtype(graph_.nodes()[n].results[0]) != dtype) continue;
      if (std::find(taken_.begin(), taken_.end(), n) != taken_.end()) continue;
      taken_.push_back(n);
      return n;
    }
    return -1;
  }

  const Graph& graph_;
  const Roles& roles_;
  const Fusion& fusion_;
  const Group& group_;
  const int index_;
  Phases phases_;
  std::map<int, int> costs_;
  std::map<int, uint32_t> needed_;  // per node: the phases, as bits
  std::vector<int> taken_;
};

}  // namespace

bool Phases::is_read(int node, int phase) const {
  const auto it = home.find(node);
  return it != home.end() && it->second < phase;
}

Phases plan_phases(const Graph& graph, const Roles& roles, const Fusion& fusion, int group) {
  return PhasePlanner(graph, roles, fusion, group).run();
}

}  // namespace frit::scheduling
