// sin, cos, tan and atan2.
//
// An angle is reduced to r = x - n*pi/2, |r| <= pi/4, with pi/2 in three parts, the first product
// exact by its fma. That holds up to kTurnLimit; beyond it the scalar functions of slow.h take
// over, which reduce by as many bits of 2/pi as it takes.
#pragma once

#include "src/ops/math/exponential.h"

namespace frit::math {

// (sin(r)/r - 1) / r^2 and (cos(r) - 1 + r^2/2) / r^4 in r^2, |r| <= pi/4
inline constexpr float kSinF32[] = {-0x1.555552p-3f, 0x1.110be6p-7f, -0x1.9ab3fp-13f};
inline constexpr float kCosF32[] = {0x1.555554p-5f, -0x1.6c129ep-10f, 0x1.9bc758p-16f};
inline constexpr double kSinF64[] = {-0x1.5555555555555p-3,  0x1.1111111110c81p-7,
                                     -0x1.a01a019ea0a8bp-13, 0x1.71de37b1147aep-19,
                                     -0x1.ae602042d8607p-26, 0x1.5e11494b41907p-33};
inline constexpr double kCosF64[] = {0x1.5555555555555p-5,  -0x1.6c16c16c168cbp-10,
                                     0x1.a01a019f386d6p-16, -0x1.27e4fa03161a7p-22,
                                     0x1.1eeb57f5def62p-29, -0x1.90739324dc0a9p-37};
// (atan(t)/t - 1) / t^2 in t^2, |t| <= 1
inline constexpr float kAtanF32[] = {-0x1.555554p-2f, 0x1.99984cp-3f,  -0x1.246f74p-3f,
                                     0x1.c423eep-4f,  -0x1.636df2p-4f, 0x1.01e514p-4f,
                                     -0x1.2a759ap-5f, 0x1.c62ea6p-7f,  -0x1.449a16p-9f};
inline constexpr double kAtanF64[] = {
    -0x1.5555555555555p-2, 0x1.9999999999889p-3, -0x1.249249248aa63p-3,  0x1.c71c71c400394p-4,
    -0x1.745d16eac7943p-4, 0x1.3b13aaa61eb25p-4, -0x1.1110be031dcc9p-4,  0x1.e1dc016818859p-5,
    -0x1.af00c87163751p-5, 0x1.854bc4fc0aa7ap-5, -0x1.60f31796f9d96p-5,  0x1.3d58552227922p-5,
    -0x1.14b8a75005098p-5, 0x1.c48a48b49a7f5p-6, -0x1.4cc40a52ec92fp-6,  0x1.a4627f0482f8dp-7,
    -0x1.b28c29c65f0d7p-8, 0x1.5bb4d7ad14518p-9, -0x1.8ff38a61d42edp-11, 0x1.243ad36952315p-13,
    -0x1.959e99e5d052fp-17};

namespace internal {

template <class V>
inline constexpr typename V::Element kTurnLimit = kIsSingle<V> ? 0x1p17 : 0x1p23;

// An angle as r + low plus a number of quarter turns, of which the two low bits matter.
template <class V>
struct Angle {
  V r;
  V low;
  typename V::Int quarters;
};

// For 0 <= x <= kTurnLimit.
template <class V>
FRIT_MATH_INLINE Angle<V> reduce_angle(V x) {
  const V magic = round_magic<V>();
  const V shifted = fma(x, of_width<V>(0x1.45f306p-1f, 0x1.45f306dc9c883p-1), magic);
  const V n = shifted - magic;
  const V first = fnma(n, of_width<V>(0x1.921fb6p0f, 0x1.921fb54442d18p0), x);
  const Pair<V> p = two_product(n, of_width<V>(-0x1.777a5cp-25f, 0x1.1a62633145c07p-54));
  const Pair<V> r = two_sum(first, V(0) - p.high);
  const V low = r.low - fma(n, of_width<V>(-0x1.ee59dap-50f, -0x1.f1976b7ed8fbcp-110), p.low);
  const Pair<V> sum = fast_two_sum(r.high, low);
  return {sum.high, sum.low, shifted.bits()};
}

template <class V>
FRIT_MATH_INLINE V sin_reduced(V r, V low) {
  const V z = r * r;
  return r + fma(r * z, polynomial_of_width<kSinF32, kSinF64>(z), low);
}

// cos(r + low), what the rounding of 1 - r^2/2 takes put back.
template <class V>
FRIT_MATH_INLINE Pair<V> cos_reduced(V r, V low) {
  const V z = r * r;
  const V half = V(0.5) * z;
  const V w = V(1) - half;
  const V tail = fnma(r, low, z * z * polynomial_of_width<kCosF32, kCosF64>(z));
  return {w, ((V(1) - w) - half) + tail};
}

// The same for f32, where r alone is good enough for sin and cos.
template <class V>
FRIT_MATH_INLINE Angle<V> reduce_angle_simply(V x) {
  const V shifted = fma(x, V(0x1.45f306p-1f), round_magic<V>());
  const V n = shifted - round_magic<V>();
  const V first = fnma(n, V(0x1.921fb6p0f), x);
  const V second = fnma(n, V(-0x1.777a5cp-25f), first);
  return {fnma(n, V(-0x1.ee59dap-50f), second), V(0), shifted.bits()};
}

template <class V>
FRIT_MATH_INLINE V cos_reduced_simply(V r) {
  const V z = r * r;
  return fma(z * z, polynomial<kCosF32>(z), fma(V(-0.5f), z, V(1)));
}

template <class V>
FRIT_MATH_INLINE V cos_sum(const Angle<V>& angle) {
  if constexpr (kIsSingle<V>) {
    return cos_reduced_simply(angle.r);
  } else {
    const Pair<V> c = cos_reduced(angle.r, angle.low);
    return c.high + c.low;
  }
}

// sin of an angle, or cos, which is sin a quarter turn on.
template <class V>
FRIT_MATH_INLINE V sin_of_angle(const Angle<V>& angle, int quarters_on) {
  using I = typename V::Int;
  constexpr int kShift = sizeof(typename V::Element) * 8 - 2;
  const I q = quarters_on == 0 ? angle.quarters : angle.quarters + I(quarters_on);
  const V value = select((q & I(1)) == I(0), sin_reduced(angle.r, angle.low), cos_sum(angle));
  return flip_sign(value, (q & I(2)).template shifted_left<kShift>());
}

template <class V>
FRIT_MATH_INLINE V sin_of_magnitude(V x, int quarters_on) {
  if constexpr (kIsSingle<V>)
    return sin_of_angle(reduce_angle_simply(x), quarters_on);
  else
    return sin_of_angle(reduce_angle(x), quarters_on);
}

// Quotient of the two series as pairs; in odd quarters its negative reciprocal.
template <class V>
FRIT_MATH_INLINE V tan_of_angle(const Angle<V>& angle) {
  using I = typename V::Int;
  constexpr int kShift = sizeof(typename V::Element) * 8 - 1;
  const V z = angle.r * angle.r;
  const Pair<V> s = fast_two_sum(angle.r, fma(angle.r * z, polynomial_of_width<kSinF32, kSinF64>(z),
                                              angle.low * (V(1) - V(0.5) * z)));
  const Pair<V> sloppy = cos_reduced(angle.r, angle.low);
  const Pair<V> c = fast_two_sum(sloppy.high, sloppy.low);
  const I odd = angle.quarters & I(1);
  const auto even = odd == I(0);
  const V top = select(even, s.high, c.high), top_low = select(even, s.low, c.low);
  const V bottom = select(even, c.high, s.high), bottom_low = select(even, c.low, s.low);
  const V q = top / bottom;
  const V remainder = fnma(q, bottom, top) + fnma(q, bottom_low, top_low);
  const V exact_enough = select(abs(q) < V(kInfinity<V>), q + remainder / bottom, q);
  return flip_sign(exact_enough, odd.template shifted_left<kShift>());
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V sin(V x) {
  constexpr SlowFn kFn = kIsSingle<V> ? SlowFn::kSinF32 : SlowFn::kSinF64;
  const V magnitude = abs(x);
  const V fast = flip_sign(internal::sin_of_magnitude(magnitude, 0), sign_bit(x));
  return fast.template slow_lanes<kFn>(V(internal::kTurnLimit<V>) < magnitude, x, x);
}

template <Float V>
FRIT_MATH_INLINE V cos(V x) {
  constexpr SlowFn kFn = kIsSingle<V> ? SlowFn::kCosF32 : SlowFn::kCosF64;
  const V magnitude = abs(x);
  const V fast = internal::sin_of_magnitude(magnitude, 1);
  return fast.template slow_lanes<kFn>(V(internal::kTurnLimit<V>) < magnitude, x, x);
}

template <Float V>
FRIT_MATH_INLINE V tan(V x) {
  constexpr SlowFn kFn = kIsSingle<V> ? SlowFn::kTanF32 : SlowFn::kTanF64;
  const V magnitude = abs(x);
  const V fast = flip_sign(internal::tan_of_angle(internal::reduce_angle(magnitude)), sign_bit(x));
  return fast.template slow_lanes<kFn>(V(internal::kTurnLimit<V>) < magnitude, x, x);
}

// sin(pi*x)/(pi*x), 1 at 0.
template <Float V>
FRIT_MATH_INLINE V sinc(V x) {
  const V angle = V(3.14159265358979323846) * x;
  return select(x == V(0), V(1), sin(angle) / angle);
}

template <Float V>
FRIT_MATH_INLINE V deg2rad(V x) {
  return x * V(0.017453292519943295769);
}
template <Float V>
FRIT_MATH_INLINE V rad2deg(V x) {
  return x * V(57.295779513082320877);
}

// The angle of a real number: 0 or pi.
template <Float V>
FRIT_MATH_INLINE V angle(V x) {
  return select(x == x, select(x < V(0), V(3.14159265358979323846), V(0)), x);
}

// atan of the smaller over the larger of |y| and |x|, turned into the right octant.
template <Float V>
FRIT_MATH_INLINE V atan2(V y, V x) {
  using I = typename V::Int;
  const V a = abs(y), b = abs(x);
  const auto steep = b < a;
  const V top = select(steep, b, a), bottom = select(steep, a, b);
  // inf/inf is a diagonal, 0/0 an axis.
  const V t = select(top == bottom, select(top == V(0), V(0), V(1)), top / bottom);
  const V z = t * t;
  const V atan = fma(z * polynomial_of_width<kAtanF32, kAtanF64>(z), t, t);
  const I x_sign = sign_bit(x);
  const I turn = x_sign ^ select(steep, I(kSignBit<V>), I(0));
  const auto left = ~(x_sign == I(0));
  const V base = select(steep, of_width<V>(0x1.921fb6p0f, 0x1.921fb54442d18p0),
                        select(left, of_width<V>(0x1.921fb6p1f, 0x1.921fb54442d18p1), V(0)));
  const V base_low =
      select(steep, of_width<V>(-0x1.777a5cp-25f, 0x1.1a62633145c07p-54),
             select(left, of_width<V>(-0x1.777a5cp-24f, 0x1.1a62633145c07p-53), V(0)));
  const V angle = base + (flip_sign(atan, turn) + base_low);
  return as_float(angle.bits() | sign_bit(y));
}

}  // namespace frit::math
