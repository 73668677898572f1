// Strided copies: whole rows where both sides have them, tiles where one side is the other
// transposed.
#include "src/eager/copy.h"

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "src/base/check.h"
#include "src/base/thread_pool.h"
#include "src/eager/kernels.h"
#include "src/eager/pointwise_loop.h"
#include "src/tensor/convert.h"

namespace frit::eager {
namespace {

constexpr int64_t kGrainBytes = 1 << 18;
constexpr int64_t kTile = 32;  // rows and columns of a transposed tile: two tiles fit L1

template <class T>
void copy_row(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
              int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
}

// The same element n times, side by side.
template <class T>
void repeat_row(const std::byte* from, int64_t, std::byte* to, int64_t, int64_t n) {
  T value;
  std::memcpy(&value, from, sizeof value);
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * sizeof(T), &value, sizeof value);
}

using RowCopy = void (*)(const std::byte*, int64_t, std::byte*, int64_t, int64_t);

template <class T>
RowCopy row_copy(int64_t from_stride, int64_t to_stride) {
  const bool repeats = from_stride == 0 && to_stride == sizeof(T);
  return repeats ? repeat_row<T> : copy_row<T>;
}

RowCopy row_copy(int size, int64_t from_stride, int64_t to_stride) {
  switch (size) {
    case 1:
      return row_copy<uint8_t>(from_stride, to_stride);
    case 2:
      return row_copy<uint16_t>(from_stride, to_stride);
    case 4:
      return row_copy<uint32_t>(from_stride, to_stride);
    default:
      return row_copy<uint64_t>(from_stride, to_stride);
  }
}

// Two loops whose contiguous one differs between the sides: dst[i][j] = src[j][i]. Strides in
// bytes.
struct Transpose {
  int64_t rows, cols;        // of dst
  int64_t dst_row, src_col;  // bytes from row to row of dst, and from column to column of it in src
};

// The 4x4 square whose corner is given, of elements of 4 bytes.
void transpose_square(const Transpose& t, const std::byte* src, std::byte* dst) {
  __m128 r[4];
  for (int j = 0; j < 4; ++j)
    r[j] = _mm_loadu_ps(reinterpret_cast<const float*>(src + j * t.src_col));
  _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
  for (int i = 0; i < 4; ++i) _mm_storeu_ps(reinterpret_cast<float*>(dst + i * t.dst_row), r[i]);
}

template <class T>
void transpose_tile(const Transpose& t, const std::byte* src, std::byte* dst, int64_t rows,
                    int64_t cols) {
  int64_t done = 0;  // rows done by squares
  if constexpr (sizeof(T) == 4) {
    for (; done + 4 <= rows; done += 4) {
      int64_t j = 0;
      for (; j + 4 <= cols; j += 4)
        transpose_square(t, src + done * 4 + j * t.src_col, dst + done * t.dst_row + j * 4);
      for (int64_t i = done; i < done + 4; ++i)
        copy_row<T>(src + i * 4 + j * t.src_col, t.src_col, dst + i * t.dst_row + j * 4, 4,
                    cols - j);
    }
  }
  for (int64_t i = done; i < rows; ++i)
    copy_row<T>(src + i * sizeof(T), t.src_col, dst + i * t.dst_row, sizeof(T), cols);
}

template <class T>
void transpose_rows(const Transpose& t, const std::byte* src, std::byte* dst, int64_t begin,
                    int64_t end) {
  for (int64_t i = begin; i < end; i += kTile) {
    for (int64_t j = 0; j < t.cols; j += kTile) {
      transpose_tile<T>(t, src + i * sizeof(T) + j * t.src_col, dst + i * t.dst_row + j * sizeof(T),
                        std::min(kTile, end - i), std::min(kTile, t.cols - j));
    }
  }
}

void transpose_rows(int size, const Transpose& t, const std::byte* src, std::byte* dst,
                    int64_t begin, int64_t end) {
  switch (size) {
    case 1:
      return transpose_rows<uint8_t>(t, src, dst, begin, end);
    case 2:
      return transpose_rows<uint16_t>(t, src, dst, begin, end);
    case 4:
      return transpose_rows<uint32_t>(t, src, dst, begin, end);
    default:
      return transpose_rows<uint64_t>(t, src, dst, begin, end);
  }
}

// The loop along which src is contiguous, where dst is so along the innermost one and both are long
// enough for tiles to pay; else -1.
int transposed_loop(const LoopNest& nest) {
  const int size = nest.element_size[0], inner = nest.inner();
  if (nest.strides[0][inner] != size || nest.strides[1][inner] == size || nest.sizes[inner] < 8)
    return -1;
  for (int d = 0; d < inner; ++d)
    if (nest.strides[1][d] == size && nest.sizes[d] >= 8) return d;
  return -1;
}

// Copies the nest as transposed planes of loops `across` and the innermost.
void copy_transposed(const LoopNest& nest, int across, const std::byte* src, std::byte* dst) {
  const int size = nest.element_size[0], inner = nest.inner();
  const Transpose t{nest.sizes[across], nest.sizes[inner], nest.strides[0][across],
                    nest.strides[1][inner]};
  LoopNest planes = nest;
  planes.numel /= t.rows * t.cols;
  planes.sizes[across] = planes.sizes[inner] = 1;
  // A unit of work is a strip of kTile rows of one plane.
  const int64_t strips = (t.rows + kTile - 1) / kTile;
  const int64_t grain = std::max<int64_t>(1, kGrainBytes / (kTile * t.cols * size));
  base::parallel_for(planes.numel * strips, grain, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const Odometer at(planes, unit / strips);
      const int64_t row = unit % strips * kTile;
      transpose_rows(size, t, src + at.offset(1), dst + at.offset(0), row,
                     std::min(t.rows, row + kTile));
    }
  });
}

void copy_rows(const LoopNest& nest, const std::byte* src, std::byte* dst) {
  const int size = nest.element_size[0], inner = nest.inner();
  const int64_t to = nest.strides[0][inner], from = nest.strides[1][inner];
  const bool whole = to == size && from == size;
  const RowCopy copy = row_copy(size, from, to);
  base::parallel_for(nest.numel, kGrainBytes / size, [&](int64_t begin, int64_t end) {
    Odometer at(nest, begin);
    for (int64_t position = begin; position < end;) {
      const int64_t n = std::min(end - position, at.left_in_row());
      if (whole) {
        std::memcpy(dst + at.offset(0), src + at.offset(1), static_cast<size_t>(n * size));
      } else {
        copy(src + at.offset(1), from, dst + at.offset(0), to, n);
      }
      at.advance(n);
      position += n;
    }
  });
}

void copy_bits(const void* from, void* to, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

}  // namespace

void copy_elements(const Layout& dst_layout, std::byte* dst, const Layout& src_layout,
                   const std::byte* src) {
  if (dst_layout.numel == 0) return;
  FRIT_CHECK(dst_layout.dtype == src_layout.dtype);
  if (dst_layout.contiguous && src_layout.contiguous && dst_layout.numel == src_layout.numel &&
      dst_layout.nbytes() <= kGrainBytes)
    return copy_bits(src, dst, dst_layout.nbytes());
  LoopNest nest(dst_layout);
  nest.add(src_layout);
  nest.collapse();
  const int across = transposed_loop(nest);
  if (across >= 0) return copy_transposed(nest, across, src, dst);
  copy_rows(nest, src, dst);
}

void convert_elements(const Layout& dst_layout, std::byte* dst, const Layout& src_layout,
                      const std::byte* src) {
  if (dst_layout.dtype == src_layout.dtype) return copy_elements(dst_layout, dst, src_layout, src);
  if (dst_layout.numel == 0) return;
  LoopNest nest(dst_layout);
  nest.add(src_layout);
  nest.collapse();
  Block block;
  block.unary = cast_block(src_layout.dtype, dst_layout.dtype);
  const PointwiseLoop::Operand out{dst, dst_layout.dtype, dst_layout.dtype};
  const PointwiseLoop::Operand in{const_cast<std::byte*>(src), src_layout.dtype, src_layout.dtype};
  run_parallel(PointwiseLoop(nest, block, out, &in), nest.numel, kGrain);
}

void fill_elements(const Layout& layout, std::byte* data, const Scalar& value) {
  alignas(8) std::byte element[8];
  store_element(layout.dtype, element, value);
  const Layout* one = intern_contiguous(layout.dtype, layout.device, {});
  copy_elements(layout, data, *one, element);
}

Tensor to_contiguous(TensorImpl* t) {
  return t->layout->contiguous ? Tensor::share(t) : to_contiguous_copy(t);
}

Tensor to_contiguous_copy(const TensorImpl* t) {
  Tensor copy =
      new_tensor(intern_contiguous(t->layout->dtype, t->layout->device, t->layout->sizes()));
  copy_elements(*copy.impl()->layout, copy.impl()->data, *t->layout, t->data);
  return copy;
}

Tensor to_dtype(TensorImpl* t, Dtype dtype) {
  if (t->layout->dtype == dtype) return Tensor::share(t);
  Tensor result;
  run_core<Op::cast>({Op::cast, std::array<Operand, 1>{Operand(t)}, Attrs().add(dtype)}, &result);
  return result;
}

}  // namespace frit::eager
