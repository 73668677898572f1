// erfc and what is made of it: erfcx, and the normal distribution's ndtr and log_ndtr.
//
// erfc(x) = e^(-x^2) * erfcx(x), the square carried with what its rounding took. erfcx(x)*(1 + 2x)
// is smooth from 0 to inf: a polynomial in (x - 3)/(x + 3). f32 computes in f64.
#pragma once

#include "src/ops/math/error_function.h"
#include "src/ops/math/logarithm.h"

namespace frit::math {

// erfcx(x)*(1 + 2x) in (x - 3)/(x + 3), x >= 0.45: Chebyshev interpolation
inline constexpr double kErfcxF32[] = {
    0x1.40c522d7c4790p+0,  -0x1.15c084a0b484bp-3,  -0x1.85a15a12ffc6dp-5,  0x1.098362188b786p-3,
    -0x1.e88b9981e8e1dp-4, 0x1.17ca9de3cbfadp-4,   -0x1.8571a27ecb1a9p-6,  0x1.4b32d53df07ebp-9,
    0x1.ee6988c85db59p-10, -0x1.94d0e2b466166p-11, -0x1.a665e5aaca647p-14, 0x1.d88941617784dp-14,
    0x1.de8abda433014p-20, -0x1.512a0db3a84cfp-17};
inline constexpr double kErfcxF64[] = {
    0x1.40c522d7e4987p+0,  -0x1.15c084bb9e8f4p-3,  -0x1.85a15c58aa649p-5,  0x1.098366a5b4763p-3,
    -0x1.e88b803a481c2p-4, 0x1.17ca2877edbcfp-4,   -0x1.8574c40c47d0ap-6,  0x1.4b884e4c64a99p-9,
    0x1.ef1bddb2ccc8dp-10, -0x1.98db528fd3142p-11, -0x1.b912ab24454e1p-14, 0x1.065a61fd0677cp-13,
    0x1.4c3603ed81074p-18, -0x1.51419eda16200p-16, -0x1.8a0d42998888ep-21, 0x1.d2a5b007b62eep-19,
    0x1.83e089064fd6bp-22, -0x1.4fb0afe4cd2e0p-21, -0x1.394569fdfbc46p-23, 0x1.e3e9728d49600p-24,
    0x1.71997228f94cap-25, -0x1.6a95e254b815fp-26, -0x1.ead562bf7cd9fp-28, 0x1.d8b1855c34d57p-29,
    -0x1.3a3f7c11370e6p-34};

namespace internal {

// fn of x as f64, in V.
template <class V, class Fn>
FRIT_MATH_INLINE V through_double(V x, Fn fn) {
  if constexpr (kIsSingle<V>)
    return fn(x.template to<double>()).template to<float>();
  else
    return fn(x);
}

// Whether `single` digits will do: those of f32.
template <bool single, class W>
FRIT_MATH_INLINE W erfcx_of_large(W a) {
  const W held = min_lt(W(0x1p60), a);
  const W t = (held - W(3)) / (held + W(3));
  const W factor = W(0.5) / (W(0.5) + a);
  if constexpr (single)
    return polynomial<kErfcxF32>(t) * factor;
  else
    return polynomial<kErfcxF64>(t) * factor;
}

// y * e^(sign * (a + low)^2) for |a| <= 28.
template <int sign, class W>
FRIT_MATH_INLINE W times_exp_of_square(W y, W a, W low) {
  const Pair<W> square = two_product(a, a);
  ExpReduction<W> e = reduce_exp(W(sign) * square.high);
  e.low = e.low + W(sign) * fma(a + a, low, square.low);
  e.r = e.high + e.low;
  return scale(exp_reduced(e) * y, e.n);
}

// erfc(x + low)
template <bool single, class W>
FRIT_MATH_INLINE W erfc_f64(W x, W low) {
  const W a = abs(x);
  const W held = min_lt(W(28), a);
  const W held_low = select(a < W(28), flip_sign(low, sign_bit(x)), W(0));
  const W tail = times_exp_of_square<-1>(erfcx_of_large<single>(held), held, held_low);
  const W large = select(x < W(0), W(2) - tail, tail);
  return select(a < W(0.5), W(1) - erf(x), large);
}

// x/sqrt(2) and what its rounding took.
template <class W>
FRIT_MATH_INLINE Pair<W> over_root_two(W x) {
  const W high(0x1.6a09e667f3bcdp-1), low(-0x1.bdd3413b26456p-55);
  const Pair<W> p = two_product(x, high);
  return {p.high, fma(x, low, p.low)};
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V erfc(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    return internal::erfc_f64<kIsSingle<V>>(w, decltype(w)(0));
  });
}

// e^(x^2) * erfc(x)
template <Float V>
FRIT_MATH_INLINE V erfcx(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    using W = decltype(w);
    const W a = abs(w);
    const W held = min_lt(W(27), a);
    const auto near = a < W(0.5);
    const W grown = internal::times_exp_of_square<1>(select(near, W(1) - erf(w), W(2)), held, W(0));
    const W tail = internal::erfcx_of_large<kIsSingle<V>>(a);
    return select(near, grown, select(w < W(0), grown - tail, tail));
  });
}

// The normal distribution: erfc(-x/sqrt(2))/2
template <Float V>
FRIT_MATH_INLINE V ndtr(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    const auto z = internal::over_root_two(neg(w));
    return internal::erfc_f64<kIsSingle<V>>(z.high, z.low) * decltype(w)(0.5);
  });
}

// log(ndtr(x)), below -1 by erfcx, which does not vanish.
template <Float V>
FRIT_MATH_INLINE V log_ndtr(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    using W = decltype(w);
    const auto z = internal::over_root_two(abs(w));
    const auto low = w < W(-1);
    const W scaled = internal::erfcx_of_large<kIsSingle<V>>(z.high) * W(0.5);
    const W upper = neg(internal::erfc_f64<kIsSingle<V>>(flip_sign(z.high, sign_bit(w)),
                                                         flip_sign(z.low, sign_bit(w)))) *
                    W(0.5);
    return select(low, log(scaled) - W(0.5) * w * w, log1p(upper));
  });
}

}  // namespace frit::math
