// The scalar functions behind slow_lanes.
//
// A huge angle is reduced as Payne and Hanek do: of the product of its mantissa with 2/pi only the
// bits around the binary point are formed. 192 bits of 2/pi are enough: the top two count quarter
// turns, and of the other 190 at least 137 are right, of which cancellation can take about 61.
#include "src/ops/math/slow.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "src/ops/math/exponential.h"
#include "src/ops/math/integer.h"
#include "src/ops/math/logarithm.h"
#include "src/ops/math/power.h"
#include "src/ops/math/scalar_value.h"
#include "src/ops/math/trigonometric.h"

namespace frit::math {
namespace {

__extension__ typedef unsigned __int128 uint128;

// 64 zeros, then the bits of 2/pi after the binary point.
constexpr uint64_t kTwoOverPi[] = {0,
                                   0xa2f9836e4e441529,
                                   0xfc2757d1f534ddc0,
                                   0xdb6295993c439041,
                                   0xfe5163abdebbc561,
                                   0xb7246e3a424dd2e0,
                                   0x06492eea09d1921c,
                                   0xfe1deb1cb129a73e,
                                   0xe88235f52ebb4484,
                                   0xe99c7026b45f7e41,
                                   0x3991d639835339f4,
                                   0x9c845f8bbdf9283b,
                                   0x1ff897ffde05980f,
                                   0xef2f118b5a0a6d1f,
                                   0x6d367ecf27cb09b7,
                                   0x4f463f669e5fea2d,
                                   0x7527bac7ebe5f17b,
                                   0x3d0739f78a5292ea,
                                   0x6bfb5fb11f8d5d08,
                                   0x56033046fc7b6bab,
                                   0xf0cfbc209af4361d};

// 64 bits of 2/pi, the first of weight 2^-i.
uint64_t bits_from(int i) {
  const int position = i - 1 + 64;
  const int word = position / 64, shift = position % 64;
  const uint64_t high = kTwoOverPi[word] << shift;
  return shift == 0 ? high : high | kTwoOverPi[word + 1] >> (64 - shift);
}

struct Fraction {
  uint64_t limbs[3];  // most significant first
};

// mantissa * 2^exponent * 2/pi mod 4, in units of 2^-190.
Fraction times_two_over_pi(uint64_t mantissa, int exponent) {
  const int first = exponent - 1;
  const uint128 low = uint128{mantissa} * bits_from(first + 128);
  const uint128 middle =
      uint128{mantissa} * bits_from(first + 64) + static_cast<uint64_t>(low >> 64);
  const uint64_t high = mantissa * bits_from(first) + static_cast<uint64_t>(middle >> 64);
  return {{high, static_cast<uint64_t>(middle), static_cast<uint64_t>(low)}};
}

Fraction negated(Fraction f) {
  for (uint64_t& limb : f.limbs) limb = ~limb;
  if (++f.limbs[2] == 0 && ++f.limbs[1] == 0) ++f.limbs[0];
  return f;
}

Fraction shifted_left(Fraction f, int count) {
  while (count >= 64) {
    f = {{f.limbs[1], f.limbs[2], 0}};
    count -= 64;
  }
  if (count == 0) return f;
  return {{f.limbs[0] << count | f.limbs[1] >> (64 - count),
           f.limbs[1] << count | f.limbs[2] >> (64 - count), f.limbs[2] << count}};
}

int leading_zeros(const Fraction& f) {
  if (f.limbs[0]) return std::countl_zero(f.limbs[0]);
  return 64 + std::countl_zero(f.limbs[1]);
}

// The fraction, in units of 2^-192, times pi/2.
Pair<Scalar<double>> times_half_pi(const Fraction& fraction) {
  const int zeros = leading_zeros(fraction);
  const Fraction f = shifted_left(fraction, zeros);
  const double unit = std::ldexp(1.0, -64 - zeros);
  const double high = static_cast<double>(f.limbs[0] & ~uint64_t{2047}) * unit;
  const uint64_t rest = f.limbs[0] << 53 | f.limbs[1] >> 11;
  const double low = static_cast<double>(rest) * 0x1p-53 * unit;
  const Pair<Scalar<double>> p = two_product<Scalar<double>>(high, 0x1.921fb54442d18p0);
  return fast_two_sum(p.high, Scalar<double>(p.low.value + (high * 0x1.1a62633145c07p-54 +
                                                            low * 0x1.921fb54442d18p0)));
}

// For a finite x >= 1.
internal::Angle<Scalar<double>> reduce(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const Fraction turns = times_two_over_pi(mantissa, static_cast<int>(bits >> 52) - 1075);
  int64_t quarters = static_cast<int64_t>(turns.limbs[0] >> 62);
  const Fraction f = shifted_left(turns, 2);
  const bool round_up = f.limbs[0] >> 63;
  const Pair<Scalar<double>> r = times_half_pi(round_up ? negated(f) : f);
  if (!round_up) return {r.high, r.low, quarters};
  return {-r.high.value, -r.low.value, quarters + 1};
}

constexpr double kQuietNan = std::numeric_limits<double>::quiet_NaN();

double sin_f64(double x, double) {
  if (!std::isfinite(x)) return kQuietNan;
  const double magnitude = internal::sin_of_angle(reduce(std::fabs(x)), 0).value;
  return std::signbit(x) ? -magnitude : magnitude;
}
double cos_f64(double x, double) {
  if (!std::isfinite(x)) return kQuietNan;
  return internal::sin_of_angle(reduce(std::fabs(x)), 1).value;
}
double tan_f64(double x, double) {
  if (!std::isfinite(x)) return kQuietNan;
  const double magnitude = internal::tan_of_angle(reduce(std::fabs(x))).value;
  return std::signbit(x) ? -magnitude : magnitude;
}
double fmod_f64(double x, double y) { return std::fmod(x, y); }

// How far zeta's sum is followed. f32 computes in f64, but not to the last bit of it.
struct Precision {
  bool is_single;
  int terms;               // that are summed one by one
  double negligible;       // part of the sum
  double longest_product;  // the largest power that repeated products are right enough for
};
constexpr Precision kDouble{false, 10, 0x1p-60, 8}, kSingle{true, 4, 0x1p-32, 64};

// x^-s; for a negative x, s is an integer.
template <Precision precision>
FRIT_MATH_INLINE double inverse_power(double x, double s) {
  if (s <= precision.longest_product && s == std::floor(s)) {
    double product = 1;
    for (int n = static_cast<int>(s); n > 0; n /= 2, x *= x)
      if (n % 2 != 0) product *= x;
    return 1 / product;
  }
  const Scalar<double> magnitude = std::fabs(x), exponent = -s;
  const double power =
      precision.is_single ? exp(exponent * log(magnitude)).value : pow(magnitude, exponent).value;
  return x < 0 && std::fmod(s, 2) != 0 ? -power : power;
}

// For q > 0 and s > 1: some terms, and the rest of the sum by Euler and Maclaurin.
template <Precision precision>
FRIT_MATH_INLINE double zeta_of_positive(double s, double q) {
  // The Bernoulli numbers B(2j) over (2j)!
  constexpr double kTerms[] = {1.0 / 12,
                               -1.0 / 720,
                               1.0 / 30240,
                               -1.0 / 1209600,
                               1.0 / 47900160,
                               -691.0 / 1307674368000,
                               1.0 / 74724249600,
                               -3617.0 / 10670622842880000,
                               43867.0 / 5109094217170944000};
  double sum = 0;
  for (int k = 0; k < precision.terms; ++k) sum += inverse_power<precision>(q + k, s);
  const double from = q + precision.terms, first = inverse_power<precision>(from, s);
  sum += first * (from / (s - 1) + 0.5);
  double factor = first * s / from;
  for (int j = 0; j < 9; ++j) {
    const double term = factor * kTerms[j];
    sum += term;
    // Where s is large the terms grow in the end, but nothing of them counts then.
    if (std::fabs(term) <= std::fabs(sum) * precision.negligible) break;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (from * from);
  }
  return sum;
}

// The terms of a far negative q are those of two sums of positive ones.
template <Precision precision>
FRIT_MATH_INLINE double zeta_of_far_negative(double s, double q) {
  const double fraction = q - std::floor(q);
  const double ends[] = {1 - fraction, 1 - q, fraction};
  double sums[3];
  for (int i = 0; i < 3; ++i) sums[i] = zeta_of_positive<precision>(s, ends[i]);
  const double below = sums[0] - sums[1];
  return sums[2] + (std::fmod(s, 2) != 0 ? -below : below);
}

// The sum of (q + k)^-s over k >= 0. Below 0, s must be an integer.
template <Precision precision>
FRIT_MATH_INLINE double zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q) || s < 1) return kQuietNan;
  if (s == 1) return std::numeric_limits<double>::infinity();
  if (std::isinf(q)) return q > 0 ? 0 : kQuietNan;
  double sum = 0;
  if (q <= 0) {
    if (q == std::floor(q)) return std::numeric_limits<double>::infinity();
    if (s != std::floor(s)) return kQuietNan;
    if (q < -8) return zeta_of_far_negative<precision>(s, q);
    for (; q < 0; q += 1) sum += inverse_power<precision>(q, s);
  }
  return sum + zeta_of_positive<precision>(s, q);
}

// A processor with FMA need not call a function for each: the bits are the same.
[[gnu::target("fma")]] double zeta_f64_by_fma(double s, double q) { return zeta<kDouble>(s, q); }
[[gnu::target("fma")]] double zeta_f32_by_fma(double s, double q) { return zeta<kSingle>(s, q); }

double zeta_f64(double s, double q) {
  return __builtin_cpu_supports("fma") ? zeta_f64_by_fma(s, q) : zeta<kDouble>(s, q);
}
float zeta_f32(float s, float q) {
  const double sum = __builtin_cpu_supports("fma") ? zeta_f32_by_fma(s, q) : zeta<kSingle>(s, q);
  return static_cast<float>(sum);
}
float sin_f32(float x, float y) { return static_cast<float>(sin_f64(x, y)); }
float cos_f32(float x, float y) { return static_cast<float>(cos_f64(x, y)); }
float tan_f32(float x, float y) { return static_cast<float>(tan_f64(x, y)); }
float fmod_f32(float x, float y) { return std::fmod(x, y); }

int32_t pow_i32(int32_t x, int32_t y) { return pow(x, y); }
int64_t pow_i64(int64_t x, int64_t y) { return pow(x, y); }
int64_t floor_divide_i64(int64_t x, int64_t y) { return floor_divide(x, y); }
int64_t trunc_divide_i64(int64_t x, int64_t y) { return trunc_divide(x, y); }

struct SlowInfo {
  std::string_view text;
  std::variant<SlowFunction<float>, SlowFunction<double>, SlowFunction<int32_t>,
               SlowFunction<int64_t>>
      function;
  int arguments;
};

constexpr SlowInfo kSlow[] = {
#define FRIT_SLOW(enumerator, function, type, arguments) {#function, function, arguments},
#include "src/ops/math/slow.def"
};

}  // namespace

template <class T>
SlowFunction<T> slow_function(SlowFn fn) {
  return std::visit(
      [](auto function) -> SlowFunction<T> {
        if constexpr (std::is_same_v<decltype(function), SlowFunction<T>>) return function;
        return nullptr;
      },
      kSlow[static_cast<int>(fn)].function);
}
template SlowFunction<float> slow_function(SlowFn);
template SlowFunction<double> slow_function(SlowFn);
template SlowFunction<int32_t> slow_function(SlowFn);
template SlowFunction<int64_t> slow_function(SlowFn);

std::string_view name(SlowFn fn) { return kSlow[static_cast<int>(fn)].text; }
int num_arguments(SlowFn fn) { return kSlow[static_cast<int>(fn)].arguments; }

}  // namespace frit::math
