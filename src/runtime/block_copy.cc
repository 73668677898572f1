// Strided copies by element size.
#include "src/runtime/block_copy.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "src/base/check.h"
#include "src/eager/blocks/blocks.h"

namespace frit::runtime {
namespace {

constexpr int64_t kShortRow = 8;

// By a block kernel that has vectors as wide as there are: x or x is x.
template <class T>
void repeat(int64_t n, T* to, const T* from) {
  using Signed = std::make_signed_t<T>;
  if (n < kShortRow) {
    std::fill_n(to, n, *from);
  } else {
    eager::binary_block(Op::bitwise_or, dtype_of<Signed>)(from, from, to, n,
                                                          eager::kBroadcast0 | eager::kBroadcast1);
  }
}

template <class T>
void copy_row(int64_t n, T* to, int64_t to_stride, const T* from, int64_t from_stride) {
  if (to_stride == 1 && from_stride == 1) {
    std::memmove(to, from, static_cast<size_t>(n) * sizeof(T));
  } else if (to_stride == 1 && from_stride == 0) {
    repeat(n, to, from);
  } else if (to_stride == 1 && from_stride == -1) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[-i];
  } else if (to_stride == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * from_stride];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

template <class T>
void copy(Shape shape, Elements to, Elements from) {
  // Short rows go the other way: their loop is the one that costs.
  if (shape.fast < shape.slow && shape.fast < kShortRow) {
    std::swap(shape.slow, shape.fast);
    std::swap(to.slow_stride, to.fast_stride);
    std::swap(from.slow_stride, from.fast_stride);
  }
  T* to_row = reinterpret_cast<T*>(to.data);
  const T* from_row = reinterpret_cast<const T*>(from.data);
  for (int64_t i = 0; i < shape.slow; ++i) {
    copy_row(shape.fast, to_row, to.fast_stride, from_row, from.fast_stride);
    to_row += to.slow_stride;
    from_row += from.slow_stride;
  }
}

template <class T>
void take(Shape shape, T* to, const Elements& from, const Elements& places) {
  const T* from_row = reinterpret_cast<const T*>(from.data);
  const int64_t* place_row = reinterpret_cast<const int64_t*>(places.data);
  for (int64_t i = 0; i < shape.slow; ++i) {
    for (int64_t j = 0; j < shape.fast; ++j)
      *to++ = from_row[j * from.fast_stride + place_row[j * places.fast_stride]];
    from_row += from.slow_stride;
    place_row += places.slow_stride;
  }
}

}  // namespace

void copy_elements(int bytes, Shape shape, Elements to, Elements from) {
  if (to.is_dense(shape) && from.is_dense(shape)) {
    if (to.data != from.data)
      std::memcpy(to.data, from.data, static_cast<size_t>(shape.count() * bytes));
    return;
  }
  if (bytes == 1) return copy<uint8_t>(shape, to, from);
  if (bytes == 2) return copy<uint16_t>(shape, to, from);
  if (bytes == 4) return copy<uint32_t>(shape, to, from);
  FRIT_CHECK(bytes == 8) << bytes;
  copy<uint64_t>(shape, to, from);
}

void take_elements(int bytes, Shape shape, std::byte* to, Elements from, Elements places) {
  if (bytes == 1) return take(shape, reinterpret_cast<uint8_t*>(to), from, places);
  if (bytes == 2) return take(shape, reinterpret_cast<uint16_t*>(to), from, places);
  if (bytes == 4) return take(shape, reinterpret_cast<uint32_t*>(to), from, places);
  FRIT_CHECK(bytes == 8) << bytes;
  take(shape, reinterpret_cast<uint64_t*>(to), from, places);
}

void fill_elements(int bytes, int64_t count, std::byte* to, uint64_t bits) {
  copy_elements(bytes, {1, count}, {to, 0, 1}, {reinterpret_cast<std::byte*>(&bits), 0, 0});
}

}  // namespace frit::runtime
