// Row by row along the dimension with the smallest stride, each element once.
#include "src/runtime/index_check.h"

namespace frit::runtime {
namespace {

template <class T>
bool row_within(const T* row, int64_t n, int64_t stride, int64_t lowest, int64_t size) {
  bool within = true;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) within &= row[i] >= lowest && row[i] < size;
  } else {
    for (int64_t i = 0; i < n; ++i) within &= row[i * stride] >= lowest && row[i * stride] < size;
  }
  return within;
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

}  // namespace frit::runtime
