// hypot, cbrt, and pow: 2^(b * log2(a)), the logarithm and the product to more bits than the result
// has: f32 in f64, f64 as pairs.
#pragma once

#include "src/ops/math/logarithm.h"

namespace frit::math {

// (2^r - 1) / r, |r| <= 0.5005, to 2^-38
inline constexpr double kExp2Core[] = {
    0x1.62e42fef9cb81p-1,  0x1.ebfbdff81d09ap-3,  0x1.c6b08da763166p-5,  0x1.3b2ab725a7a8dp-7,
    0x1.5d87750927084p-10, 0x1.4308916989678p-13, 0x1.00c156e161d77p-16, 0x1.63f0360e9c58ap-20};

// cbrt(1 + f), sqrt(1/2) <= 1 + f <= sqrt(2), to 2^-19; through its Chebyshev points
inline constexpr double kCbrt[] = {0x1.ffffeb4363e53p-1,  0x1.5550c4c7d7b99p-2,
                                   -0x1.c6a8de6bab332p-4, 0x1.ff9bbb85ed97cp-5,
                                   -0x1.6b5e640a53c44p-5, 0x1.a2dffde05b7cap-6};

namespace internal {

// log2 of 0 and inf, where the reduction gives none.
template <class V>
FRIT_MATH_INLINE V with_log2_ends(V x, V y) {
  return select(x == V(0), V(-kInfinity<V>), select(x < V(kInfinity<V>), y, x));
}

// x^y for x >= 0 and widened f32; the exponent range of f64 leaves room.
template <class V>
FRIT_MATH_INLINE V power_of_magnitude_f32(V x, V y) {
  const V w = held(y * with_log2_ends(x, log2_core(x)), V(-200), V(200));
  const V magic = round_magic<V>(kExponentBias<V>);
  const V n = w + magic;
  const V r = w - (n - magic);
  return fma(r, polynomial<kExp2Core>(r), V(1)) * power_of_two(n);
}

// 2^(w + low)
template <class V>
FRIT_MATH_INLINE V exp2_pair(V w, V low) {
  const V magic = round_magic<V>();
  const V n = (w + magic) - magic;
  const Pair<V> r = fast_two_sum(w - n, low);
  // 1 + (r*ln2 as a pair + the rest), rounded once in the end.
  const V ln2(kExp2F64[0]);
  const Pair<V> linear = two_product(r.high, ln2);
  const V rest = fma(r.high * r.high, horner<kExp2F64, 1>(r.high), fma(r.low, ln2, linear.low));
  const Pair<V> sum = fast_two_sum(V(1), linear.high);
  return scale(sum.high + (sum.low + rest), n);
}

template <class V>
FRIT_MATH_INLINE V power_of_magnitude_f64(V x, V y) {
  const Pair<V> l = log2_pair(x);
  const V high = with_log2_ends(x, l.high);
  const V product = y * high;
  const V w = held(product, V(-1100), V(1100));
  const V low = fma(y, l.low, fma(y, high, V(0) - product));
  // Where the product overflows, its low part is no number.
  return exp2_pair(w, select(w == product, low, V(0)));
}

// Small exponents are products and roots.
template <class V>
FRIT_MATH_INLINE V with_exact_powers(V a, V b, V power) {
  const V square = a * a;
  const V root = square_root(a);
  V result = select(b == V(2), square, power);
  result = select(b == V(3), square * a, result);
  result = select(b == V(0.5), root, result);
  result = select(b == V(-0.5), V(1) / root, result);
  return select(b == V(-1), V(1) / a, result);
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V pow(V a, V b) {
  const V x = abs(a);
  V magnitude = x;
  if constexpr (kIsSingle<V>) {
    magnitude = internal::power_of_magnitude_f32(x.template to<double>(), b.template to<double>())
                    .template to<float>();
  } else {
    magnitude = internal::power_of_magnitude_f64(x, b);
  }
  const auto is_integer = trunc(b) == b;
  const V half = b * V(0.5);
  const auto is_odd = is_integer & ~(trunc(half) == half);
  const V ones = select(x == V(1), V(1), magnitude);  // also 1^inf
  const V signed_power =
      as_float(ones.bits() |
               (sign_bit(a) & select(is_odd, typename V::Int(kSignBit<V>), typename V::Int(0))));
  const auto no_root = (a < V(0)) & ~is_integer & (x < V(kInfinity<V>));
  const V power = select(no_root | ~(a == a) | ~(b == b), V(kNan<V>), signed_power);
  return select((b == V(0)) | (a == V(1)), V(1), internal::with_exact_powers(a, b, power));
}

namespace internal {

// sqrt(x^2 + y^2) for x >= y >= 0, moved to where squares neither overflow nor vanish.
template <class V>
FRIT_MATH_INLINE V hypot_of_magnitudes_f64(V x, V y) {
  const auto large = V(0x1p500) < x, small = x < V(0x1p-450);
  const V there = select(large, V(0x1p-600), select(small, V(0x1p600), V(1)));
  const V back = select(large, V(0x1p600), select(small, V(0x1p-600), V(1)));
  const V a = x * there, b = y * there;
  const Pair<V> square = two_product(a, a);
  const Pair<V> sum = fast_two_sum(square.high, b * b);
  return square_root(sum.high + (sum.low + square.low)) * back;
}

}  // namespace internal

// inf beside NaN too.
template <Float V>
FRIT_MATH_INLINE V hypot(V a, V b) {
  const V x = abs(a), y = abs(b);
  V result = x;
  if constexpr (kIsSingle<V>) {
    const auto u = x.template to<double>(), v = y.template to<double>();
    result = square_root(u * u + v * v).template to<float>();
  } else {
    const auto less = y < x;
    result = internal::hypot_of_magnitudes_f64(select(less, x, y), select(less, y, x));
  }
  const V infinity(kInfinity<V>);
  return select((x == infinity) | (y == infinity), infinity, result);
}

namespace internal {

// One of Newton's steps towards the cube root of x, twice as many bits.
template <class V>
FRIT_MATH_INLINE V nearer_cube_root(V x, V y) {
  const Pair<V> square = two_product(y, y);
  const V excess = fma(y, square.low, fma(y, square.high, V(0) - x));
  return y - excess / (V(3) * square.high);
}

// For x > 0 in f64: x is m * 2^(3q + j), with j of -1, 0, 1.
template <int steps, class V>
FRIT_MATH_INLINE V cube_root_of_magnitude(V x) {
  const LogReduction<V> r = reduce_log(x);
  const V magic = round_magic<V>();
  const V q = fma(r.k, V(0x1.5555555555555p-2), magic) - magic;
  const V j = fnma(q, V(3), r.k);
  const auto below = j < V(0), above = V(0) < j;
  const V factor = select(below, V(0.5), select(above, V(2), V(1)));
  const V root =
      select(below, V(0x1.965fea53d6e3dp-1), select(above, V(0x1.428a2f98d728bp+0), V(1)));
  const V m = fma(r.f, factor, factor);
  V y = polynomial<kCbrt>(r.f) * root;
  for (int i = 0; i < steps; ++i) y = nearer_cube_root(m, y);
  return y * power_of_two(q + round_magic<V>(kExponentBias<V>));
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V cbrt(V x) {
  const V magnitude = abs(x);
  V root = magnitude;
  if constexpr (kIsSingle<V>) {
    root =
        internal::cube_root_of_magnitude<1>(magnitude.template to<double>()).template to<float>();
  } else {
    root = internal::cube_root_of_magnitude<2>(magnitude);
  }
  const auto ordinary = (V(0) < magnitude) & (magnitude < V(kInfinity<V>));
  return flip_sign(select(ordinary, root, magnitude), sign_bit(x));
}

}  // namespace frit::math
