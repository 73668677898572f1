// Logarithms.
//
// x = 2^k * m with m around 1, taken from the bits; log(x) = k*ln 2 + log(m), and f = m - 1 is
// exact. f32 uses a polynomial in f, f64 the odd series of s = f/(2 + f), so that 2s carries the
// leading part. log2 and log10 must be exact at powers of 2 and 10: f32 computes them in f64, f64
// as a pair.
#pragma once

#include "src/ops/math/exponential.h"

namespace frit::math {

// (log(1+f) - f + f^2/2) / f^3, |f| <= 1/3
inline constexpr float kLogF32[] = {0x1.555556p-2f,  -0x1.ffffb4p-3f, 0x1.999816p-3f,
                                    -0x1.55788ep-3f, 0x1.24e842p-3f,  -0x1.f74aaap-4f,
                                    0x1.b92aa6p-4f,  -0x1.fd1b86p-4f, 0x1.ea92cap-4f};
// 2(atanh(s)/s - 1) / s^2 in s^2, s^2 <= 0.0297
inline constexpr double kLogF64[] = {
    0x1.5555555555558p-1, 0x1.999999999502fp-2, 0x1.2492492e5153dp-2, 0x1.c71c6261f8321p-3,
    0x1.7462db4219811p-3, 0x1.39f94b3eeb61fp-3, 0x1.2b9786e8ee08ap-3};
// 2 atanh(s)/s / ln 2 in s^2, to 2^-45
inline constexpr double kLog2Core[] = {0x1.71547652b8247p+1, 0x1.ec709dc5507d8p-1,
                                       0x1.2776c27aa261cp-1, 0x1.a61a437609fdcp-2,
                                       0x1.4791d84cf8e85p-2, 0x1.21e527e59e936p-2};
// ((atanh(s)/s - 1) / s^2 - 1/3) / s^2 in s^2
inline constexpr double kLogPair[] = {
    0x1.999999999999ap-3, 0x1.2492492492309p-3, 0x1.c71c71c74895fp-4, 0x1.745d174087e48p-4,
    0x1.3b13a83c3489fp-4, 0x1.1115a72fce23ep-4, 0x1.e007496d26229p-5, 0x1.db640ad239754p-5};

namespace internal {

template <class V>
struct LogReduction {
  V k;  // an integer
  V f;  // m - 1
};

// For x > 0, also denormal. m is in [low, 2*low), where low is what these bits say: 2/3 for f32,
// sqrt(1/2) for f64.
template <class V>
FRIT_MATH_INLINE LogReduction<V> reduce_log(V x) {
  using I = typename V::Int;
  using E = typename I::Element;
  constexpr int kBits = kMantissaBits<V>;
  const I low(kIsSingle<V> ? E(0x3f2aaaab) : E(0x3fe6a09e667f3bcd));
  const auto denormal = x < of_width<V>(0x1p-126f, 0x1p-1022);
  const V normal = select(denormal, x * of_width<V>(0x1p24f, 0x1p53), x);
  const I t = normal.bits() - low;
  const I biased = (t + I(E(kExponentBias<V>) << kBits)).template shifted_right<kBits>();
  // As an integer in the mantissa of 2^p.
  const V base = of_width<V>(0x1p23f, 0x1p52);
  const V offset = of_width<V>(0x1p23f + 127, 0x1p52 + 1023);
  const V k = as_float(biased | base.bits()) - offset;
  const V m = as_float((t & I((E(1) << kBits) - 1)) + low);
  return {select(denormal, k - of_width<V>(24, 53), k), m - V(1)};
}

// k*ln2 + log(1 + f) + low
template <class V>
FRIT_MATH_INLINE V log_reduced(V k, V f, V low) {
  const V ln2_high = of_width<V>(0x1.62e4p-1f, 0x1.62e42fefa38p-1);
  const V ln2_low = of_width<V>(0x1.7f7d1cp-20f, 0x1.ef35793c7673p-45);
  if constexpr (kIsSingle<V>) {
    const V square = f * f;
    const V cubic = fma(f * square, polynomial<kLogF32>(f), fma(k, ln2_low, low));
    return fma(k, ln2_high, fma(V(-0.5f), square, cubic) + f);
  } else {
    const V s = f / (V(2) + f);
    const V z = s * s;
    const V half_square = V(0.5) * f * f;
    const V inner = fma(s, fma(z, polynomial<kLogF64>(z), half_square), fma(k, ln2_low, low));
    return fma(k, ln2_high, f - (half_square - inner));
  }
}

// y = log(x) for 0 < x < inf, else what a logarithm is there.
template <class V>
FRIT_MATH_INLINE V with_log_specials(V x, V y) {
  const V positive = select(x < V(kInfinity<V>), y, x);
  return select(V(0) < x, positive, select(x == V(0), V(-kInfinity<V>), V(kNan<V>)));
}

// log(1 + f) for f64 to about 2^-67, relative.
template <class V>
FRIT_MATH_INLINE Pair<V> log_pair(V f) {
  const Pair<V> d = fast_two_sum(V(2), f);
  const V s = f / d.high;
  const V s_low = fnma(s, d.low, fnma(s, d.high, f)) / d.high;
  const Pair<V> z = two_product(s, s);
  const V z_low = fma(s + s, s_low, z.low);
  // t = atanh(s)/s - 1 = z/3 + z^2*p
  const V third(0x1.5555555555555p-2), third_low(0x1.5555555555555p-56);
  const Pair<V> a = two_product(z.high, third);
  const V a_low = fma(z.high, third_low, fma(z_low, third, a.low));
  const Pair<V> t = fast_two_sum(a.high, z.high * z.high * polynomial<kLogPair>(z.high));
  // s + s*t
  const Pair<V> st = two_product(s, t.high);
  const V st_low = fma(s, t.low + a_low, fma(s_low, t.high, st.low));
  const Pair<V> sum = fast_two_sum(s, st.high);
  return {sum.high + sum.high, (sum.low + (st_low + s_low)) * V(2)};
}

// log2(x) for f64, 0 < x < inf.
template <class V>
FRIT_MATH_INLINE Pair<V> log2_pair(V x) {
  const LogReduction<V> r = reduce_log(x);
  const Pair<V> l = log_pair(r.f);
  const V c(0x1.71547652b82fep0), c_low(0x1.777d0ffda0d24p-56);
  const Pair<V> g = two_product(l.high, c);
  const V g_low = fma(l.high, c_low, fma(l.low, c, g.low));
  const Pair<V> sum = fast_two_sum(r.k, g.high);
  return fast_two_sum(sum.high, sum.low + g_low);
}

// log2(x) in f64 to 2^-45, enough to be rounded to f32. x is a widened f32, so never denormal.
template <class V>
FRIT_MATH_INLINE V log2_core(V x) {
  const LogReduction<V> r = reduce_log(x);
  const V s = r.f / (V(2) + r.f);
  return fma(s, polynomial<kLog2Core>(s * s), r.k);
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V log(V x) {
  const internal::LogReduction<V> r = internal::reduce_log(x);
  return internal::with_log_specials(x, internal::log_reduced(r.k, r.f, V(0)));
}

template <Float V>
FRIT_MATH_INLINE V log2(V x) {
  if constexpr (kIsSingle<V>) {
    return internal::with_log_specials(
        x, internal::log2_core(x.template to<double>()).template to<float>());
  } else {
    const Pair<V> l = internal::log2_pair(x);
    return internal::with_log_specials(x, l.high + l.low);
  }
}

template <Float V>
FRIT_MATH_INLINE V log10(V x) {
  if constexpr (kIsSingle<V>) {
    const auto wide = internal::log2_core(x.template to<double>()) *
                      typename V::template As<double>(0x1.34413509f79ffp-2);
    return internal::with_log_specials(x, wide.template to<float>());
  } else {
    const Pair<V> l = internal::log2_pair(x);
    const V c(0x1.34413509f79ffp-2), c_low(-0x1.9dc1da994fd21p-59);
    const Pair<V> y = two_product(l.high, c);
    return internal::with_log_specials(x, y.high + fma(l.high, c_low, fma(l.low, c, y.low)));
  }
}

namespace internal {

// log(1 + x + low) for a low part below an ulp of x: of u + c == 1 + x + low, what rounding took
// from u comes back as c/u.
template <class V>
FRIT_MATH_INLINE V log1p_of_pair(V x, V low) {
  const Pair<V> u = two_sum(V(1), x);
  const LogReduction<V> r = reduce_log(u.high);
  return with_log_specials(u.high, log_reduced(r.k, r.f, (u.low + low) / u.high));
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V log1p(V x) {
  const V y = internal::log1p_of_pair(x, V(0));
  return select(abs(x) < of_width<V>(0x1p-30f, 0x1p-60), x, y);
}

}  // namespace frit::math
