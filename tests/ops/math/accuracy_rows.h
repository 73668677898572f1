// What the transcendental ops are measured against, and how far off they may be.
//
// The references are the C library's functions, for f32 in double and for f64 in 80-bit long
// double; those that it lacks are made of it here.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "src/ops/op.h"

namespace frit::math {

// e^(+-x^2), the square with what its rounding takes.
template <class T>
T exp_of_square(T x, T sign) {
  const T square = x * x;
  // Where the power is 0 or inf, what the square lost may be large.
  if (!(square < 12000)) return std::exp(sign * square);
  return std::exp(sign * square) * (1 + sign * std::fma(x, x, -square));
}

template <class T>
T reference_erfcx(T x) {
  if (x < 5) return exp_of_square(x, T(1)) * std::erfc(x);
  if (std::isinf(x)) return 0;
  // The continued fraction from its 150th term up.
  T rest = x;
  for (int k = 150; k >= 1; --k) rest = x + T(k) / 2 / rest;
  return std::numbers::inv_sqrtpi_v<T> / rest;
}

template <class T>
T reference_ndtr(T x) {
  const T z = -x / std::numbers::sqrt2_v<T>;
  if (!(x < -1)) return std::erfc(z) / 2;
  return exp_of_square(x, T(-0.5)) * reference_erfcx(z) / 2;
}

template <class T>
T reference_log_ndtr(T x) {
  const T z = -x / std::numbers::sqrt2_v<T>;
  if (!(x < -1)) return std::log1p(-std::erfc(-z) / 2);
  return std::log(reference_erfcx(z) / 2) - x * x / 2;
}

// By Halley's steps on what is small: erf below 1/2, above it erfc.
template <class T>
T reference_erfinv(T y) {
  const T target = std::fabs(y);
  if (!(target < 1)) return target == 1 ? y * std::numeric_limits<T>::infinity() : y * T(NAN);
  if (target < std::numeric_limits<T>::min() * 4) return y / (2 * std::numbers::inv_sqrtpi_v<T>);
  const T log = std::log((1 - target) * (1 + target));
  const T c = T(4.3307467508) + log / 2;
  T x = target < T(1e-3) ? target / (2 * std::numbers::inv_sqrtpi_v<T>)
                         : std::sqrt(std::sqrt(c * c - log / T(0.147)) - c);
  for (int step = 0; step < 6; ++step) {
    const T difference = target < T(0.5) ? std::erf(x) - target : (1 - target) - std::erfc(x);
    const T slope = 2 * std::numbers::inv_sqrtpi_v<T> * exp_of_square(x, T(-1));
    const T newton = difference / slope;
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, y);
}

// Moved beyond 40, where its series is short.
template <class T>
T reference_digamma(T x) {
  if (x == 0) return -std::copysign(std::numeric_limits<T>::infinity(), x);
  if (x < 0) {
    const T distance = x - std::nearbyint(x);
    if (distance == 0 || std::isinf(x)) return NAN;
    return reference_digamma(1 - x) -
           std::numbers::pi_v<T> / std::tan(std::numbers::pi_v<T> * distance);
  }
  T moved = 0;
  for (; x < 40; ++x) moved += 1 / x;
  constexpr T kTerms[] = {T(1) / 12, T(-1) / 120, T(1) / 252, T(-1) / 240, T(1) / 132};
  const T square = 1 / (x * x);
  T sum = T(-691) / 32760;
  for (int k = 4; k >= 0; --k) sum = sum * square + kTerms[k];
  return std::log(x) - 1 / (2 * x) - sum * square - moved;
}

// The power series of i_n(x) * e^(-|x|), or its asymptotic one.
template <class T>
T reference_bessel(int n, T x) {
  const T a = std::fabs(x);
  T sum = 1, term = 1;
  if (std::isinf(x)) return 0;
  if (a > 50) {
    for (int k = 1; k < 25; ++k)
      sum += term *= -(4 * n * n - T(2 * k - 1) * (2 * k - 1)) / (8 * a * k);
    return sum / std::sqrt(2 * std::numbers::pi_v<T> * a);
  }
  for (int k = 1; k < 200; ++k) sum += term *= a * a / 4 / (T(k) * (k + n));
  return sum * (n == 1 ? a / 2 : 1) * std::exp(-a);
}

template <class T>
T reference_i0e(T x) {
  return std::isnan(x) ? x : reference_bessel(0, x);
}
template <class T>
T reference_i1e(T x) {
  return std::isnan(x) ? x : std::copysign(reference_bessel(1, x), x);
}
// Without overflowing early.
template <class T>
T grown(T x, T y) {
  const T root = std::exp(std::fabs(x) / 2);
  return root * y * root;
}

// Below this the error is measured in units of its last place: 0 where it is relative everywhere.
enum class Scale : uint8_t { kRelative, kOfOne };

struct AccuracyRow {
  Op op;
  double f32_ulp, f64_ulp;
  Scale scale;
  double (*single)(double, double);
  long double (*wide)(long double, long double);
};

#define FRIT_ACCURACY(op, f32_ulp, f64_ulp, scale, expression)                                  \
  {                                                                                             \
    Op::op, f32_ulp, f64_ulp, Scale::scale,                                                     \
        [](double x, [[maybe_unused]] double y) -> double { return expression; },               \
        [](long double x, [[maybe_unused]] long double y) -> long double { return expression; } \
  }
inline constexpr AccuracyRow kAccuracyRows[] = {
    FRIT_ACCURACY(exp, 1, 1, kRelative, std::exp(x)),
    FRIT_ACCURACY(exp2, 1, 1, kRelative, std::exp2(x)),
    FRIT_ACCURACY(expm1, 1.5, 1.5, kRelative, std::expm1(x)),
    FRIT_ACCURACY(log, 1, 1, kRelative, std::log(x)),
    FRIT_ACCURACY(log2, 0.51, 0.51, kRelative, std::log2(x)),
    FRIT_ACCURACY(log10, 0.51, 0.51, kRelative, std::log10(x)),
    FRIT_ACCURACY(log1p, 1.5, 1.5, kRelative, std::log1p(x)),
    FRIT_ACCURACY(pow, 1, 1, kRelative, std::pow(x, y)),
    FRIT_ACCURACY(cbrt, 0.51, 0.51, kRelative, std::cbrt(x)),
    FRIT_ACCURACY(hypot, 0.51, 1, kRelative, std::hypot(x, y)),
    FRIT_ACCURACY(rsqrt, 1.5, 1.5, kRelative, 1 / std::sqrt(x)),
    FRIT_ACCURACY(sin, 2, 1, kRelative, std::sin(x)),
    FRIT_ACCURACY(cos, 2, 1, kRelative, std::cos(x)),
    FRIT_ACCURACY(tan, 1.5, 1.5, kRelative, std::tan(x)),
    FRIT_ACCURACY(asin, 1, 1, kRelative, std::asin(x)),
    FRIT_ACCURACY(acos, 1, 1, kRelative, std::acos(x)),
    FRIT_ACCURACY(atan, 2, 2, kRelative, std::atan(x)),
    FRIT_ACCURACY(atan2, 2, 2, kRelative, std::atan2(x, y)),
    FRIT_ACCURACY(sinh, 2, 2, kRelative, std::sinh(x)),
    FRIT_ACCURACY(cosh, 1.5, 1.5, kRelative, std::cosh(x)),
    FRIT_ACCURACY(tanh, 2, 1, kRelative, std::tanh(x)),
    FRIT_ACCURACY(asinh, 1.5, 1.5, kRelative, std::asinh(x)),
    FRIT_ACCURACY(acosh, 2, 2, kRelative, std::acosh(x)),
    FRIT_ACCURACY(atanh, 1, 1, kRelative, std::atanh(x)),
    FRIT_ACCURACY(erf, 2, 2, kRelative, std::erf(x)),
    FRIT_ACCURACY(erfc, 0.51, 4, kRelative, std::erfc(x)),
    FRIT_ACCURACY(erfcx, 0.51, 5, kRelative, reference_erfcx(x)),
    FRIT_ACCURACY(erfinv, 0.51, 3, kRelative, reference_erfinv(x)),
    FRIT_ACCURACY(ndtr, 0.51, 5, kRelative, reference_ndtr(x)),
    FRIT_ACCURACY(log_ndtr, 0.51, 5, kOfOne, reference_log_ndtr(x)),
    FRIT_ACCURACY(lgamma, 0.51, 16, kOfOne, std::lgamma(x)),
    FRIT_ACCURACY(digamma, 0.51, 64, kOfOne, reference_digamma(x)),
    FRIT_ACCURACY(i0, 0.51, 8, kRelative, grown(x, reference_i0e(x))),
    FRIT_ACCURACY(i0e, 0.51, 5, kRelative, reference_i0e(x)),
    FRIT_ACCURACY(i1, 0.51, 8, kRelative, grown(x, reference_i1e(x))),
    FRIT_ACCURACY(i1e, 0.51, 5, kRelative, reference_i1e(x)),
};
#undef FRIT_ACCURACY

// Distance in units of the last place of the true value, or of 1 where that is larger and the scale
// says so; infinite for another class or another sign of zero.
template <class T>
double ulp_distance(T got, long double want, Scale scale = Scale::kRelative) {
  using L = std::numeric_limits<T>;
  const T rounded = static_cast<T>(want);
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  if (rounded == 0 && got == 0)
    return scale == Scale::kOfOne || std::signbit(got) == std::signbit(rounded) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) {
    const bool at_the_edge =
        std::fabs(want) > static_cast<long double>(L::max()) * (1 - 2 * L::epsilon());
    return got == rounded || at_the_edge ? 0 : INFINITY;
  }
  int exponent;
  std::frexp(want, &exponent);
  const int least = scale == Scale::kOfOne ? 1 : L::min_exponent;
  const long double ulp = std::ldexp(1.0L, std::max(exponent, least) - L::digits);
  return static_cast<double>(std::fabs(got - want) / ulp);
}

}  // namespace frit::math
