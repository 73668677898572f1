// The exact elementwise ops: arithmetic, rounding, sign, minimum and maximum, remainders.
#pragma once

#include <limits>

#include "src/ops/math/compare.h"
#include "src/ops/math/polynomial.h"

namespace frit::math {

template <class V>
inline constexpr auto kSignBit = std::numeric_limits<typename V::Int::Element>::min();
template <Float V>
inline constexpr
    typename V::Element kInfinity = std::numeric_limits<typename V::Element>::infinity();
template <Float V>
inline constexpr typename V::Element kNan = std::numeric_limits<typename V::Element>::quiet_NaN();

// One operand.

template <Float V>
FRIT_MATH_INLINE V neg(V x) {
  return as_float(x.bits() ^ typename V::Int(kSignBit<V>));
}
template <Integer V>
FRIT_MATH_INLINE V neg(V x) {
  return V(0) - x;
}

template <Float V>
FRIT_MATH_INLINE V abs(V x) {
  return as_float(and_not(typename V::Int(kSignBit<V>), x.bits()));
}
template <Integer V>
FRIT_MATH_INLINE V abs(V x) {
  return select(x < V(0), V(0) - x, x);
}
template <Mask M>
FRIT_MATH_INLINE M abs(M x) {
  return x;
}

// The sign bit alone.
template <Float V>
FRIT_MATH_INLINE typename V::Int sign_bit(V x) {
  return x.bits() & typename V::Int(kSignBit<V>);
}
// x, negated where `sign` (a sign bit alone) is set.
template <Float V>
FRIT_MATH_INLINE V flip_sign(V x, typename V::Int sign) {
  return as_float(x.bits() ^ sign);
}

template <Float V>
FRIT_MATH_INLINE V floor(V x) {
  return x.template rounded<Rounding::kFloor>();
}
template <Float V>
FRIT_MATH_INLINE V ceil(V x) {
  return x.template rounded<Rounding::kCeil>();
}
template <Float V>
FRIT_MATH_INLINE V trunc(V x) {
  return x.template rounded<Rounding::kTrunc>();
}
template <Float V>
FRIT_MATH_INLINE V round(V x) {
  return x.template rounded<Rounding::kNearestEven>();
}
template <Integer V>
FRIT_MATH_INLINE V floor(V x) {
  return x;
}
template <Integer V>
FRIT_MATH_INLINE V ceil(V x) {
  return x;
}
template <Integer V>
FRIT_MATH_INLINE V trunc(V x) {
  return x;
}
template <Integer V>
FRIT_MATH_INLINE V round(V x) {
  return x;
}

template <Float V>
FRIT_MATH_INLINE V frac(V x) {
  return x - trunc(x);
}

template <Float V>
FRIT_MATH_INLINE V sqrt(V x) {
  return square_root(x);
}
template <Float V>
FRIT_MATH_INLINE V rsqrt(V x) {
  return V(1) / square_root(x);
}
template <Float V>
FRIT_MATH_INLINE V reciprocal(V x) {
  return V(1) / x;
}

template <Number V>
FRIT_MATH_INLINE V sign(V x) {
  return select(V(0) < x, V(1), select(x < V(0), V(-1), V(0)));
}
template <Mask M>
FRIT_MATH_INLINE M sign(M x) {
  return x;
}

// Two operands.

template <Number V>
FRIT_MATH_INLINE V add(V a, V b) {
  return a + b;
}
template <Mask M>
FRIT_MATH_INLINE M add(M a, M b) {
  return a | b;
}
template <Number V>
FRIT_MATH_INLINE V sub(V a, V b) {
  return a - b;
}
template <Number V>
FRIT_MATH_INLINE V mul(V a, V b) {
  return a * b;
}
template <Mask M>
FRIT_MATH_INLINE M mul(M a, M b) {
  return a & b;
}
template <Float V>
FRIT_MATH_INLINE V div(V a, V b) {
  return a / b;
}

// (a >= b or a is NaN) ? a : b. max_gt(b, a) is that but for a NaN in b.
template <Float V>
FRIT_MATH_INLINE V maximum(V a, V b) {
  return select(b == b, max_gt(b, a), b);
}
template <Float V>
FRIT_MATH_INLINE V minimum(V a, V b) {
  return select(b == b, min_lt(b, a), b);
}
template <Integer V>
FRIT_MATH_INLINE V maximum(V a, V b) {
  return select(a < b, b, a);
}
template <Integer V>
FRIT_MATH_INLINE V minimum(V a, V b) {
  return select(b < a, b, a);
}
template <Mask M>
FRIT_MATH_INLINE M maximum(M a, M b) {
  return a | b;
}
template <Mask M>
FRIT_MATH_INLINE M minimum(M a, M b) {
  return a & b;
}

// (a >= b or b is NaN) ? a : b
template <Float V>
FRIT_MATH_INLINE V fmax(V a, V b) {
  return select(a == a, max_gt(b, a), b);
}
template <Float V>
FRIT_MATH_INLINE V fmin(V a, V b) {
  return select(a == a, min_lt(b, a), b);
}
template <class V>
requires(Integer<V> || Mask<V>) FRIT_MATH_INLINE V fmax(V a, V b) { return maximum(a, b); }
template <class V>
requires(Integer<V> || Mask<V>) FRIT_MATH_INLINE V fmin(V a, V b) { return minimum(a, b); }

// maximum(x, 0): a tie returns x, so -0.0 stays; so does NaN.
template <Float V>
FRIT_MATH_INLINE V relu(V x) {
  return max_gt(V(0), x);
}
template <Integer V>
FRIT_MATH_INLINE V relu(V x) {
  return select(x < V(0), V(0), x);
}

template <Float V>
FRIT_MATH_INLINE V copysign(V a, V b) {
  return as_float(abs(a).bits() | sign_bit(b));
}

template <Float V>
FRIT_MATH_INLINE V trunc_divide(V a, V b) {
  return trunc(a / b);
}

// The step from 0 to 1 at a == 0, where it is b; of NaN it is 0.
template <Number V>
FRIT_MATH_INLINE V heaviside(V a, V b) {
  return select(a == V(0), b, select(V(0) < a, V(1), V(0)));
}
template <Mask M>
FRIT_MATH_INLINE M heaviside(M a, M b) {
  return a | b;
}

// |a| - n*|b| for the largest integer n that leaves it >= 0. A quotient below 2^(p-2) gives an n
// that is exact or one too large, so one fma and one correction are exact; larger ones go to the
// scalar function.
template <Float V>
FRIT_MATH_INLINE V fmod(V a, V b) {
  constexpr SlowFn kFn = kIsSingle<V> ? SlowFn::kFmodF32 : SlowFn::kFmodF64;
  const V x = abs(a), y = abs(b);
  const V quotient = x / y;
  const V r = fnma(trunc(quotient), y, x);
  const V corrected = select(r < V(0), r + y, r);
  const V small = select(x < y, x, corrected);
  const V result = small.template slow_lanes<kFn>(of_width<V>(0x1p22f, 0x1p51) <= quotient, x, y);
  return as_float(result.bits() | sign_bit(a));
}

// fmod, moved to the sign of b.
template <Float V>
FRIT_MATH_INLINE V remainder(V a, V b) {
  const V m = fmod(a, b);
  const auto differ = ~(m == V(0)) & ((b < V(0)) ^ (m < V(0)));
  return select(differ, m + b, m);
}

// floor(a / b) by the fmod algorithm, so that a == b*floor_divide(a, b) + remainder(a, b) as nearly
// as rounding allows.
template <Float V>
FRIT_MATH_INLINE V floor_divide(V a, V b) {
  const V m = fmod(a, b);
  const auto differ = ~(m == V(0)) & ((b < V(0)) ^ (m < V(0)));
  const V exact = (a - m) / b;
  const V quotient = select(differ, exact - V(1), exact);
  const V down = floor(quotient);
  const V nearest = select(V(0.5) < quotient - down, down + V(1), down);
  const V ratio = a / b;
  return select(b == V(0), ratio, select(quotient == V(0), copysign(V(0), ratio), nearest));
}

}  // namespace frit::math
