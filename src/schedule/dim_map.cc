// Follows views.
#include "src/schedule/dim_map.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/ops/attrs.h"

namespace frit::scheduling {
namespace {

DimMap permuted(const Graph::Node& node, const DimMap& map) {
  const Attrs attrs(node.attrs);
  DimMap result;
  for (int64_t d : list_attr(node.op, attrs, "dims"))
    result.push_back(map[static_cast<int>(d < 0 ? d + map.rank : d)]);
  return result;
}

// New dimensions and those repeated are along none; dimensions of size 1 were so before.
DimMap expanded(const DimMap& map, int rank) {
  DimMap result = DimMap::none(rank - map.rank);
  for (int i = 0; i < map.rank; ++i) result.push_back(map[i]);
  return result;
}

// Between sizes that differ by ones only.
std::optional<DimMap> respelled(IntArrayRef from, IntArrayRef to, const DimMap& map) {
  DimMap result;
  size_t next = 0;
  for (int64_t size : to) {
    if (size == 1) {
      result.push_back(-1);
      continue;
    }
    while (next < from.size() && from[next] == 1) ++next;
    if (next == from.size() || from[next] != size) return std::nullopt;
    result.push_back(map[static_cast<int>(next++)]);
  }
  while (next < from.size() && from[next] == 1) ++next;
  if (next != from.size()) return std::nullopt;
  return result;
}

}  // namespace

DimMap DimMap::none(int rank) {
  DimMap map;
  for (int i = 0; i < rank; ++i) map.push_back(-1);
  return map;
}

bool DimMap::operator==(const DimMap& other) const {
  return rank == other.rank && std::equal(dims.begin(), dims.begin() + rank, other.dims.begin());
}

std::optional<DimMap> map_through_views(const Graph& graph, Graph::ValueId v, Graph::ValueId base,
                                        const DimMap& map) {
  if (v == base) return map;
  FRIT_CHECK(graph.def(v) >= 0) << graph.value_name(v) << " is no view of "
                                << graph.value_name(base);
  const Graph::Node& node = graph.nodes()[graph.def(v)];
  const Graph::ValueId operand = node.operands[0].value;
  const std::optional<DimMap> inner = map_through_views(graph, operand, base, map);
  if (!inner) return std::nullopt;
  if (node.op == Op::permute) return permuted(node, *inner);
  if (node.op == Op::expand) return expanded(*inner, static_cast<int>(graph.sizes(v).size()));
  if (node.op == Op::contiguous) return inner;
  if (node.op == Op::squeeze || node.op == Op::unsqueeze || node.op == Op::view ||
      node.op == Op::reshape)
    return respelled(graph.sizes(operand), graph.sizes(v), *inner);
  return std::nullopt;
}

std::vector<int64_t> strides_in_domain(IntArrayRef strides, const DimMap& map, size_t domain_rank) {
  std::vector<int64_t> result(domain_rank);
  for (int i = 0; i < map.rank; ++i)
    if (map[i] >= 0) result[map[i]] = strides[i];
  return result;
}

}  // namespace frit::scheduling
