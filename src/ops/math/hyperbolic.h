// Hyperbolic functions but tanh (exponential.h), and their inverses.
#pragma once

#include "src/ops/math/logarithm.h"

namespace frit::math {

// (E + E/(E + 1))/2 with E = e^|x| - 1. A quarter of E is what is computed, since e^|x| overflows
// before the result does.
template <Float V>
FRIT_MATH_INLINE V sinh(V x) {
  const V magnitude = abs(x);
  const V held = min_lt(of_width<V>(89.5f, 710.6), magnitude);
  const Pair<V> quarter = internal::expm1_pair<-2>(held);
  const V part = quarter.high / (quarter.high + V(0.25)) * V(0.25);
  const V half = quarter.high + (quarter.low + part);
  const V result = select(magnitude < of_width<V>(0x1p-15f, 0x1p-30), magnitude, half + half);
  return flip_sign(result, sign_bit(x));
}

// t + 1/(4t) with t = e^|x|/2, which stays within the range longer than e^|x|.
template <Float V>
FRIT_MATH_INLINE V cosh(V x) {
  const internal::ExpReduction<V> e =
      internal::reduce_exp(min_lt(of_width<V>(89.5f, 710.6), abs(x)));
  const V power =
      internal::power_of_two(e.n + internal::round_magic<V>(internal::kExponentBias<V> - 2));
  const V quarter = internal::exp_reduced(e) * power;
  const V half = quarter + V(0.0625) / quarter;
  return half + half;
}

namespace internal {

// log(2x), where `large`, else log(1 + y + low).
template <class V>
FRIT_MATH_INLINE V log_of_twice_or_log1p(typename V::Mask large, V x, V y, V low) {
  const Pair<V> u = two_sum(V(1), y);
  const LogReduction<V> r = reduce_log(select(large, x, u.high));
  const V lost = select(large, V(0), (u.low + low) / u.high);
  const V log = log_reduced(select(large, r.k + V(1), r.k), r.f, lost);
  return select(x < V(kInfinity<V>), log, x);
}

// From here on asinh(x) and acosh(x) are log(2x).
template <class V>
FRIT_MATH_INLINE V log_of_twice_limit() {
  return of_width<V>(0x1p13f, 0x1p28);
}

}  // namespace internal

// log(1 + |x| + (sqrt(x^2 + 1) - 1))
template <Float V>
FRIT_MATH_INLINE V asinh(V x) {
  const V a = abs(x);
  const auto large = internal::log_of_twice_limit<V>() < a;
  const V square = a * a;
  const V rest = square / (V(1) + square_root(square + V(1)));
  const Pair<V> y = fast_two_sum(a, rest);
  const V log = internal::log_of_twice_or_log1p(large, a, y.high, y.low);
  return flip_sign(select(a < of_width<V>(0x1p-14f, 0x1p-28), a, log), sign_bit(x));
}

// log(1 + t + sqrt(t^2 + 2t)) with t = x - 1
template <Float V>
FRIT_MATH_INLINE V acosh(V x) {
  const auto large = internal::log_of_twice_limit<V>() < x;
  const V t = x - V(1);
  const Pair<V> y = fast_two_sum(square_root(fma(t, t, t + t)), t);
  const V log = internal::log_of_twice_or_log1p(large, x, y.high, y.low);
  return select(V(1) <= x, log, V(kNan<V>));
}

// log(1 + 2x/(1 - x))/2, the quotient with its remainder.
template <Float V>
FRIT_MATH_INLINE V atanh(V x) {
  const V a = abs(x);
  const Pair<V> d = two_sum(V(1), V(0) - a);
  const V q = (a + a) / d.high;
  const V lost = fnma(q, d.low, fnma(q, d.high, a + a)) / d.high;
  const V log = internal::log1p_of_pair(q, lost) * V(0.5);
  return flip_sign(select(a < of_width<V>(0x1p-14f, 0x1p-28), a, log), sign_bit(x));
}

}  // namespace frit::math
