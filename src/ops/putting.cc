// From an op's attributes to strides.
#include "src/ops/putting.h"

#include <algorithm>

#include "src/ops/attrs.h"

namespace frit {
namespace {

int64_t size_or_one(const Layout& x, int dim) { return x.rank == 0 ? 1 : x.size(dim); }
int64_t stride_or_zero(const Layout& x, int dim) { return x.rank == 0 ? 0 : x.stride(dim); }

int wrapped(Op op, const Attrs& attrs, const Layout& x) {
  const int64_t dim = int_attr(op, attrs, "dim");
  return static_cast<int>(dim < 0 ? dim + std::max<int>(x.rank, 1) : dim);
}

// One element of the source for each of the index.
Putting by_elements(Op op, std::span<const OperandType> operands, const Attrs& attrs,
                    const Layout& result) {
  const Layout &index = *operands[1].layout, *source = operands[2].layout;
  const int dim = wrapped(op, attrs, result);
  Putting putting{Dims(index.sizes()), {}, 2, {}};
  for (int d = 0; d < index.rank; ++d) {
    putting.to.strides.push_back(d == dim || result.rank == 0 ? 0 : result.stride(d));
    putting.source_strides.push_back(source == nullptr || d >= source->rank ? 0
                                                                            : source->stride(d));
  }
  putting.to.indices[0] = {1, size_or_one(result, dim), stride_or_zero(result, dim),
                           Dims(index.strides())};
  putting.to.num_indices = 1;
  return putting;
}

// A row of the source for each entry of a 1-D index. What has no dimensions counts as 1-D.
Putting by_rows(Op op, std::span<const OperandType> operands, const Attrs& attrs,
                const Layout& result) {
  const Layout &index = *operands[1].layout, *source = operands[2].layout;
  const int dim = wrapped(op, attrs, result);
  Putting putting{Dims(result.sizes()), {}, 2, {}};
  if (result.rank == 0) putting.sizes.push_back(1);
  putting.sizes[dim] = index.numel;
  Dims along;
  for (int d = 0; d < putting.sizes.rank; ++d) {
    putting.to.strides.push_back(d == dim ? 0 : result.stride(d));
    along.push_back(d == dim && index.rank > 0 ? index.stride(0) : 0);
    putting.source_strides.push_back(source == nullptr || source->rank == 0 ? 0
                                                                            : source->stride(d));
  }
  putting.to.indices[0] = {1, size_or_one(result, dim), stride_or_zero(result, dim), along};
  putting.to.num_indices = 1;
  putting.to.from_end = op == Op::index_fill;
  return putting;
}

// Where `index` with these index tensors would read.
Putting by_places(Op op, std::span<const OperandType> operands, const Attrs& attrs,
                  const Layout& result) {
  const Dims dims(list_attr(op, attrs, "dims"));
  const Dims indices = broadcast_sizes(op, operands.subspan(2));
  Putting putting{{}, {}, 1, {}};
  putting.to.from_end = true;
  putting.to.num_indices = dims.rank;
  for (int i = 0; i < dims.rank; ++i) {
    const int dim = static_cast<int>(dims[i]), operand = i + 2;
    const Layout& index = *operands[static_cast<size_t>(operand)].layout;
    const IndexStrides strides =
        index_strides(result, dims, broadcast_strides(index, indices.rank));
    putting.to.indices[i] = {operand, result.size(dim), result.stride(dim), strides.indices};
    putting.to.strides = strides.x;
  }
  putting.sizes = indexed_sizes(result, dims, indices);
  if (const Layout* values = operands[1].layout)
    putting.source_strides = broadcast_strides(*values, putting.sizes.rank);
  return putting;
}

}  // namespace

Putting putting_of(Op op, std::span<const OperandType> operands, const Attrs& attrs,
                   const Layout& result) {
  if (op == Op::index_put) return by_places(op, operands, attrs, result);
  if (op == Op::index_add || op == Op::index_copy || op == Op::index_fill)
    return by_rows(op, operands, attrs, result);
  return by_elements(op, operands, attrs, result);
}

}  // namespace frit
