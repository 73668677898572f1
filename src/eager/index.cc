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
#include "src/eager/offsets.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrainBytes = 1 << 17;

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

}  // namespace

static void run_index_select(const OpCall& call, Tensor* results) {
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

static void run_gather(const OpCall& call, Tensor* results) {
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

static void run_index(const OpCall& call, Tensor* results) {
  const TensorImpl& x = *call.operands[0].tensor;
  const Layout* layout = infer(call).results[0].layout;
  Dims dims(list_attr(call.op, call.attrs, "dims"));
  const Dims sizes = index_sizes(call, 1);
  const Tensor offsets = zero_offsets(sizes);
  for (int i = 0; i < dims.rank; ++i) {
    if (dims[i] < 0) dims[i] += x.layout->rank;
    const Tensor values = index_values(call.operands[i + 1].tensor, sizes);
    add_offsets(call, *x.layout, static_cast<int>(dims[i]), values, Negative::kFromEnd,
                reinterpret_cast<int64_t*>(offsets.impl()->data));
  }
  Tensor out = new_tensor(layout);
  const IndexStrides strides = index_strides(*x.layout, dims, contiguous_strides(sizes));
  pick_elements(out, x, strides.x, offsets, strides.indices);
  results[0] = std::move(out);
}

namespace {

// The indices of flags that are set. Each index is written, but stays only where its flag is set: a
// branch would be guessed wrong too often.
void write_indices(const uint8_t* flags, IntArrayRef sizes, int64_t* to, const int64_t* end) {
  const auto rank = static_cast<int64_t>(sizes.size());
  int64_t index[kMaxRank] = {};
  const int64_t row = rank == 0 ? 1 : sizes[static_cast<size_t>(rank) - 1];
  while (to != end) {
    for (int64_t i = 0; i < row && to != end; ++i) {
      for (int64_t d = 0; d + 1 < rank; ++d) to[d] = index[d];
      to[rank - 1] = i;
      to += flags[i] != 0 ? rank : 0;
    }
    flags += row;
    for (int64_t d = rank - 2; d >= 0 && ++index[d] == sizes[static_cast<size_t>(d)]; --d)
      index[d] = 0;
  }
}

}  // namespace

static void run_nonzero(const OpCall& call, Tensor* results) {
  infer(call);
  TensorImpl* x = call.operands[0].tensor;
  const Tensor truth = to_contiguous(to_dtype(x, kBool).impl());
  const uint8_t* flags = reinterpret_cast<const uint8_t*>(truth.impl()->data);
  const int64_t n = truth.numel(), rank = x->layout->rank;
  const int64_t count = n - std::count(flags, flags + n, uint8_t{0});
  Tensor out = empty({count, rank}, kInt64);
  int64_t* to = reinterpret_cast<int64_t*>(out.impl()->data);
  write_indices(flags, truth.sizes(), to, to + count * rank);
  results[0] = std::move(out);
}

FRIT_EAGER_KERNEL(index_select, run_index_select)
FRIT_EAGER_KERNEL(gather, run_gather)
FRIT_EAGER_KERNEL(index, run_index)
FRIT_EAGER_KERNEL(nonzero, run_nonzero)

}  // namespace frit::eager
