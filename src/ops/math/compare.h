// Comparisons, logic, bits, shifts, and where. The results of the first two are masks, which stand
// for bool.
#pragma once

#include <limits>

#include "src/ops/math/value.h"

namespace frit::math {

template <Number V>
FRIT_MATH_INLINE auto eq(V a, V b) {
  return a == b;
}
template <Number V>
FRIT_MATH_INLINE auto ne(V a, V b) {
  return ~(a == b);
}
template <Number V>
FRIT_MATH_INLINE auto lt(V a, V b) {
  return a < b;
}
template <Float V>
FRIT_MATH_INLINE auto le(V a, V b) {
  return a <= b;
}
template <Integer V>
FRIT_MATH_INLINE auto le(V a, V b) {
  return ~(b < a);
}
template <class V>
requires(Number<V> || Mask<V>) FRIT_MATH_INLINE auto gt(V a, V b) { return lt(b, a); }
template <class V>
requires(Number<V> || Mask<V>) FRIT_MATH_INLINE auto ge(V a, V b) { return le(b, a); }

template <Mask M>
FRIT_MATH_INLINE M eq(M a, M b) {
  return ~(a ^ b);
}
template <Mask M>
FRIT_MATH_INLINE M ne(M a, M b) {
  return a ^ b;
}
template <Mask M>
FRIT_MATH_INLINE M lt(M a, M b) {
  return and_not(a, b);
}
template <Mask M>
FRIT_MATH_INLINE M le(M a, M b) {
  return ~and_not(b, a);
}

// x != 0; NaN is true.
template <Number V>
FRIT_MATH_INLINE auto truth(V x) {
  return ~(x == V(0));
}
template <Mask M>
FRIT_MATH_INLINE M truth(M x) {
  return x;
}

template <Number V>
FRIT_MATH_INLINE auto logical_not(V x) {
  return x == V(0);
}
template <Mask M>
FRIT_MATH_INLINE M logical_not(M x) {
  return ~x;
}
template <class V>
FRIT_MATH_INLINE auto logical_and(V a, V b) {
  return truth(a) & truth(b);
}
template <class V>
FRIT_MATH_INLINE auto logical_or(V a, V b) {
  return truth(a) | truth(b);
}
template <class V>
FRIT_MATH_INLINE auto logical_xor(V a, V b) {
  return truth(a) ^ truth(b);
}

template <class V>
requires(Integer<V> || Mask<V>) FRIT_MATH_INLINE V bitwise_not(V x) { return ~x; }
template <class V>
requires(Integer<V> || Mask<V>) FRIT_MATH_INLINE V bitwise_and(V a, V b) { return a & b; }
template <class V>
requires(Integer<V> || Mask<V>) FRIT_MATH_INLINE V bitwise_or(V a, V b) { return a | b; }
template <class V>
requires(Integer<V> || Mask<V>) FRIT_MATH_INLINE V bitwise_xor(V a, V b) { return a ^ b; }

namespace internal {

// x shifted by `count` within the width, by its binary digits; `step` shifts by a constant.
template <int bit, class V, class Step>
FRIT_MATH_INLINE V shifted_by_digits(V x, V count, Step step) {
  if constexpr (bit == static_cast<int>(sizeof(typename V::Element)) * 8) {
    return x;
  } else {
    const V next = select((count & V(bit)) == V(0), x, step.template operator()<bit>(x));
    return shifted_by_digits<2 * bit>(next, count, step);
  }
}

// Whether a count is one of 0 ... width - 1.
template <class V>
FRIT_MATH_INLINE auto within_width(V count) {
  return ~(count < V(0)) & (count < V(static_cast<int>(sizeof(typename V::Element)) * 8));
}

}  // namespace internal

// Zeros come in; by a negative count, or as many as there are bits, nothing is left.
template <Integer V>
FRIT_MATH_INLINE V bitwise_left_shift(V a, V b) {
  const V shifted = internal::shifted_by_digits<1>(
      a, b, []<int n>(V x) FRIT_MATH_LAMBDA { return x.template shifted_left<n>(); });
  return select(internal::within_width(b), shifted, V(0));
}
// The sign comes in; by a negative count, or as many as there are bits, it is all that is left.
template <Integer V>
FRIT_MATH_INLINE V bitwise_right_shift(V a, V b) {
  const V sign = select(a < V(0), V(-1), V(0));
  const V shifted = internal::shifted_by_digits<1>(
      a ^ sign, b, []<int n>(V x) FRIT_MATH_LAMBDA { return x.template shifted_right<n>(); });
  return select(internal::within_width(b), shifted ^ sign, sign);
}

namespace internal {

// The bits of |x|, which order as integers: below inf's is finite, above is NaN.
template <Float V>
FRIT_MATH_INLINE typename V::Int magnitude_bits(V x) {
  return and_not(typename V::Int(std::numeric_limits<typename V::Int::Element>::min()), x.bits());
}
template <Float V>
FRIT_MATH_INLINE typename V::Int infinity_bits() {
  using I = typename V::Int::Element;
  return typename V::Int(kIsSingle<V> ? I(0x7f800000) : I(0x7ff0000000000000));
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE auto isnan(V x) {
  return ~(x == x);
}
template <Float V>
FRIT_MATH_INLINE auto isinf(V x) {
  return internal::magnitude_bits(x) == internal::infinity_bits<V>();
}
template <Float V>
FRIT_MATH_INLINE auto isfinite(V x) {
  return internal::magnitude_bits(x) < internal::infinity_bits<V>();
}
template <Integer V>
FRIT_MATH_INLINE auto isnan(V) {
  return typename V::Mask(false);
}
template <Integer V>
FRIT_MATH_INLINE auto isinf(V) {
  return typename V::Mask(false);
}
template <Integer V>
FRIT_MATH_INLINE auto isfinite(V) {
  return typename V::Mask(true);
}
template <Mask M>
FRIT_MATH_INLINE M isnan(M) {
  return M(false);
}
template <Mask M>
FRIT_MATH_INLINE M isinf(M) {
  return M(false);
}
template <Mask M>
FRIT_MATH_INLINE M isfinite(M) {
  return M(true);
}

template <Float V>
FRIT_MATH_INLINE auto isposinf(V x) {
  return x == V(std::numeric_limits<typename V::Element>::infinity());
}
template <Float V>
FRIT_MATH_INLINE auto isneginf(V x) {
  return x == V(-std::numeric_limits<typename V::Element>::infinity());
}
template <Integer V>
FRIT_MATH_INLINE auto isposinf(V) {
  return typename V::Mask(false);
}
template <Integer V>
FRIT_MATH_INLINE auto isneginf(V) {
  return typename V::Mask(false);
}
template <Mask M>
FRIT_MATH_INLINE M isposinf(M) {
  return M(false);
}
template <Mask M>
FRIT_MATH_INLINE M isneginf(M) {
  return M(false);
}

// Of -0.0 and of a negative NaN too.
template <Float V>
FRIT_MATH_INLINE auto signbit(V x) {
  return x.bits() < typename V::Int(0);
}
template <Integer V>
FRIT_MATH_INLINE auto signbit(V x) {
  return x < V(0);
}
template <Mask M>
FRIT_MATH_INLINE M signbit(M) {
  return M(false);
}

// m ? a : b
template <Number V>
FRIT_MATH_INLINE V where(typename V::Mask m, V a, V b) {
  return select(m, a, b);
}
template <Mask M>
FRIT_MATH_INLINE M where(M m, M a, M b) {
  return select(m, a, b);
}

}  // namespace frit::math
