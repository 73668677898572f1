// Evaluates polynomials. Their coefficients were fitted for this project with Sollya's fpminimax
// (lowest degree first) over the interval that the comment beside them names; where a sequence
// differs by width, the names end in F32 and F64.
#pragma once

#include <iterator>
#include <type_traits>

#include "src/ops/math/value.h"

namespace frit::math {

namespace internal {

template <const auto& coefficients, int i, class V>
FRIT_MATH_INLINE V horner(V x) {
  if constexpr (i + 1 == std::size(coefficients))
    return V(coefficients[i]);
  else
    return fma(horner<coefficients, i + 1>(x), x, V(coefficients[i]));
}

}  // namespace internal

// c[0] + x*(c[1] + x*(c[2] + ...)), each step one fma.
template <const auto& coefficients, class V>
FRIT_MATH_INLINE V polynomial(V x) {
  return internal::horner<coefficients, 0>(x);
}

// The one of two tables that fits V's width.
template <const auto& single, const auto& wide, class V>
FRIT_MATH_INLINE V polynomial_of_width(V x) {
  if constexpr (kIsSingle<V>)
    return internal::horner<single, 0>(x);
  else
    return internal::horner<wide, 0>(x);
}

// The constant for V's width.
template <class V>
FRIT_MATH_INLINE V of_width(float single, double wide) {
  if constexpr (kIsSingle<V>)
    return V(single);
  else
    return V(wide);
}

// A value as an unevaluated sum, |low| at most about an ulp of high.
template <class V>
struct Pair {
  V high;
  V low;
};

// a + b exactly; |a| >= |b| or a is 0.
template <class V>
FRIT_MATH_INLINE Pair<V> fast_two_sum(V a, V b) {
  const V sum = a + b;
  return {sum, (a - sum) + b};
}

// a + b exactly.
template <class V>
FRIT_MATH_INLINE Pair<V> two_sum(V a, V b) {
  const V sum = a + b;
  const V b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// a * b exactly, unless it underflows.
template <class V>
FRIT_MATH_INLINE Pair<V> two_product(V a, V b) {
  const V product = a * b;
  return {product, fma(a, b, V(0) - product)};
}

}  // namespace frit::math
