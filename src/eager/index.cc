// Indexing: index_select, gather and index share one loop over ready-made offsets; nonzero.
//
// The indices are checked and turned into element offsets first (one pass, before any result
// exists), then the result is filled by a loop nest over it, the operand without its indexed dims,
// and the offsets.
#include <algorithm>
#include <cstring>
#include <vector>

#include "src/base/check.h"
#include "src/base/thread_pool.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"
#include "src/eager/loop_nest.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrainBytes = 1 << 17;

// Whether negative indices count from the end.
enum class Negative { kRefused, kFromEnd };

[[noreturn]] void fail_index(const OpCall& call, int64_t index, int64_t size) {
  // PyTorch's gather has an error class of its own.
  fail(call, call.op == Op::gather ? ErrorKind::kRuntime : ErrorKind::kIndex,
       "index out of range: " + std::to_string(index) + " in a dimension of " +
           std::to_string(size));
}

// Adds index * stride to each offset, after checking the index.
void add_offsets(const OpCall& call, const Layout& x, int dim, const Tensor& index,
                 Negative negative, int64_t* offsets) {
  const int64_t size = x.rank == 0 ? 1 : x.size(dim);
  const int64_t stride = x.rank == 0 ? 0 : x.stride(dim);
  const int64_t* values = reinterpret_cast<const int64_t*>(index.impl()->data);
  const int64_t lowest = negative == Negative::kFromEnd ? -size : 0;
  for (int64_t i = 0, n = index.numel(); i < n; ++i) {
    const int64_t value = values[i];
    if (value < lowest || value >= size) fail_index(call, value, size);
    offsets[i] += (value < 0 ? value + size : value) * stride;
  }
}

// The indices as contiguous i64, expanded to `sizes`.
Tensor index_values(TensorImpl* index, IntArrayRef sizes) {
  if (index->layout->dtype == kInt64 && index->layout->contiguous &&
      index->layout->sizes() == sizes)
    return Tensor::share(index);
  Tensor values = new_tensor(intern_contiguous(kInt64, index->layout->device, sizes));
  convert_elements(*values.impl()->layout, values.impl()->data, *index->layout, index->data);
  return values;
}

Tensor zero_offsets(IntArrayRef sizes) {
  Tensor offsets = new_tensor(intern_contiguous(kInt64, kCPU, sizes));
  std::memset(offsets.impl()->data, 0, static_cast<size_t>(offsets.nbytes()));
  return offsets;
}

template <class T>
void pick(const std::byte* x, int64_t x_stride, const std::byte* offsets, int64_t offset_stride,
          std::byte* out, int64_t out_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t offset;
    std::memcpy(&offset, offsets + i * offset_stride, sizeof offset);
    std::memcpy(out + i * out_stride, x + i * x_stride + offset * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
  }
}

// n elements along the innermost loop: one block where the whole of it has one offset.
void pick_row(const LoopNest& nest, const Odometer& at, int64_t n, const std::byte* x,
              const std::byte* offsets, std::byte* out) {
  const int inner = nest.inner(), size = nest.element_size[0];
  const int64_t to = nest.strides[0][inner], from = nest.strides[1][inner];
  const int64_t offset_stride = nest.strides[2][inner];
  out += at.offset(0), x += at.offset(1), offsets += at.offset(2);
  if (offset_stride == 0 && to == size && from == size) {
    int64_t offset;
    std::memcpy(&offset, offsets, sizeof offset);
    std::memcpy(out, x + offset * size, static_cast<size_t>(n * size));
    return;
  }
  switch (size) {
    case 1:
      return pick<uint8_t>(x, from, offsets, offset_stride, out, to, n);
    case 2:
      return pick<uint16_t>(x, from, offsets, offset_stride, out, to, n);
    case 4:
      return pick<uint32_t>(x, from, offsets, offset_stride, out, to, n);
    default:
      return pick<uint64_t>(x, from, offsets, offset_stride, out, to, n);
  }
}

// out[i] = x at x_strides . i + offsets[offset_strides . i]; strides in elements, one per dim of
// out.
void pick_elements(const Tensor& out, const TensorImpl& x, IntArrayRef x_strides,
                   const Tensor& offsets, IntArrayRef offset_strides) {
  if (out.numel() == 0) return;
  const int size = byte_size(x.layout->dtype);
  LoopNest nest(*out.impl()->layout);
  nest.add(size, x_strides);
  nest.add(8, offset_strides);
  nest.collapse();
  base::parallel_for(nest.numel, kGrainBytes / size, [&](int64_t begin, int64_t end) {
    Odometer at(nest, begin);
    for (int64_t position = begin; position < end;) {
      const int64_t n = std::min(end - position, at.left_in_row());
      pick_row(nest, at, n, x.data, offsets.impl()->data, out.impl()->data);
      position += n;
      at.advance(n);
    }
  });
}

int wrapped_dim(const OpCall& call, int rank) {
  const int64_t dim = int_attr(call.op, call.attrs, "dim");
  return static_cast<int>(dim < 0 ? dim + std::max(rank, 1) : dim);
}

// Whether the indexed dims are neighbours: then the index dims stand in their place, else in front.
bool adjacent(IntArrayRef dims) {
  for (size_t i = 1; i < dims.size(); ++i)
    if (dims[i] != dims[i - 1] + 1) return false;
  return true;
}

// The sizes that all index operands broadcast to. infer has checked that they do.
Dims index_sizes(const OpCall& call) {
  Dims sizes;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const Layout& index = *call.operands[i].layout();
    while (sizes.rank < index.rank) {
      for (int d = sizes.rank; d > 0; --d) sizes[d] = sizes[d - 1];
      sizes[0] = 1;
      ++sizes.rank;
    }
    for (int d = 0; d < index.rank; ++d) {
      int64_t& size = sizes[sizes.rank - index.rank + d];
      if (size == 1) size = index.size(d);
    }
  }
  return sizes;
}

// Where each dim of the result of index() comes from.
struct IndexStrides {
  Dims x, offsets;
};

IndexStrides index_strides(const Layout& x, IntArrayRef dims, const Dims& indices) {
  const Dims steps = contiguous_strides(indices);
  const int64_t place = adjacent(dims) && !dims.empty() ? dims[0] : 0;
  IndexStrides strides;
  auto add_indices = [&] {
    for (int i = 0; i < indices.rank; ++i) {
      strides.x.push_back(0);
      strides.offsets.push_back(steps[i]);
    }
  };
  auto indexed = [&](int d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); };
  if (!adjacent(dims)) add_indices();
  for (int d = 0; d < x.rank; ++d) {
    if (adjacent(dims) && d == place) add_indices();
    if (indexed(d)) continue;
    strides.x.push_back(x.stride(d));
    strides.offsets.push_back(0);
  }
  return strides;
}

}  // namespace

void run_index_select(const OpCall& call, Tensor* results) {
  const TensorImpl& x = *call.operands[0].tensor;
  TensorImpl* index = call.operands[1].tensor;
  const Layout* layout = infer(call).results[0].layout;
  const int dim = wrapped_dim(call, x.layout->rank);
  const Tensor values = index_values(index, {index->layout->numel});
  const Tensor offsets = zero_offsets(values.sizes());
  add_offsets(call, *x.layout, dim, values, Negative::kRefused,
              reinterpret_cast<int64_t*>(offsets.impl()->data));
  Tensor out = new_tensor(layout);
  Dims x_strides(x.layout->strides()), offset_strides;
  for (int d = 0; d < layout->rank; ++d) offset_strides.push_back(d == dim ? 1 : 0);
  if (layout->rank > 0) x_strides[dim] = 0;
  pick_elements(out, x, x_strides, offsets, offset_strides);
  results[0] = std::move(out);
}

void run_gather(const OpCall& call, Tensor* results) {
  const TensorImpl& x = *call.operands[0].tensor;
  TensorImpl* index = call.operands[1].tensor;
  const Layout* layout = infer(call).results[0].layout;
  const int dim = wrapped_dim(call, x.layout->rank);
  const Tensor values = index_values(index, index->layout->sizes());
  const Tensor offsets = zero_offsets(values.sizes());
  add_offsets(call, *x.layout, dim, values, Negative::kRefused,
              reinterpret_cast<int64_t*>(offsets.impl()->data));
  Tensor out = new_tensor(layout);
  // A 0-dim operand or index counts as 1-D.
  Dims x_strides;
  for (int d = 0; d < layout->rank; ++d)
    x_strides.push_back(d == dim || x.layout->rank == 0 ? 0 : x.layout->stride(d));
  pick_elements(out, x, x_strides, offsets, contiguous_strides(layout->sizes()));
  results[0] = std::move(out);
}

void run_index(const OpCall& call, Tensor* results) {
  const TensorImpl& x = *call.operands[0].tensor;
  const Layout* layout = infer(call).results[0].layout;
  Dims dims(list_attr(call.op, call.attrs, "dims"));
  const Dims sizes = index_sizes(call);
  const Tensor offsets = zero_offsets(sizes);
  for (int i = 0; i < dims.rank; ++i) {
    if (dims[i] < 0) dims[i] += x.layout->rank;
    const Tensor values = index_values(call.operands[i + 1].tensor, sizes);
    add_offsets(call, *x.layout, static_cast<int>(dims[i]), values, Negative::kFromEnd,
                reinterpret_cast<int64_t*>(offsets.impl()->data));
  }
  Tensor out = new_tensor(layout);
  const IndexStrides strides = index_strides(*x.layout, dims, sizes);
  pick_elements(out, x, strides.x, offsets, strides.offsets);
  results[0] = std::move(out);
}

void run_nonzero(const OpCall& call, Tensor* results) {
  infer(call);
  TensorImpl* x = call.operands[0].tensor;
  const Tensor truth = to_contiguous(to_dtype(x, kBool).impl());
  const uint8_t* flags = reinterpret_cast<const uint8_t*>(truth.impl()->data);
  const int64_t n = truth.numel(), rank = x->layout->rank;
  const int64_t count = n - std::count(flags, flags + n, uint8_t{0});
  Tensor out = empty({count, rank}, kInt64);
  int64_t* to = reinterpret_cast<int64_t*>(out.impl()->data);
  for (int64_t i = 0; i < n; ++i) {
    if (flags[i] == 0) continue;
    int64_t rest = i;
    for (int64_t d = rank; d-- > 0;) {
      to[d] = rest % truth.sizes()[d];
      rest /= truth.sizes()[d];
    }
    to += rank;
  }
  results[0] = std::move(out);
}

}  // namespace frit::eager
