// Fuses nodes greedily, in the graph's order.
//
// A node joins the group of one of its operands, and the groups of the others are merged into that
// one, when:
//  1. Its dimensions match: every operand made in the group reaches it through views that keep
//     whole dimensions, all agree on which dimension of the domain each of its dimensions is, and
//     these are the whole domain, or all of it but the row. A dimension that no such operand has
//     (it is repeated along it) is any free one of that size.
//  2. A reduction folds the group's row, or makes a group without reductions one with this row.
//     All that the group touches must then go along the row with one stride, since the row becomes
//     one loop.
//     A scan goes along the group's row in the same way; no fold of the group needs it. One that
//     is done for rows side by side has no fold beside it, nor what is computed once a row.
//  3. Nothing outside must run between: no group that reads from this one feeds it.
//  4. The group stays within bounds that keep kernels compilable in microseconds.
// What reads a second result (the indices of cummax) does so from memory.
//
// Where nothing can be joined the node founds a group. At the end groups over equal domains that
// read the same memory are merged (siblings), by the same rules.
//
// What takes elements by indices reads memory only, since it may read any of it and the indices are
// tested before the kernel runs: its operands are made by other groups. So are those of a flip,
// which begins with what is made last.
//
// A put joins what makes its source. Its elements go one after the other, row-major, so its loops
// stay in that order; its result is complete when the kernel is done, and so is read by others.
//
// Not done: computing a value twice in order to fuse it into two groups; fusing through slices and
// through reshapes that split or merge dimensions (such a value is written to memory, where the
// view costs nothing).
#include "src/schedule/fuse.h"

#include <algorithm>
#include <map>

#include "src/base/check.h"
#include "src/base/flags.h"

namespace frit::scheduling {
namespace {

constexpr size_t kMaxNodes = 64;
constexpr size_t kMaxReductions = 8;
constexpr size_t kMaxReads = 16;
// Up to this many elements, a put's source is computed where it is put, on one thread.
constexpr int64_t kMaxFusedPut = 1 << 16;

bool is_copying_reshape(const Graph::Node& node) {
  return node.op == Op::reshape || node.op == Op::view;
}

class Fuser {
 public:
  Fuser(const Graph& graph, Roles* roles) : graph_(graph), roles_(*roles) {
    fusion_.group_of.assign(graph.nodes().size(), -1);
    fusion_.maps.resize(graph.nodes().size());
  }

  Fusion run() {
    for (int n = 0; n < static_cast<int>(graph_.nodes().size()); ++n) {
      const Role role = roles_.of(n).role;
      if (role == Role::kPointwise || role == Role::kReduce || role == Role::kScan) place(n);
      if (role == Role::kPut) place_put(n);
      if (role == Role::kConstant && roles_.materialized_constant(n)) found_group(n);
      if (roles_.of(n).role == Role::kCall && fusion_.group_of[n] < 0) found_call(n);
    }
    if (fuses_) merge_siblings();
    sort_groups();
    mark_stored();
    return std::move(fusion_);
  }

 private:
  const Graph::Node& node(int n) const { return graph_.nodes()[n]; }
  Group& group(int g) { return fusion_.groups[g]; }

  // The node in a group that makes the operand's memory; -1: an input, a scalar, a number.
  int producer(const Graph::Operand& o) const {
    if (!o.is_value() || graph_.is_scalar(o.value) || roles_.is_constant(o.value)) return -1;
    return graph_.def(roles_.base(o.value));
  }
  // A constant that is read from memory, by a call.
  int maker(const Graph::Operand& o) const {
    if (!o.is_value() || graph_.is_scalar(o.value)) return -1;
    return graph_.def(roles_.base(o.value));
  }
  bool is_reduce(int n) const { return roles_.of(n).role == Role::kReduce; }
  bool is_scan(int n) const { return roles_.of(n).role == Role::kScan; }

  // Founding.

  void found_call(int n) {
    Group made;
    made.nodes = {n};
    made.is_call = true;
    add(n, std::move(made));
  }

  void add(int n, Group made) {
    fusion_.group_of[n] = static_cast<int>(fusion_.groups.size());
    fusion_.groups.push_back(std::move(made));
    read_from_.emplace_back();
    note_reads(n);
  }

  void found_group(int n) {
    Group made;
    made.nodes = {n};
    DimMap map;
    for (int64_t size : loop_sizes(graph_, node(n))) {
      map.push_back(size == 1 ? -1 : made.rank());
      if (size != 1) made.sizes.push_back(size);
    }
    made.row = row_of(n, map);
    fusion_.maps[n] = map;
    add(n, std::move(made));
  }

  // The dimensions of the domain that a fold or a scan goes along; none for what has no row.
  std::vector<int> row_of(int n, const DimMap& map) const {
    std::vector<int> row;
    if (is_scan(n)) row.push_back(map[scanned_dim(graph_, node(n))]);
    if (is_reduce(n))
      for (int d : folded_dims(graph_, node(n))) row.push_back(map[d]);
    return row;
  }

  // A copy of memory whose inner elements lie apart is eager's, which goes over it tile by tile.
  bool is_transposing_copy(int n) const {
    const Graph::Node& copy = node(n);
    if (copy.op != Op::clone && copy.op != Op::contiguous && !is_copying_reshape(copy))
      return false;
    if (roles_.is_constant(copy.operands[0].value)) return false;
    const Dims strides = is_copying_reshape(copy)
                             ? contiguous_strides(graph_.sizes(copy.operands[0].value))
                             : Dims(graph_.strides(copy.results[0]));
    const Layout& x = *graph_.layout(copy.operands[0].value);
    int inner = -1;
    for (int d = 0; d < x.rank; ++d)
      if (x.size(d) != 1 && (inner < 0 || strides[d] <= strides[inner])) inner = d;
    return inner >= 0 && x.stride(inner) > 1;
  }

  void place(int n) {
    if (reads_memory(node(n))) return found_group(n);
    std::vector<int> candidates;
    for (const Graph::Operand& o : node(n).operands) {
      const int p = producer(o);
      const int g = p < 0 ? -1 : fusion_.group_of[p];
      if (fuses_ && g >= 0 && !group(g).is_call &&
          std::find(candidates.begin(), candidates.end(), g) == candidates.end())
        candidates.push_back(g);
    }
    int home = -1;
    for (size_t i = 0; i < candidates.size() && home < 0; ++i)
      if (join(n, candidates[i])) home = candidates[i];
    if (home < 0) {
      if (is_transposing_copy(n)) return roles_.make_call(n, {});
      return found_group(n);
    }
    for (int other : candidates)
      if (other != home && merge_operand(n, other, home)) home = fusion_.group_of[n];
  }

  // With what makes its source, unless that is better split over threads.
  void place_put(int n) {
    const Graph::Node& put = node(n);
    for (size_t k = 0; k < put.operands.size(); ++k) {
      const int p = takes_memory(put, k) ? -1 : producer(put.operands[k]);
      const int g = p < 0 ? -1 : fusion_.group_of[p];
      if (!fuses_ || g < 0 || group(g).is_call) continue;
      if (graph_.layout(put.operands[k].value)->numel <= kMaxFusedPut && join(n, g)) return;
    }
    found_group(n);
  }

  // Joining.

  bool join(int n, int g) {
    Group& to = group(g);
    if (to.nodes.size() >= kMaxNodes || (is_reduce(n) && reductions(to) >= kMaxReductions))
      return false;
    const std::optional<DimMap> map = match(n, g);
    if (!map || feeds_through_others(n, g)) return false;
    const std::vector<int> old_row = to.row;
    if (const std::vector<int> row = row_of(n, *map); !row.empty()) {
      if (to.row.empty()) to.row = row;
      if (to.row != row) return false;
    }
    fusion_.maps[n] = *map;
    to.nodes.push_back(n);
    fusion_.group_of[n] = g;
    const bool row_is_new = to.row != old_row;
    if ((row_is_new ? is_sound(to) : is_sound(to, n)) && reads(to) <= kMaxReads)
      return note_reads(n), true;
    to.row = old_row;
    to.nodes.pop_back();
    fusion_.group_of[n] = -1;
    return false;
  }

  // The map that the node would have in the group (rule 1).
  std::optional<DimMap> match(int n, int g) const {
    const Group& to = fusion_.groups[g];
    const Dims sizes = loop_sizes(graph_, node(n));
    DimMap map = DimMap::none(sizes.rank);
    for (size_t k = 0; k < node(n).operands.size(); ++k) {
      const Graph::Operand& o = node(n).operands[k];
      const int p = producer(o);
      if (p < 0 || fusion_.group_of[p] != g) continue;
      if (is_put(node(n)) && (takes_memory(node(n), k) || graph_.sizes(o.value) != sizes.ref()))
        return std::nullopt;
      const std::optional<DimMap> view = operand_map(o.value, p);
      if (!view || view->rank != map.rank) return std::nullopt;
      for (int i = 0; i < map.rank; ++i) {
        if ((*view)[i] < 0) continue;
        if (map[i] >= 0 && map[i] != (*view)[i]) return std::nullopt;
        map.dims[i] = view->dims[i];
      }
    }
    if (!complete(to, sizes, &map)) return std::nullopt;
    return map;
  }

  std::optional<DimMap> operand_map(Graph::ValueId v, int producer) const {
    if (is_copying_reshape(node(producer)) || is_put(node(producer))) return std::nullopt;
    if (roles_.base(v) != node(producer).results[0]) return std::nullopt;
    return map_through_views(graph_, v, roles_.base(v), fusion_.result_map(graph_, producer));
  }

  // Gives every dimension that has none yet a free one of its size.
  static bool complete(const Group& to, IntArrayRef sizes, DimMap* map) {
    std::vector<bool> used(to.sizes.size());
    for (int i = 0; i < map->rank; ++i) {
      if ((*map)[i] < 0) continue;
      if (used[(*map)[i]]) return false;
      used[(*map)[i]] = true;
    }
    for (int i = 0; i < map->rank; ++i) {
      if ((*map)[i] >= 0 || sizes[i] == 1) continue;
      size_t d = 0;
      while (d < used.size() && (used[d] || to.sizes[d] != sizes[i])) ++d;
      if (d == used.size()) return false;
      used[d] = true;
      map->dims[i] = static_cast<int8_t>(d);
    }
    return covers(to, used);
  }

  // The whole domain, or all of it but the row.
  static bool covers(const Group& to, const std::vector<bool>& used) {
    bool all = true, but_row = !to.row.empty();
    for (int d = 0; d < to.rank(); ++d) {
      all &= used[d];
      but_row &= used[d] != to.is_row(d);
    }
    return all || but_row;
  }

  // Soundness of a whole group, and of one node in it (rules 1, 2 and 4).

  bool is_sound(const Group& g) const {
    if (g.nodes.size() > kMaxNodes || reductions(g) > kMaxReductions) return false;
    return std::all_of(g.nodes.begin(), g.nodes.end(), [&](int n) { return is_sound(g, n); }) &&
           reads(g) <= kMaxReads;
  }

  bool is_sound(const Group& g, int n) const {
    const DimMap& map = fusion_.maps[n];
    std::vector<bool> used(g.sizes.size());
    for (int i = 0; i < map.rank; ++i)
      if (map[i] >= 0) used[map[i]] = true;
    if (!covers(g, used)) return false;
    const bool per_row = std::find(used.begin(), used.end(), false) != used.end();
    const std::vector<int> row = row_of(n, map);
    if (!row.empty() && (per_row || row != g.row)) return false;
    if (is_put(node(n)) && !puts_in_order(g, map)) return false;
    if ((per_row || is_reduce(n)) && goes_side_by_side(g)) return false;
    if (is_scan(n) && scans_side_by_side(graph_, node(n)) && reductions(g) > 0) return false;
    if (is_reduce(n) && needs_scan(g, n)) return false;
    for (size_t k = 0; k < node(n).operands.size(); ++k)
      if (!is_sound_operand(g, n, k)) return false;
    return per_row || is_reduce(n) || row_collapses(g, fusion_.result_strides(graph_, g, n));
  }

  bool is_sound_operand(const Group& g, int n, size_t k) const {
    const DimMap& map = fusion_.maps[n];
    const Graph::Operand& o = node(n).operands[k];
    if (!o.is_value() || graph_.is_scalar(o.value) || roles_.is_constant(o.value)) return true;
    const int p = producer(o);
    if (p < 0 || !std::binary_search(g.nodes.begin(), g.nodes.end(), p))
      return row_collapses(
          g, strides_in_domain(read_strides(graph_, node(n), k), map, g.sizes.size()));
    if (takes_memory(node(n), k)) return false;
    const std::optional<DimMap> view = operand_map(o.value, p);
    if (!view) return false;
    for (int i = 0; i < map.rank; ++i)
      if ((*view)[i] >= 0 && (*view)[i] != map[i]) return false;
    return true;
  }

  // Whether the group's loops can go over a put's elements one after the other.
  static bool puts_in_order(const Group& g, const DimMap& map) {
    int last = -1;
    for (int i = 0; i < map.rank; ++i) {
      if (map[i] < 0) continue;
      if (map[i] <= last) return false;
      last = map[i];
    }
    return g.row.empty();
  }

  // Whether a node needs a scan of the group, which goes on from one element to the next while a
  // fold may take several at once.
  bool needs_scan(const Group& g, int n) const {
    for (const Graph::Operand& o : node(n).operands) {
      const int p = producer(o);
      if (p < 0 || !std::binary_search(g.nodes.begin(), g.nodes.end(), p)) continue;
      if (is_scan(p) || needs_scan(g, p)) return true;
    }
    return false;
  }

  bool goes_side_by_side(const Group& g) const {
    return std::any_of(g.nodes.begin(), g.nodes.end(),
                       [&](int n) { return is_scan(n) && scans_side_by_side(graph_, node(n)); });
  }

  static bool row_collapses(const Group& g, const std::vector<int64_t>& strides) {
    return g.row.size() < 2 || collapses(g.row_values(g.sizes), g.row_values(strides));
  }

  size_t reductions(const Group& g) const {
    return static_cast<size_t>(
        std::count_if(g.nodes.begin(), g.nodes.end(), [&](int n) { return is_reduce(n); }));
  }

  size_t reads(const Group& g) const {
    std::vector<Graph::ValueId> seen;
    for (int n : g.nodes)
      for (const Graph::Operand& o : node(n).operands) {
        if (!o.is_value() || graph_.is_scalar(o.value) || roles_.is_constant(o.value)) continue;
        const int p = producer(o);
        if (p >= 0 && std::binary_search(g.nodes.begin(), g.nodes.end(), p)) continue;
        if (std::find(seen.begin(), seen.end(), o.value) == seen.end()) seen.push_back(o.value);
      }
    return seen.size();
  }

  // Order (rule 3).

  // Notes what n reads of other groups. A constant is read by calls only.
  void note_reads(int n) {
    const int g = fusion_.group_of[n];
    for (const Graph::Operand& o : node(n).operands) {
      const int p = group(g).is_call ? maker(o) : producer(o);
      if (p >= 0) read_from_[g].push_back(p);
    }
  }

  // Whether the group of one of these nodes is `early` or needs what it makes. Those in `ignored`
  // do not count.
  bool need(const std::vector<int>& nodes, int early, int ignored, std::vector<bool>* seen) const {
    for (int n : nodes) {
      const int g = fusion_.group_of[n];
      if (g == ignored || (*seen)[g]) continue;
      if (g == early) return true;
      (*seen)[g] = true;
      if (need(read_from_[g], early, -1, seen)) return true;
    }
    return false;
  }

  bool feeds_through_others(int n, int g) const {
    std::vector<int> read;
    for (const Graph::Operand& o : node(n).operands)
      if (const int p = producer(o); p >= 0) read.push_back(p);
    std::vector<bool> seen(fusion_.groups.size());
    return need(read, g, g, &seen);
  }

  // Whether `late` needs `early` by way of a third group, which merging them would cut off.
  bool needs_through_others(int late, int early) const {
    std::vector<bool> seen(fusion_.groups.size());
    seen[late] = true;
    return need(read_from_[late], early, early, &seen);
  }

  // Merging.

  // Merges the group of an operand of n, which is in group `home`, with that one.
  bool merge_operand(int n, int other, int home) {
    DimMap to_home = DimMap::none(group(other).rank());
    for (const Graph::Operand& o : node(n).operands) {
      const int p = producer(o);
      if (p < 0 || fusion_.group_of[p] != other) continue;
      const std::optional<DimMap> view = operand_map(o.value, p);
      if (!view || view->rank != fusion_.maps[n].rank) return false;
      for (int i = 0; i < view->rank; ++i)
        if ((*view)[i] >= 0) to_home.dims[(*view)[i]] = fusion_.maps[n].dims[i];
    }
    return merge(other, home, to_home);
  }

  // Merges the group with fewer dimensions into the other. `map`: the dimensions of `b` that those
  // of `a` are, -1 where unknown.
  bool merge(int a, int b, DimMap map) {
    if (group(a).rank() > group(b).rank()) {
      DimMap inverse = DimMap::none(group(b).rank());
      for (int d = 0; d < map.rank; ++d)
        if (map[d] >= 0) inverse.dims[map[d]] = static_cast<int8_t>(d);
      return merge(b, a, inverse);
    }
    if (!complete(group(b), IntArrayRef(group(a).sizes.data(), group(a).sizes.size()), &map))
      return false;
    for (int d = 0; d < map.rank; ++d)
      if (group(a).sizes[d] != group(b).sizes[map[d]]) return false;
    if (needs_through_others(a, b) || needs_through_others(b, a)) return false;
    return absorb(a, b, map);
  }

  // Moves all of `from` into `to` if that is sound.
  bool absorb(int from, int to, const DimMap& map) {
    Group merged = group(to);
    std::vector<int> row;
    for (int d : group(from).row) row.push_back(map[d]);
    if (merged.row.empty()) merged.row = row;
    if (!row.empty() && merged.row != row) return false;
    const std::vector<int> moved = group(from).nodes;
    merged.nodes.insert(merged.nodes.end(), moved.begin(), moved.end());
    std::sort(merged.nodes.begin(), merged.nodes.end());
    std::vector<DimMap> old_maps;
    for (int n : moved) {
      old_maps.push_back(fusion_.maps[n]);
      for (int i = 0; i < fusion_.maps[n].rank; ++i)
        if (int8_t& d = fusion_.maps[n].dims[i]; d >= 0) d = map.dims[d];
    }
    if (!is_sound(merged)) {
      for (size_t i = 0; i < moved.size(); ++i) fusion_.maps[moved[i]] = old_maps[i];
      return false;
    }
    for (int n : moved) fusion_.group_of[n] = to;
    group(to) = std::move(merged);
    group(from).nodes.clear();
    read_from_[to].insert(read_from_[to].end(), read_from_[from].begin(), read_from_[from].end());
    read_from_[from].clear();
    return true;
  }

  // Pairs of kernels over equal domains that read the same memory in the same way.
  void merge_siblings() {
    std::map<std::pair<Graph::ValueId, std::vector<int64_t>>, int> readers;
    for (int n = 0; n < static_cast<int>(graph_.nodes().size()); ++n) {
      if (fusion_.group_of[n] < 0 || group(fusion_.group_of[n]).is_call) continue;
      for (size_t k = 0; k < node(n).operands.size(); ++k) {
        if (!is_read(node(n).operands[k], n)) continue;
        const int reader = readers.emplace(way_of_reading(n, k), n).first->second;
        if (fusion_.group_of[reader] != fusion_.group_of[n] && !is_put(node(n)) &&
            !is_put(node(reader)))
          merge_sibling(fusion_.group_of[reader], fusion_.group_of[n]);
      }
    }
  }

  // Whether the node reads this operand from memory.
  bool is_read(const Graph::Operand& o, int n) const {
    if (!o.is_value() || graph_.is_scalar(o.value) || roles_.is_constant(o.value)) return false;
    const int p = producer(o);
    return p < 0 || fusion_.group_of[p] != fusion_.group_of[n];
  }

  // The memory, then the domain's sizes, the strides along them, and the offset.
  std::pair<Graph::ValueId, std::vector<int64_t>> way_of_reading(int n, size_t k) {
    const Graph::ValueId v = node(n).operands[k].value;
    std::vector<int64_t> way = group(fusion_.group_of[n]).sizes;
    const std::vector<int64_t> strides =
        strides_in_domain(read_strides(graph_, node(n), k), fusion_.maps[n], way.size());
    way.insert(way.end(), strides.begin(), strides.end());
    way.push_back(roles_.offset(v) + read_offset(graph_, node(n)));
    return {roles_.base(v), std::move(way)};
  }

  void merge_sibling(int first, int second) {
    DimMap same;
    for (int d = 0; d < group(first).rank(); ++d) same.push_back(d);
    merge(first, second, same);
  }

  // Puts the groups into an order in which they can run.
  void sort_groups() {
    std::vector<int> order, new_index(fusion_.groups.size(), -1);
    std::vector<bool> seen(fusion_.groups.size());
    std::vector<int> by_first;
    for (int g = 0; g < static_cast<int>(fusion_.groups.size()); ++g)
      if (!group(g).nodes.empty()) by_first.push_back(g);
    std::sort(by_first.begin(), by_first.end(),
              [&](int a, int b) { return group(a).nodes[0] < group(b).nodes[0]; });
    for (int g : by_first) visit(g, &seen, &order);
    std::vector<Group> sorted;
    for (int g : order) {
      new_index[g] = static_cast<int>(sorted.size());
      sorted.push_back(std::move(group(g)));
    }
    fusion_.groups = std::move(sorted);
    for (int& g : fusion_.group_of)
      if (g >= 0) g = new_index[g];
  }

  void visit(int g, std::vector<bool>* seen, std::vector<int>* order) {
    if ((*seen)[g]) return;
    (*seen)[g] = true;
    for (int n : read_from_[g]) visit(fusion_.group_of[n], seen, order);
    order->push_back(g);
  }

  // Values that a call makes, and those that anything but their own kernel reads.
  void mark_stored() {
    fusion_.stored.assign(graph_.nodes().size(), false);
    for (int g = 0; g < static_cast<int>(fusion_.groups.size()); ++g)
      for (int n : group(g).nodes) {
        if (group(g).is_call) fusion_.stored[n] = true;
        for (const Graph::Operand& o : node(n).operands) {
          const int p = group(g).is_call ? maker(o) : producer(o);
          if (p >= 0 && fusion_.group_of[p] != g) fusion_.stored[p] = true;
        }
      }
    for (Graph::ValueId v : graph_.outputs())
      if (const int p = graph_.def(roles_.base(v)); p >= 0) fusion_.stored[p] = true;
  }

  const Graph& graph_;
  Roles& roles_;
  const bool fuses_ = !base::flags().skip.has(base::Skippable::fuse);
  Fusion fusion_;
  std::vector<std::vector<int>>
      read_from_;  // per group: nodes whose results it reads, some of them its own
};

}  // namespace

bool Group::is_row(int dim) const { return std::find(row.begin(), row.end(), dim) != row.end(); }

std::vector<int64_t> Group::row_values(const std::vector<int64_t>& per_dim) const {
  std::vector<int64_t> result;
  for (int d : row) result.push_back(per_dim[d]);
  return result;
}

DimMap Fusion::result_map(const Graph& graph, int n) const {
  const Graph::Node& node = graph.nodes()[n];
  if (info(node.op).family != Family::kReduce) return maps[n];
  const Attrs attrs(node.attrs);
  const Layout& x = *graph.layout(node.operands[0].value);
  const bool keepdim = int_attr(node.op, attrs, "keepdim") != 0;
  std::vector<bool> reduced(x.rank);
  for (int64_t d : normalize_dims(node.op, x, list_attr(node.op, attrs, "dims"))) reduced[d] = true;
  DimMap map;
  for (int d = 0; d < x.rank; ++d) {
    if (!reduced[d]) map.push_back(maps[n][d]);
    if (reduced[d] && keepdim) map.push_back(-1);
  }
  return map;
}

std::vector<int64_t> Fusion::result_strides(const Graph& graph, const Group& group, int n) const {
  const Graph::Node& node = graph.nodes()[n];
  const Dims strides = is_copying_reshape(node)
                           ? contiguous_strides(graph.sizes(node.operands[0].value))
                       : is_put(node) ? putting_of(graph, node).to.strides
                                      : Dims(graph.strides(node.results[0]));
  return strides_in_domain(strides, result_map(graph, n), group.sizes.size());
}

bool Fusion::is_per_row(const Group& group, const Graph& graph, int n) const {
  if (group.row.empty()) return false;
  const DimMap map = result_map(graph, n);
  for (int i = 0; i < map.rank; ++i)
    if (map[i] >= 0 && group.is_row(map[i])) return false;
  return true;
}

Dims loop_sizes(const Graph& graph, const Graph::Node& node) {
  if (is_put(node)) return putting_of(graph, node).sizes;
  if (info(node.op).family == Family::kReduce || is_copying_reshape(node))
    return Dims(graph.sizes(node.operands[0].value));
  return Dims(graph.sizes(node.results[0]));
}

Fusion fuse(const Graph& graph, Roles* roles) { return Fuser(graph, roles).run(); }

}  // namespace frit::scheduling
