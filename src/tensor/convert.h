// Single elements between memory, host scalars and the 16-bit floats.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "frit/dtype.h"
#include "frit/scalar.h"

namespace frit {

// Round to nearest even; NaN stays NaN.
inline BFloat16 to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return {static_cast<uint16_t>(bits >> 16 | 0x40)};
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

// Round to nearest even; |value| >= 65520 gives inf.
Half to_half(float value);
float to_float(Half value);

// The element at `element` as a host scalar.
Scalar load_element(Dtype dtype, const void* element);

// Converts as `to(dtype)` does: integers wrap, floats round or truncate, any non-zero is true. What
// does not fit into i64 or i32 becomes the smallest one; the narrower ints are the low bits of i32.
void store_element(Dtype dtype, void* element, const Scalar& value);

}  // namespace frit
