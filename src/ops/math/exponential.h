// exp and what is made of it.
//
// e^x = 2^n * e^r with n = round(x/ln 2) and r = x - n*ln 2 in two fnma. n is rounded by
// adding 1.5*2^(p-1), whose low bits are then n itself; 2^n is two factors, so that the last
// product rounds once, also into the denormals.
#pragma once

#include "src/ops/math/arithmetic.h"

namespace frit::math {

// (e^r - 1 - r) / r^2, |r| <= 0.3475
inline constexpr float kExpF32[] = {0x1.fffffap-2f, 0x1.55549p-3f, 0x1.555a22p-5f, 0x1.123b04p-7f,
                                    0x1.695414p-10f};
inline constexpr double kExpF64[] = {0x1p-1,
                                     0x1.5555555555557p-3,
                                     0x1.5555555555557p-5,
                                     0x1.111111111002fp-7,
                                     0x1.6c16c16c1568ep-10,
                                     0x1.a01a01ac3868fp-13,
                                     0x1.a01a01aba7113p-16,
                                     0x1.71de014b13815p-19,
                                     0x1.27e4cf8130893p-22,
                                     0x1.af4fa8861bc83p-26,
                                     0x1.1f874c40cd079p-29};
// (2^r - 1) / r, |r| <= 0.5005
inline constexpr float kExp2F32[] = {0x1.62e43p-1f,  0x1.ebfbep-3f,   0x1.c6af9cp-5f,
                                     0x1.3b2a48p-7f, 0x1.5ef604p-10f, 0x1.44252ap-13f};
inline constexpr double kExp2F64[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a1cfp-5,  0x1.3b2ab6fba4d46p-7,
    0x1.5d87fe7875c47p-10, 0x1.430912f8c2f36p-13, 0x1.ffcbfd407127dp-17, 0x1.62c020e56cae5p-20,
    0x1.b5234715e80c2p-24, 0x1.e4d404e1c1fd9p-28, 0x1.ec4ee6e0d6eacp-32, 0x1.bdf0f3b4a6999p-36};

namespace internal {

// Adding it to n leaves n + extra in the low bits.
template <class V>
FRIT_MATH_INLINE V round_magic(int extra = 0) {
  return of_width<V>(0x1.8p23f + static_cast<float>(extra), 0x1.8p52 + extra);
}
template <class V>
inline constexpr int kMantissaBits = kIsSingle<V> ? 23 : 52;
template <class V>
inline constexpr int kExponentBias = kIsSingle<V> ? 127 : 1023;

// 2^n for a normal result, from n + round_magic(kExponentBias).
template <class V>
FRIT_MATH_INLINE V power_of_two(V n_with_magic) {
  return as_float(n_with_magic.bits().template shifted_left<kMantissaBits<V>>());
}

// x * 2^n for an n within twice the exponent range.
template <class V>
FRIT_MATH_INLINE V scale(V x, V n) {
  const V magic = round_magic<V>(kExponentBias<V>);
  const V half = fma(n, V(0.5), magic);
  const V rest = (n - (half - magic)) + magic;
  return x * power_of_two(half) * power_of_two(rest);
}

// x = n*ln2 + high + low; high is exact, r is the rounded sum of high and low.
template <class V>
struct ExpReduction {
  V n;
  V high;
  V low;
  V r;
};

template <class V>
FRIT_MATH_INLINE ExpReduction<V> reduce_exp(V x) {
  const V magic = round_magic<V>();
  const V n = fma(x, of_width<V>(0x1.715476p0f, 0x1.71547652b82fep0), magic) - magic;
  const V high = fnma(n, of_width<V>(0x1.62e43p-1f, 0x1.62e42fefa39efp-1), x);
  const V low = n * of_width<V>(0x1.05c61p-29f, -0x1.abc9e3b39803fp-56);
  return {n, high, low, high + low};
}

// e^r - 1 - high
template <class V>
FRIT_MATH_INLINE V exp_tail(const ExpReduction<V>& e) {
  return fma(e.r * e.r, polynomial_of_width<kExpF32, kExpF64>(e.r), e.low);
}

// x held between two bounds; NaN stays.
template <class V>
FRIT_MATH_INLINE V held(V x, V low, V high) {
  return min_lt(high, max_gt(low, x));
}

// e^r
template <class V>
FRIT_MATH_INLINE V exp_reduced(const ExpReduction<V>& e) {
  return V(1) + (e.high + exp_tail(e));
}

// e^x for x in [-60, 60], where 2^n is a normal number.
template <class V>
FRIT_MATH_INLINE V exp_moderate(V x) {
  const ExpReduction<V> e = reduce_exp(x);
  return exp_reduced(e) * power_of_two(e.n + round_magic<V>(kExponentBias<V>));
}

// 2^exponent * (e^x - 1) to about twice the precision, for e^x within the exponent range.
template <int exponent, class V>
FRIT_MATH_INLINE Pair<V> expm1_pair(V x) {
  const ExpReduction<V> e = reduce_exp(x);
  const Pair<V> p = fast_two_sum(e.high, exp_tail(e));
  const V unit = V(exponent == 0 ? 1 : exponent == -1 ? 0.5 : 0.25);
  const V s = power_of_two(e.n + round_magic<V>(kExponentBias<V> + exponent));
  const V a = s - unit;
  const Pair<V> sum = fast_two_sum(a, s * p.high);
  return {sum.high, fma(s, p.low, sum.low + ((s - a) - unit))};
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V exp(V x) {
  const V held = internal::held(x, of_width<V>(-104.5f, -746.0), of_width<V>(89.0f, 710.0));
  const internal::ExpReduction<V> e = internal::reduce_exp(held);
  return internal::scale(internal::exp_reduced(e), e.n);
}

template <Float V>
FRIT_MATH_INLINE V exp2(V x) {
  const V held = internal::held(x, of_width<V>(-151.0f, -1076.0), of_width<V>(129.0f, 1025.0));
  const V magic = internal::round_magic<V>();
  const V n = (held + magic) - magic;
  const V r = held - n;
  return internal::scale(fma(r, polynomial_of_width<kExp2F32, kExp2F64>(r), V(1)), n);
}

template <Float V>
FRIT_MATH_INLINE V expm1(V x) {
  const V held = internal::held(x, of_width<V>(-18.0f, -40.0), of_width<V>(89.0f, 710.0));
  // Half of it, since 2^n itself may overflow where the result does not.
  const Pair<V> half = internal::expm1_pair<-1>(held);
  const V result = (half.high + half.low) * V(2);
  return select(abs(x) < of_width<V>(0x1p-30f, 0x1p-60), x, result);
}

template <Float V>
FRIT_MATH_INLINE V sigmoid(V x) {
  return V(1) / (V(1) + exp(neg(x)));
}

template <Float V>
FRIT_MATH_INLINE V silu(V x) {
  return x / (V(1) + exp(neg(x)));
}

// (tanh(x)/x - 1) / x^2 in x^2, |x| <= 0.6
inline constexpr float kTanhF32[] = {-0x1.555554p-2f, 0x1.110f2p-3f, -0x1.b96134p-5f,
                                     0x1.5a3cc6p-6f, -0x1.9cb4ccp-8f};

namespace internal {

// An odd polynomial below 0.6, else 1 - 2E/(1 + E) with E = e^(-2|x|).
template <class V>
FRIT_MATH_INLINE V tanh_of_magnitude_f32(V x) {
  const V z = x * x;
  const V small = fma(z * polynomial<kTanhF32>(z), x, x);
  const V e = exp_moderate(max_gt(V(-20.0f), V(-2.0f) * x));
  const V large = V(1) - (e + e) / (V(1) + e);
  return select(x < V(0.6f), small, large);
}

// E/(E + 2) with E = e^(2|x|) - 1 as a pair, the quotient corrected by its remainder.
template <class V>
FRIT_MATH_INLINE V tanh_of_magnitude_f64(V x) {
  const Pair<V> e = expm1_pair<0>(min_lt(V(40), x + x));
  const Pair<V> d = two_sum(V(2), e.high);
  const V q = e.high / d.high;
  const V remainder = fnma(q, d.high, e.high) + fnma(q, d.low + e.low, e.low);
  return select(x < V(0x1p-30), x, q + remainder / d.high);
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V tanh(V x) {
  const V magnitude = abs(x);
  if constexpr (kIsSingle<V>)
    return flip_sign(internal::tanh_of_magnitude_f32(magnitude), sign_bit(x));
  else
    return flip_sign(internal::tanh_of_magnitude_f64(magnitude), sign_bit(x));
}

}  // namespace frit::math
