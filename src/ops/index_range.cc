// Row by row along the dimension with the smallest stride, each element once.
#include "src/ops/index_range.h"

#include <algorithm>
#include <cstring>

#include "src/ops/attrs.h"
#include "src/tensor/devices.h"

namespace frit {
namespace {

// Vectors that every x86-64 has.
constexpr int kLanes = 2;
using Indices = uint64_t __attribute__((vector_size(8 * kLanes)));

template <class T>
Indices indices_at(const T* from) {
  T __attribute__((vector_size(sizeof(T) * kLanes))) part;
  std::memcpy(&part, from, sizeof part);
  return __builtin_convertvector(part, Indices);
}

// Whether an index is outside is the sign of one of two differences: that needs no comparison of 64
// bits, which not all vectors have.
template <class T>
bool row_within(const T* row, int64_t n, int64_t stride, int64_t lowest, int64_t size) {
  const uint64_t low = static_cast<uint64_t>(lowest), last = static_cast<uint64_t>(size - 1);
  uint64_t outside = 0;
  int64_t i = 0;
  if (stride == 1) {
    Indices even = {}, odd = {};
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
      const Indices a = indices_at(row + i), b = indices_at(row + i + kLanes);
      even |= (a - low) | (last - a);
      odd |= (b - low) | (last - b);
    }
    even |= odd;
    for (int lane = 0; lane < kLanes; ++lane) outside |= even[lane];
  }
  for (; i < n; ++i) {
    const uint64_t at = static_cast<uint64_t>(static_cast<int64_t>(row[i * stride]));
    outside |= (at - low) | (last - at);
  }
  return outside >> 63 == 0;
}

// The dimensions along which elements lie apart, but for the last, which is `inner`.
struct Walk {
  Dims sizes, strides;
  int64_t inner_size = 1, inner_stride = 1;

  explicit Walk(const Layout& layout) {
    if (layout.contiguous) {
      inner_size = layout.numel;
      return;
    }
    int inner = -1;
    const auto moves = [&](int d) { return layout.size(d) != 1 && layout.stride(d) != 0; };
    for (int d = 0; d < layout.rank; ++d)
      if (moves(d) && (inner < 0 || layout.stride(d) <= layout.stride(inner))) inner = d;
    for (int d = 0; d < layout.rank; ++d) {
      if (!moves(d) || d == inner) continue;
      sizes.push_back(layout.size(d));
      strides.push_back(layout.stride(d));
    }
    if (inner < 0) return;
    inner_size = layout.size(inner);
    inner_stride = layout.stride(inner);
  }
};

template <class T>
bool within(const Walk& walk, int depth, const T* data, int64_t lowest, int64_t size) {
  if (depth == walk.sizes.rank)
    return row_within(data, walk.inner_size, walk.inner_stride, lowest, size);
  for (int64_t i = 0; i < walk.sizes[depth]; ++i)
    if (!within(walk, depth + 1, data + i * walk.strides[depth], lowest, size)) return false;
  return true;
}

}  // namespace

bool indices_within(const Layout& layout, const std::byte* data, int64_t lowest, int64_t size) {
  if (layout.numel == 0) return true;
  const Walk walk(layout);
  return layout.dtype == kInt32
             ? within(walk, 0, reinterpret_cast<const int32_t*>(data), lowest, size)
             : within(walk, 0, reinterpret_cast<const int64_t*>(data), lowest, size);
}

namespace {

// A tensor whose elements are there to be read, and stay as they are until ops of this thread
// write to them.
bool is_known(const TensorImpl& t) {
  return !t.pending() && t.storage->deferred_write.load(std::memory_order_acquire) == nullptr &&
         t.storage->write_exposed.load(std::memory_order_relaxed) == 0;
}

bool in_range(const Operand& index, int64_t size, bool from_end) {
  const TensorImpl* t = index.tensor;
  if (t == nullptr || (t->layout->dtype != kInt64 && t->layout->dtype != kInt32) || !is_known(*t))
    return false;
  Tensor here;  // of another device's memory, a copy
  if (!t->layout->device.is_cpu()) t = (here = devices::copy_to(kCPU, *t)).impl();
  return indices_within(*t->layout, t->data, from_end ? -size : 0, size);
}

// The size of a dimension; -1 where there is none.
int64_t size_along(const Layout& x, int64_t dim) {
  const int rank = std::max<int>(x.rank, 1);
  if (dim < -rank || dim >= rank) return -1;
  return x.rank == 0 ? 1 : x.size(static_cast<int>(dim < 0 ? dim + rank : dim));
}

}  // namespace

std::span<const Operand> index_operands(const OpCall& call) {
  const bool several = call.op == Op::index || call.op == Op::index_put;
  const size_t first = std::min<size_t>(call.op == Op::index_put ? 2 : 1, call.operands.size());
  const std::span<const Operand> rest = call.operands.subspan(first);
  return several || rest.empty() ? rest : rest.first(1);
}

bool indices_in_range(const OpCall& call) {
  const std::span<const Operand> indices = index_operands(call);
  if (indices.empty() || !call.operands[0].is_tensor()) return false;
  const Layout& x = *call.operands[0].layout();
  if (call.op == Op::embedding) return in_range(indices[0], size_along(x, 0), false);
  if (call.op != Op::index && call.op != Op::index_put)
    return in_range(indices[0], size_along(x, int_attr(call.op, call.attrs, "dim")),
                    call.op == Op::index_fill);
  const IntArrayRef dims = list_attr(call.op, call.attrs, "dims");
  if (dims.size() != indices.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i)
    if (!in_range(indices[i], size_along(x, dims[i]), true)) return false;
  return true;
}

}  // namespace frit
