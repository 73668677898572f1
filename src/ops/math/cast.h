// Casts as sequences: truth and numbers, and the 16-bit floats as the low half of a 32-bit integer.
#pragma once

#include "src/ops/math/arithmetic.h"

namespace frit::math {

// 1 where the mask is set, else 0.
template <Number V>
FRIT_MATH_INLINE V from_mask(typename V::Mask m) {
  return select(m, V(1), V(0));
}

// An i32 as an integer of so many bits: the sign of the lowest ones, or zeros, in those above.
template <int bits, class I>
FRIT_MATH_INLINE I wrapped_signed(I x) {
  return x.template shifted_left<32 - bits>().template shifted_right_signed<32 - bits>();
}
template <int bits, class I>
FRIT_MATH_INLINE I wrapped_unsigned(I x) {
  return x & I((1 << bits) - 1);
}

// f32 whose upper half these bits are; exact.
template <class I>
FRIT_MATH_INLINE typename I::Float from_bfloat16(I bits) {
  return as_float(bits.template shifted_left<16>());
}

// Rounds to nearest even. NaN stays NaN.
template <class V>
FRIT_MATH_INLINE typename V::Int to_bfloat16(V x) {
  using I = typename V::Int;
  const I bits = x.bits();
  const I high = bits.template shifted_right<16>();
  const I rounded = (bits + I(0x7fff) + (high & I(1))).template shifted_right<16>();
  return select(x == x, rounded, high | I(0x40));
}

// Exact. Multiplying by 2^112 moves the exponent, and normalizes the denormals.
template <class I>
FRIT_MATH_INLINE typename I::Float from_half(I bits) {
  using V = typename I::Float;
  const I sign = (bits & I(0x8000)).template shifted_left<16>();
  const I shifted = (bits & I(0x7fff)).template shifted_left<13>();
  const V finite = as_float(shifted) * V(0x1p112f);
  const I magnitude = select(shifted < I(0x7c00 << 13), finite.bits(), shifted | I(0x7f800000));
  return as_float(magnitude | sign);
}

// Rounds to nearest even; from 65520 on the result is inf. Below the smallest normal half, adding
// 0.5 rounds at 2^-24.
template <class V>
FRIT_MATH_INLINE typename V::Int to_half(V x) {
  using I = typename V::Int;
  const V magnitude = abs(x);
  const I bits = magnitude.bits();
  const I odd = bits.template shifted_right<13>() & I(1);
  const I normal = (bits + I(0xfff - 0x38000000) + odd).template shifted_right<13>();
  const I denormal = (magnitude + V(0.5f)).bits() - I(0x3f000000);
  const I finite = select(magnitude < V(0x1p-14f), denormal, normal);
  const I large = select(magnitude == magnitude, I(0x7c00), I(0x7e00));
  return select(magnitude < V(65520.0f), finite, large) | sign_bit(x).template shifted_right<16>();
}

}  // namespace frit::math
