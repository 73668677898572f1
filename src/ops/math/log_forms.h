// Products with logarithms that are 0 where the factor is, and logarithms of sums of powers.
#pragma once

#include "src/ops/math/logarithm.h"

namespace frit::math {

namespace internal {

// a*log, but 0 where a is 0 and b a number.
template <class V>
FRIT_MATH_INLINE V times_log(V a, V b, V log) {
  return select(b == b, select(a == V(0), V(0), a * log), b);
}

}  // namespace internal

// a*log(b)
template <Float V>
FRIT_MATH_INLINE V xlogy(V a, V b) {
  return internal::times_log(a, b, log(b));
}

// a*log(1 + b)
template <Float V>
FRIT_MATH_INLINE V xlog1py(V a, V b) {
  return internal::times_log(a, b, log1p(b));
}

// -x*log(x); -inf below 0.
template <Float V>
FRIT_MATH_INLINE V entr(V x) {
  const V positive = neg(x) * log(x);
  const V other = select(x < V(0), V(-kInfinity<V>), V(0));
  return select(x == x, select(V(0) < x, positive, other), x);
}

// log(e^a + e^b)
template <Float V>
FRIT_MATH_INLINE V logaddexp(V a, V b) {
  const V larger = maximum(a, b);
  const V sum = larger + log1p(exp(neg(abs(a - b))));
  return select(isinf(a) & (a == b), a, sum);
}

// log2(2^a + 2^b)
template <Float V>
FRIT_MATH_INLINE V logaddexp2(V a, V b) {
  const V larger = maximum(a, b);
  const V sum = fma(log1p(exp2(neg(abs(a - b)))), V(1.4426950408889634), larger);
  return select(isinf(a) & (a == b), a, sum);
}

}  // namespace frit::math
