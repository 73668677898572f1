// From an op's attributes to strides.
#include "src/ops/taking.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/ops/attrs.h"

namespace frit {
namespace {

int64_t size_or_one(const Layout& x, int dim) { return x.rank == 0 ? 1 : x.size(dim); }
int64_t stride_or_zero(const Layout& x, int dim) { return x.rank == 0 ? 0 : x.stride(dim); }

// A 0-dim operand or index counts as 1-D.
Taking along_one_dim(Op op, const Layout& x, const Layout& index, int64_t dim,
                     const Layout& result) {
  Taking taking;
  const int at = static_cast<int>(dim < 0 ? dim + std::max<int>(x.rank, 1) : dim);
  taking.indices[0] = {1, size_or_one(x, at), stride_or_zero(x, at), {}};
  taking.num_indices = 1;
  Dims& strides = taking.indices[0].strides;
  for (int d = 0; d < result.rank; ++d) {
    taking.strides.push_back(d == at || x.rank == 0 ? 0 : x.stride(d));
    if (op == Op::gather) strides.push_back(index.stride(d));
    if (op == Op::index_select) strides.push_back(d == at && index.rank > 0 ? index.stride(0) : 0);
  }
  return taking;
}

// Calls index() where the index dimensions stand, and other(d) for those of x that are left.
template <class OnIndex, class OnOther>
void visit_indexed(const Layout& x, IntArrayRef dims, OnIndex index, OnOther other) {
  bool neighbours = !dims.empty();
  for (size_t i = 1; i < dims.size(); ++i) neighbours &= dims[i] == dims[i - 1] + 1;
  const int64_t place = neighbours ? dims[0] : 0;
  if (!neighbours) index();
  for (int d = 0; d < x.rank; ++d) {
    if (neighbours && d == place) index();
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) other(d);
  }
}

}  // namespace

Dims broadcast_strides(const Layout& x, int rank) {
  Dims strides;
  for (int d = 0; d < rank; ++d) {
    const int own = d - (rank - x.rank);
    strides.push_back(own < 0 || x.size(own) == 1 ? 0 : x.stride(own));
  }
  return strides;
}

bool is_taking(Op op) { return op == Op::index_select || op == Op::gather || op == Op::index; }

IndexStrides index_strides(const Layout& x, IntArrayRef dims, const Dims& steps) {
  IndexStrides strides;
  const auto add_indices = [&] {
    for (int64_t step : steps) {
      strides.x.push_back(0);
      strides.indices.push_back(step);
    }
  };
  visit_indexed(x, dims, add_indices, [&](int d) {
    strides.x.push_back(x.stride(d));
    strides.indices.push_back(0);
  });
  return strides;
}

Dims indexed_sizes(const Layout& x, IntArrayRef dims, const Dims& indices) {
  Dims sizes;
  const auto add_indices = [&] {
    for (int64_t size : indices) sizes.push_back(size);
  };
  visit_indexed(x, dims, add_indices, [&](int d) { sizes.push_back(x.size(d)); });
  return sizes;
}

Taking taking_of(Op op, std::span<const OperandType> operands, const Attrs& attrs,
                 const Layout& result) {
  const Layout& x = *operands[0].layout;
  if (op != Op::index)
    return along_one_dim(op, x, *operands[1].layout, int_attr(op, attrs, "dim"), result);
  Taking taking;
  taking.from_end = true;
  const Dims dims(list_attr(op, attrs, "dims"));
  int rank = 0;
  for (const OperandType& index : operands.subspan(1))
    rank = std::max<int>(rank, index.layout->rank);
  taking.num_indices = dims.rank;
  for (int i = 0; i < dims.rank; ++i) {
    const int dim = static_cast<int>(dims[i]);
    const IndexStrides strides = index_strides(
        x, dims, broadcast_strides(*operands[static_cast<size_t>(i) + 1].layout, rank));
    taking.indices[i] = {i + 1, x.size(dim), x.stride(dim), strides.indices};
    taking.strides = strides.x;
  }
  FRIT_CHECK(taking.strides.rank == result.rank) << name(op) << ": " << to_string(result);
  return taking;
}

}  // namespace frit
