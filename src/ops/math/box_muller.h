// Normal numbers from uniform ones by Box and Muller, to the bits that PyTorch's AVX2 code gives.
//
// Its logarithm, sine and cosine are Cephes' for single precision (S. Moshier, netlib.org/cephes:
// logf.c, sinf.c), which are not Frit's ops of these names: within 2 ulp, and no two libraries'
// last bits agree. Where it multiplies and adds, it rounds once.
#pragma once

#include <utility>

#include "src/ops/math/polynomial.h"

namespace frit::math {
namespace internal {

inline constexpr float kCephesLog[] = {3.3333331174e-1f,  -2.4999993993e-1f, 2.0000714765e-1f,
                                       -1.6668057665e-1f, 1.4249322787e-1f,  -1.2420140846e-1f,
                                       1.1676998740e-1f,  -1.1514610310e-1f, 7.0376836292e-2f};
inline constexpr float kCephesSin[] = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
inline constexpr float kCephesCos[] = {4.166664568298827e-2f, -1.388731625493765e-3f,
                                       2.443315711809948e-5f};
// pi/4 in three parts, the first two of few bits.
inline constexpr float kQuarterPi[] = {0.78515625f, 2.4187564849853515625e-4f,
                                       3.77489497744594108e-8f};

// log(x) of a positive normal number.
template <class V>
FRIT_MATH_INLINE V cephes_log(V x) {
  using I = typename V::Int;
  const I bits = x.bits();
  const V half = as_float((bits & I(0x007fffff)) | I(0x3f000000));  // in [1/2, 1)
  const V whole = (bits.template shifted_right_signed<23>() - I(126)).template to<float>();
  const auto low = half < V(0.707106781186547524f);
  const V k = select(low, whole - V(1), whole);
  const V f = (half - V(1)) + select(low, half, V(0));
  const V square = f * f;
  const V cubic = fma(polynomial<kCephesLog>(f) * f, square, k * V(-2.12194440e-4f));
  return fma(k, V(0.693359375f), f + fnma(square, V(0.5f), cubic));
}

// The sine and cosine of an angle from 0 to 2 pi.
template <class V>
FRIT_MATH_INLINE std::pair<V, V> cephes_sin_cos(V x) {
  using I = typename V::Int;
  const I octant = ((x * V(1.27323954473516f)).template to<int32_t>() + I(1)) & I(~1);
  const V k = octant.template to<float>();
  V r = x;
  for (float part : kQuarterPi) r = fnma(k, V(part), r);
  const V square = r * r;
  const V cosine =
      V(1) + fma(polynomial<kCephesCos>(square) * square, square, V(0) - square * V(0.5f));
  const V sine = fma(polynomial<kCephesSin>(square) * square, r, r);
  const auto same = (octant & I(2)) == I(0);
  const I sign_of_sine = (octant & I(4)).template shifted_left<29>();
  const I sign_of_cosine = and_not(octant - I(2), I(4)).template shifted_left<29>();
  return {as_float(select(same, sine, cosine).bits() ^ sign_of_sine),
          as_float(select(same, cosine, sine).bits() ^ sign_of_cosine)};
}

}  // namespace internal

// Two normal numbers of deviation 1, from two uniform ones in [0, 1).
template <class V>
FRIT_MATH_INLINE std::pair<V, V> box_muller(V first, V second) {
  const V radius = square_root(internal::cephes_log(V(1) - first) * V(-2));
  const auto [sine, cosine] = internal::cephes_sin_cos(second * V(6.283185307179586f));
  return {fma(radius, cosine, V(0)), fma(radius, sine, V(0))};
}

}  // namespace frit::math
