// Activations without parameters, and those with one.
#pragma once

#include "src/ops/math/hyperbolic.h"

namespace frit::math {

// minimum(maximum(x, 0), 6)
template <Number V>
FRIT_MATH_INLINE V relu6(V x) {
  return minimum(maximum(x, V(0)), V(6));
}

template <Float V>
FRIT_MATH_INLINE V hardsigmoid(V x) {
  return relu6(x + V(3)) / V(6);
}

template <Float V>
FRIT_MATH_INLINE V hardswish(V x) {
  return x * relu6(x + V(3)) / V(6);
}

// scale*x above 0, else scale*alpha*(e^x - 1).
template <Float V>
FRIT_MATH_INLINE V selu(V x) {
  const V scale(1.0507009873554804934193349852946);
  const V below(1.0507009873554804934193349852946 * 1.6732632423543772848170429916717);
  return select(V(0) < x, x * scale, expm1(x) * below);
}

// x*tanh(log(1 + e)) with e = e^x: that is x*n/(n + 2) with n = e^2 + 2e. From 20 on it is x.
template <Float V>
FRIT_MATH_INLINE V mish(V x) {
  const V e = exp(min_lt(V(20), x));
  const V n = e * (e + V(2));
  return x * (n / (n + V(2)));
}

template <Float V>
FRIT_MATH_INLINE V softsign(V x) {
  return x / (V(1) + abs(x));
}

template <Float V>
FRIT_MATH_INLINE V tanhshrink(V x) {
  return x - tanh(x);
}

// log(sigmoid(x))
template <Float V>
FRIT_MATH_INLINE V logsigmoid(V x) {
  return min_lt(V(0), x) - log1p(exp(neg(abs(x))));
}

template <Float V>
FRIT_MATH_INLINE V leaky_relu(V x, V slope) {
  return select(V(0) < x, x, x * slope);
}

template <Float V>
FRIT_MATH_INLINE V prelu(V x, V weight) {
  return leaky_relu(x, weight);
}

template <Float V>
FRIT_MATH_INLINE V hardshrink(V x, V lambda) {
  return select(abs(x) <= lambda, V(0), x);
}

// NaN stays.
template <Float V>
FRIT_MATH_INLINE V softshrink(V x, V lambda) {
  const V inside = select(x == x, V(0), x);
  const V lower = select(lambda < neg(x), x + lambda, inside);
  return select(lambda < x, x - lambda, lower);
}

}  // namespace frit::math
