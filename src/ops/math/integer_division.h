// Division, remainders and powers of integers of 32 and 64 bits, lane by lane what integer.h says.
//
// The quotient of two integers as doubles, rounded in whatever mode and cut, is their exact
// quotient as long as the dividend is less than 2^52: a quotient that is no integer is at least
// 1/|b| away from the next one, and the rounding error is smaller; a divisor that is rounded
// itself, beyond 2^53, is far larger than the dividend. Larger dividends, and the only quotient
// that does not fit, take the scalar function.
#pragma once

#include "src/ops/math/arithmetic.h"
#include "src/ops/math/slow.h"
#include "src/ops/math/value.h"

namespace frit::math {
namespace internal {

template <Rounding mode, SlowFn wide, Integer V>
FRIT_MATH_INLINE V integer_quotient(V a, V b) {
  const auto quotient = a.template to<double>() / b.template to<double>();
  const V cut = quotient.template rounded<mode>().template to<typename V::Element>();
  const V q = select(b == V(0), V(0), cut);
  if constexpr (sizeof(typename V::Element) == 4) {
    // 2^31, of the smallest dividend by -1, is converted to the smallest integer: it wraps.
    return q;
  } else {
    constexpr int64_t kFar = int64_t{1} << 52;
    const auto far = (V(kFar - 1) < a) | (a < V(1 - kFar));
    return q.template slow_lanes<wide>(far, a, b);
  }
}

}  // namespace internal

template <Integer V>
FRIT_MATH_INLINE V floor_divide(V a, V b) {
  return internal::integer_quotient<Rounding::kFloor, SlowFn::kFloorDivideI64>(a, b);
}
template <Integer V>
FRIT_MATH_INLINE V trunc_divide(V a, V b) {
  return internal::integer_quotient<Rounding::kTrunc, SlowFn::kTruncDivideI64>(a, b);
}

// A product that wraps takes the quotient's wrap back.
template <Integer V>
FRIT_MATH_INLINE V fmod(V a, V b) {
  return select(b == V(0), V(0), a - trunc_divide(a, b) * b);
}
template <Integer V>
FRIT_MATH_INLINE V remainder(V a, V b) {
  return select(b == V(0), V(0), a - floor_divide(a, b) * b);
}

template <Integer V>
FRIT_MATH_INLINE V pow(V a, V b) {
  constexpr SlowFn kFn = sizeof(typename V::Element) == 4 ? SlowFn::kPowI32 : SlowFn::kPowI64;
  return V(0).template slow_lanes<kFn>(typename V::Mask(true), a, b);
}

}  // namespace frit::math
