// lgamma, digamma and zeta. f32 computes in f64.
//
// Up to 8, lgamma is moved to around 2 by its recurrence, where it is a polynomial times its zero;
// from there on it is Stirling's series. digamma is moved beyond 8. Below 0 both are reflected.
#pragma once

#include "src/ops/math/complementary_error.h"
#include "src/ops/math/trigonometric.h"

namespace frit::math {

// lgamma(2 + t)/t in t, |t| <= 1/2
inline constexpr double kLgammaNear2[] = {
    0x1.b0ee6072093cep-2,   0x1.4a34cc4a60fa7p-2,  -0x1.13e001a557607p-4,  0x1.51322ac7d7fcep-6,
    -0x1.e404fc218ecf7p-8,  0x1.7add6eae5c0adp-9,  -0x1.38ac5c2c9675bp-10, 0x1.0b36af33eff63p-11,
    -0x1.d3fd4bd9eae0cp-13, 0x1.a127dd3afe0a6p-14, -0x1.78de8610cf2dbp-15, 0x1.5806d46dcc424p-16,
    -0x1.3cb5ef1af18b2p-17, 0x1.2640de1db4be0p-18, -0x1.12543e7179f23p-19, 0x1.edeece75c39a5p-21,
    -0x1.d0672fc30daf5p-22, 0x1.2b5444712d324p-22, -0x1.1bed99aabf638p-23};
// What Stirling's formula for lgamma lacks, times x, in 1/x^2, x >= 8
inline constexpr double kStirling[] = {
    0x1.5555555555555p-4,  -0x1.6c16c16c16b27p-9,  0x1.a01a019ede1a3p-11, -0x1.38137ebbdd8e6p-11,
    0x1.b94f69d19615bp-11, -0x1.f5fe794dc96bdp-10, 0x1.96d24a1213af2p-8,  -0x1.5587a6db11a56p-6};
// (log(x) - 1/(2x) - digamma(x)) * x^2 in 1/x^2, x >= 8
inline constexpr double kDigamma[] = {
    0x1.5555555555555p-4,  -0x1.11111111110eep-7, 0x1.04104103f2ea7p-8,
    -0x1.111110c53784fp-8, 0x1.f07bbc408c1e9p-8,  -0x1.59836221e731ep-6,
    0x1.5354fd63fba11p-4,  -0x1.a428d25d56debp-2, 0x1.c55f27b9cd1e7p+0};

namespace internal {

inline constexpr double kPi = 3.14159265358979323846;

// By which factors lgamma(x) is moved to lgamma(2 + t), for n = x - t of 0 ... 8: the argument of
// the logarithm that is subtracted (n < 2) or added.
template <class W>
FRIT_MATH_INLINE W factors_to_two(W x, W n) {
  W product = select(n == W(0), x * (x + W(1)), select(n == W(1), x, W(1)));
  for (int k = 1; k <= 6; ++k) product = select(n < W(k + 2), product, product * (x - W(k)));
  return product;
}

// For x >= 0.
template <class W>
FRIT_MATH_INLINE W lgamma_of_positive(W x) {
  const auto large = W(8) <= x;
  const W n = round(x);
  const W t = x - n;
  const W log = math::log(select(large, x, factors_to_two(x, n)));
  const W near = fma(t, polynomial<kLgammaNear2>(t), select(n < W(2), neg(log), log));
  const W inverse = W(1) / x;
  // log(2 pi)/2 - 1/2
  const W rest = fma(polynomial<kStirling>(inverse * inverse), inverse, W(0.4189385332046727418));
  const W far = fma(x - W(0.5), log - W(1), rest);
  return select(large, far, near);
}

// How far x is from the nearest integer.
template <class W>
FRIT_MATH_INLINE W from_integer(W x) {
  return x - round(x);
}

template <class W>
FRIT_MATH_INLINE W digamma_of_positive(W x) {
  const auto small = x < W(8);
  W top(1), bottom = x;  // of 1/x + 1/(x + 1) + ...
  for (int k = 1; k < 8; ++k) {
    const W next = x + W(k);
    top = fma(top, next, bottom);
    bottom = bottom * next;
  }
  const W moved = select(small, top / bottom, W(0));
  const W z = select(small, x + W(8), x);
  const W inverse = W(1) / z, square = inverse * inverse;
  const W tail = fma(polynomial<kDigamma>(square), square, W(0.5) * inverse);
  return (log(z) - tail) - moved;
}

}  // namespace internal

// log(|gamma(x)|)
template <Float V>
FRIT_MATH_INLINE V lgamma(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    using W = decltype(w);
    const W a = abs(w);
    const W positive = internal::lgamma_of_positive(a);
    const W distance = abs(internal::from_integer(a));
    const W sine = internal::sin_of_magnitude(W(internal::kPi) * distance, 0);
    const W reflected = log(W(internal::kPi) / (a * sine)) - positive;
    // So near 0 that both are -log|x|.
    const auto reflects = (w < W(0)) & (W(0x1p-60) < a) & (a < W(kInfinity<W>));
    return select(reflects, select(distance == W(0), W(kInfinity<W>), reflected), positive);
  });
}

// The derivative of lgamma. At 0 it is inf with the other sign, at negative integers NaN.
template <Float V>
FRIT_MATH_INLINE V digamma(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    using W = decltype(w);
    const auto negative = w < W(0);
    const W value = internal::digamma_of_positive(select(negative, W(1) - w, w));
    const W distance = internal::from_integer(w);
    const W tangent =
        flip_sign(internal::tan_of_angle(internal::reduce_angle(W(internal::kPi) * abs(distance))),
                  sign_bit(distance));
    const W reflected = select(distance == W(0), W(kNan<W>), value - W(internal::kPi) / tangent);
    return select(w == W(0), copysign(W(kInfinity<W>), neg(w)), select(negative, reflected, value));
  });
}

// The sum of (q + k)^-s over k >= 0, a scalar function for every lane.
template <Float V>
FRIT_MATH_INLINE V zeta(V s, V q) {
  constexpr SlowFn kFn = kIsSingle<V> ? SlowFn::kZetaF32 : SlowFn::kZetaF64;
  return V(0).template slow_lanes<kFn>(typename V::Mask(true), s, q);
}

}  // namespace frit::math
