// atan, asin and acos.
//
// asin is a polynomial in x^2 up to 1/2; above it is pi/2 - 2*asin(sqrt((1 - x)/2)), whose root is
// carried with what its rounding took. acos is made of the same two parts.
#pragma once

#include "src/ops/math/trigonometric.h"

namespace frit::math {

// (asin(x)/x - 1) / x^2 in x^2, x <= 1/2
inline constexpr float kAsinF32[] = {0x1.555554p-3f, 0x1.3334c8p-4f, 0x1.6d4028p-5f,
                                     0x1.ff9638p-6f, 0x1.10a158p-6f, 0x1.1a3058p-5f};
inline constexpr double kAsinF64[] = {
    0x1.5555555555556p-3, 0x1.3333333332dc8p-4, 0x1.6db6db6e442c2p-5, 0x1.f1c71c1478c97p-6,
    0x1.6e8bb30e1ed2ap-6, 0x1.1c4d1a7281ac9p-6, 0x1.c9d1fdde37b14p-7, 0x1.780afddead033p-7,
    0x1.52eb719a6645bp-7, 0x1.603755ffc2662p-8, 0x1.20a9f2e7b45d2p-6, -0x1.f170026c3b98dp-7,
    0x1.dabba2bdb0fa6p-6};

namespace internal {

template <class V>
FRIT_MATH_INLINE V half_pi() {
  return of_width<V>(0x1.921fb6p0f, 0x1.921fb54442d18p0);
}
template <class V>
FRIT_MATH_INLINE V half_pi_low() {
  return of_width<V>(-0x1.777a5cp-25f, 0x1.1a62633145c07p-54);
}

// asin(s) = s + tail, where s is |x|, or sqrt((1 - |x|)/2) where |x| is large.
template <class V>
struct AsinParts {
  typename V::Mask large;
  V s;
  V tail;
};

template <class V>
FRIT_MATH_INLINE AsinParts<V> asin_parts(V x) {
  const V a = abs(x);
  const auto large = V(0.5) < a;
  const V z = select(large, (V(1) - a) * V(0.5), a * a);
  const V s = select(large, square_root(z), a);
  const V lost = select(large & (V(0) < s), fnma(s, s, z) / (s + s), V(0));
  return {large, s, fma(s * z, polynomial_of_width<kAsinF32, kAsinF64>(z), lost)};
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V atan(V x) {
  const V a = abs(x);
  const auto steep = V(1) < a;
  const V t = select(steep, V(1) / a, a);
  const V z = t * t;
  const V angle = fma(z * polynomial_of_width<kAtanF32, kAtanF64>(z), t, t);
  const V rest = internal::half_pi<V>() - (angle - internal::half_pi_low<V>());
  return flip_sign(select(steep, rest, angle), sign_bit(x));
}

template <Float V>
FRIT_MATH_INLINE V asin(V x) {
  const internal::AsinParts<V> p = internal::asin_parts(x);
  const Pair<V> head = fast_two_sum(internal::half_pi<V>(), V(-2) * p.s);
  const V rest = head.high + (head.low + fma(V(-2), p.tail, internal::half_pi_low<V>()));
  return flip_sign(select(p.large, rest, p.s + p.tail), sign_bit(x));
}

template <Float V>
FRIT_MATH_INLINE V acos(V x) {
  const internal::AsinParts<V> p = internal::asin_parts(x);
  const auto negative = x < V(0);
  // pi/2 - asin(x), or pi - 2*asin(s), or 2*asin(s).
  const V factor = select(p.large, V(2), V(1));
  const V s = factor * p.s, tail = factor * p.tail;
  const V base = internal::half_pi<V>() * factor;
  const V base_low = internal::half_pi_low<V>() * factor;
  const auto minus = ~(negative ^ p.large);
  const Pair<V> head = fast_two_sum(base, select(minus, V(0) - s, s));
  const V away = head.high + (head.low + (base_low + select(minus, V(0) - tail, tail)));
  return select(p.large & ~negative, s + tail, away);
}

}  // namespace frit::math
