// How many bytes an array takes, for shapes that a file claims and that may be nonsense.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "frit/dtype.h"

namespace frit::io {

// Bytes of an array of that shape, or nothing where a size is negative or the bytes, or the strides
// of an empty array, do not fit an int64.
inline std::optional<int64_t> array_byte_size(std::span<const int64_t> shape, Dtype dtype) {
  int64_t spanned = byte_size(dtype);
  bool empty = false;
  for (const int64_t size : shape) {
    empty |= size == 0;
    if (size < 0 || __builtin_mul_overflow(spanned, std::max<int64_t>(size, 1), &spanned))
      return std::nullopt;
  }
  return empty ? 0 : spanned;
}

}  // namespace frit::io
