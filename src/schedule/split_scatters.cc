// Copies the graph, and replaces scatters on the way.
//
// A put of which nothing else reads the result is the memory that the next one goes on with.
// Where what is there does not count (include_self=False), the identity is put there first. A mean
// would have to count what it adds.
#include "src/schedule/split_scatters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/check.h"
#include "src/ops/attrs.h"
#include "src/ops/scatter.h"
#include "src/schedule/roles.h"
#include "src/tensor/same_places.h"

namespace frit::scheduling {
namespace {

bool is_scatter(const Graph::Node& node) { return info(node.op).family == Family::kScatter; }

Scalar smallest_of(Dtype dtype, bool largest) {
  const auto bound = [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    return Scalar(static_cast<int64_t>(largest ? Limits::max() : Limits::lowest()));
  };
  switch (dtype) {
    case Dtype::kI64:
      return bound(int64_t{});
    case Dtype::kI32:
      return bound(int32_t{});
    case Dtype::kI16:
      return bound(int16_t{});
    case Dtype::kI8:
      return bound(int8_t{});
    case Dtype::kU8:
      return bound(uint8_t{});
    case Dtype::kBool:
      return Scalar(largest);
    case Dtype::kF64:
    case Dtype::kF32:
    case Dtype::kF16:
    case Dtype::kBF16:
      break;
  }
  return Scalar(largest ? HUGE_VAL : -HUGE_VAL);
}

// As writing::identity, of bools as what they are.
Scalar identity_of(Write write, Dtype dtype) {
  write = write_in_dtype(write, dtype);
  if (write == Write::kAmax) return smallest_of(dtype, false);
  if (write == Write::kAmin) return smallest_of(dtype, true);
  return Scalar(int64_t{write == Write::kProd});
}

class ScatterSplitter {
 public:
  explicit ScatterSplitter(const Graph& old)
      : old_(old), roles_(old), graph_(old.name()), uses_(static_cast<size_t>(old.num_values())) {
    for (Graph::ValueId v = 0; v < old.num_inputs(); ++v)
      map_.push_back(old.is_scalar(v)
                         ? graph_.add_scalar_input(old.input_name(v), old.scalar_kind(v))
                         : graph_.add_input(old.input_name(v), old.layout(v)));
    map_.resize(uses_.size(), -1);
    for (const Graph::Node& node : old.nodes())
      for (const Graph::Operand& o : node.operands)
        if (o.is_value()) ++uses_[o.value];
    for (Graph::ValueId v : old.outputs()) ++uses_[v];
  }

  SplitGraph run() {
    for (int n = 0; n < static_cast<int>(old_.nodes().size()); ++n) {
      const Graph::Node& node = old_.nodes()[static_cast<size_t>(n)];
      if (is_scatter(node) && roles_.scatter(node).role == Role::kPut)
        split(n);
      else
        copy(node);
    }
    std::vector<Graph::ValueId> outputs;
    for (Graph::ValueId v : old_.outputs()) outputs.push_back(map_[v]);
    graph_.set_outputs(std::move(outputs));
    came_from_.resize(graph_.nodes().size(), -1);
    return {std::move(graph_), std::move(came_from_)};
  }

 private:
  Graph::Operand operand(Graph::Operand o) const {
    if (o.is_value()) o.value = map_[o.value];
    return o;
  }
  std::vector<Graph::Operand> operands(const Graph::Node& node) const {
    std::vector<Graph::Operand> made;
    for (const Graph::Operand& o : node.operands) made.push_back(operand(o));
    return made;
  }

  void copy(const Graph::Node& node) {
    const auto results = graph_.add_node(node.op, operands(node), node.attrs, node.origin);
    for (size_t i = 0; i < results.size(); ++i) map_[node.results[i]] = results[i];
  }

  void split(int n) {
    const Graph::Node& node = old_.nodes()[static_cast<size_t>(n)];
    const Write write = write_of(node.op, Attrs(node.attrs));
    const Dtype dtype = old_.dtype(node.results[0]);
    const bool widens = write != Write::kSet && is_half(dtype);
    const Dtype wide = widens ? kFloat32 : dtype;
    std::vector<Graph::Operand> taken = operands(node);
    taken[0] = {begin(node, wide), {}};
    Graph::Operand& source = taken[node.op == Op::index_put ? 1 : 2];
    if (widens && source.is_value() && !graph_.is_scalar(source.value))
      source = {cast(source.value, wide, node), {}};
    Attrs attrs(node.attrs);
    if (!includes_self(node.op, attrs)) {
      const int64_t dim = int_attr(node.op, attrs, "dim");
      const Graph::Operand identity = {-1, identity_of(write, wide)};
      taken[0] = {put(Op::scatter, {taken[0], taken[1], identity}, Attrs().add(dim), n), {}};
      attrs = Attrs().add(dim).add(true).add(static_cast<int64_t>(write));
    }
    const Graph::ValueId made = put(node.op, std::move(taken), attrs, n);
    if (!widens) put_results_.push_back(node.results[0]);
    map_[node.results[0]] = widens ? cast(made, dtype, node) : made;
  }

  Graph::ValueId put(Op op, std::vector<Graph::Operand> operands, const Attrs& attrs, int n) {
    const Graph::ValueId begun = operands[0].value;
    const std::string& origin = old_.nodes()[static_cast<size_t>(n)].origin;
    const Graph::ValueId made =
        graph_.add_node(op, std::move(operands), attrs.flat().vec(), origin)[0];
    came_from_.resize(graph_.nodes().size(), -1);
    came_from_.back() = n;
    FRIT_CHECK(same_places(*graph_.layout(begun), *graph_.layout(made)))
        << to_string(*graph_.layout(begun)) << " and " << to_string(*graph_.layout(made));
    return made;
  }

  // What a put begins with, laid out as its result.
  Graph::ValueId begin(const Graph::Node& node, Dtype dtype) {
    const Graph::ValueId old = node.operands[0].value;
    Graph::ValueId x = map_[old];
    const Layout *from = graph_.layout(x), *to = old_.layout(node.results[0]);
    const bool dies = uses_[old] == 1 && std::find(put_results_.begin(), put_results_.end(), old) !=
                                             put_results_.end();
    if (dies && from->dtype == dtype && same_places(*from, *to)) return x;
    const bool moves = to->contiguous && !from->contiguous;
    if (moves) x = graph_.add_node(Op::contiguous, {{x, {}}}, {}, node.origin)[0];
    if (graph_.dtype(x) != dtype) return cast(x, dtype, node);
    return moves ? x : graph_.add_node(Op::clone, {{x, {}}}, {}, node.origin)[0];
  }

  Graph::ValueId cast(Graph::ValueId v, Dtype dtype, const Graph::Node& node) {
    return graph_.add_node(Op::cast, {{v, {}}}, Attrs().add(dtype).flat().vec(), node.origin)[0];
  }

  const Graph& old_;
  const Roles roles_;
  Graph graph_;
  std::vector<int> came_from_;
  std::vector<Graph::ValueId> map_;
  std::vector<int> uses_;                    // of each value of the old graph
  std::vector<Graph::ValueId> put_results_;  // of the old graph, that are puts' in the new one
};

}  // namespace

SplitGraph split_scatters(const Graph& graph) {
  if (std::none_of(graph.nodes().begin(), graph.nodes().end(), is_scatter)) return {graph, {}};
  return ScatterSplitter(graph).run();
}

}  // namespace frit::scheduling
