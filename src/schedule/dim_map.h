// DimMap: which dimension of a group's domain each dimension of a value is.
//
// The domain has no dimensions of size 1, so unsqueeze, squeeze and keepdim change nothing but the
// map: in a group over [8, 16], a row sum has the map {0} as f32[8], and {0, -1} as f32[8,1] and
// expanded to f32[8,16].
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "frit/graph.h"
#include "src/tensor/layout.h"

namespace frit::scheduling {

struct DimMap {
  int rank = 0;
  std::array<int8_t, kMaxRank> dims{};  // -1: along no dimension of the domain

  static DimMap none(int rank);
  int operator[](int i) const { return dims[i]; }
  void push_back(int dim) { dims[rank++] = static_cast<int8_t>(dim); }
  bool operator==(const DimMap& other) const;
};

// The map of the view v, given that of `base`, which v looks at through one or more view nodes.
// Nothing where v does not take whole dimensions of it.
std::optional<DimMap> map_through_views(const Graph& graph, Graph::ValueId v, Graph::ValueId base,
                                        const DimMap& map);

// The strides of a layout along each of a domain's dimensions; 0 where it has none.
std::vector<int64_t> strides_in_domain(IntArrayRef strides, const DimMap& map, size_t domain_rank);

}  // namespace frit::scheduling
