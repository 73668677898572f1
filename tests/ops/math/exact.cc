// MPFR's functions, and those that it lacks made of them with bits to spare.
#include "tests/ops/math/exact.h"

#include <mpfr.h>

#include <cmath>

#include "src/base/check.h"

namespace frit::math {
namespace {

constexpr mpfr_prec_t kBits = 128;  // where MPFR has the function itself
constexpr mpfr_prec_t kWide = 400;  // of formulas that cancel
constexpr mpfr_rnd_t kNear = MPFR_RNDN;

class Number {
 public:
  explicit Number(double value = 0, mpfr_prec_t bits = kWide) {
    mpfr_init2(value_, bits);
    mpfr_set_d(value_, value, kNear);
  }
  Number(const Number&) = delete;
  ~Number() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }
  long double rounded() { return mpfr_get_ld(value_, kNear); }

 private:
  mpfr_t value_;
};

using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

template <Unary function>
long double of_one(double x, double) {
  Number value(x, kBits);
  function(value, value, kNear);
  return value.rounded();
}

template <Binary function>
long double of_two(double x, double y) {
  Number a(x, kBits), b(y, kBits);
  function(a, a, b, kNear);
  return a.rounded();
}

long double log_gamma(double x, double) {
  Number value(x, kBits);
  int sign;
  mpfr_lgamma(value, &sign, value, kNear);
  return value.rounded();
}

long double digamma(double x, double) {
  // MPFR has no value at the pole, PyTorch and Frit have.
  if (x == 0) return std::copysign(INFINITY, -x);
  return of_one<mpfr_digamma>(x, 0);
}

// The sum of terms[k] / x^(2k) with terms[k+1] = -(2k + 1) * terms[k] / scale: the tail of erfc.
void tail_series(Number& sum, double x, double scale) {
  Number term(1), square(x);
  mpfr_sqr(square, square, kNear);
  mpfr_mul_d(square, square, scale, kNear);
  mpfr_set_d(sum, 1, kNear);
  for (int k = 0; k < 12; ++k) {
    mpfr_mul_d(term, term, -(2 * k + 1), kNear);
    mpfr_div(term, term, square, kNear);
    mpfr_add(sum, sum, term, kNear);
  }
}

constexpr double kFar = 1e4;  // from where on series of few terms serve

// e^(x^2) * erfc(x)
long double erfcx(double x, double) {
  if (std::isnan(x) || std::isinf(x)) return std::isnan(x) ? x : x > 0 ? 0 : INFINITY;
  if (x < -1000) return INFINITY;
  Number value(x), other;
  if (x > kFar) {  // 1 / (x * sqrt(pi)) * (1 - 1/(2x^2) + ...)
    tail_series(other, x, 2);
    mpfr_div(other, other, value, kNear);
    mpfr_const_pi(value, kNear);
    mpfr_rec_sqrt(value, value, kNear);
  } else {
    mpfr_erfc(other, value, kNear);
    mpfr_sqr(value, value, kNear);
    mpfr_exp(value, value, kNear);
  }
  mpfr_mul(value, value, other, kNear);
  return value.rounded();
}

// erfc(-x / sqrt(2)) / 2
void normal_distribution(Number& value) {
  Number half(0.5);
  mpfr_sqrt(half, half, kNear);
  mpfr_mul(value, value, half, kNear);
  mpfr_neg(value, value, kNear);
  mpfr_erfc(value, value, kNear);
  mpfr_div_2ui(value, value, 1, kNear);
}

long double ndtr(double x, double) {
  if (x < -kFar) return 0;
  if (x > kFar) return 1;
  Number value(x);
  normal_distribution(value);
  return value.rounded();
}

long double log_ndtr(double x, double) {
  if (std::isnan(x) || std::isinf(x)) return x > 0 ? 0 : x;
  if (x > kFar) return -0.0L;
  Number value(x);
  if (x >= -kFar) {
    if (x > 0) {  // log1p(-ndtr(-x))
      mpfr_neg(value, value, kNear);
      normal_distribution(value);
      mpfr_neg(value, value, kNear);
      mpfr_log1p(value, value, kNear);
    } else {
      normal_distribution(value);
      mpfr_log(value, value, kNear);
    }
    return value.rounded();
  }
  // -x^2/2 - log(-x * sqrt(2 pi)) + log(1 - 1/x^2 + ...)
  Number series, pi;
  tail_series(series, x, 1);
  mpfr_log(series, series, kNear);
  mpfr_const_pi(pi, kNear);
  mpfr_mul_2ui(pi, pi, 1, kNear);
  mpfr_sqrt(pi, pi, kNear);
  mpfr_mul_d(pi, pi, -x, kNear);
  mpfr_log(pi, pi, kNear);
  mpfr_sqr(value, value, kNear);
  mpfr_div_2ui(value, value, 1, kNear);
  mpfr_sub(series, series, pi, kNear);
  mpfr_sub(series, series, value, kNear);
  return series.rounded();
}

// Newton's steps from about y, doubling its bits each.
long double erfinv(double y, double) {
  const double size = std::fabs(y);
  if (!(size < 1)) return size == 1 ? std::copysign(INFINITY, y) : NAN;
  if (y == 0) return y;
  const double log = std::log((1 - size) * (1 + size)), c = 4.3307467508 + log / 2;
  Number x(size < 1e-3 ? size * 0.886226925452758 : std::sqrt(std::sqrt(c * c - log / 0.147) - c));
  Number difference, slope, target(1);
  mpfr_sub_d(target, target, size, kNear);
  for (int step = 0; step < 9; ++step) {
    // |y| - erf(x), over 2/sqrt(pi) * e^(-x^2)
    if (size < 0.5) {
      mpfr_erf(difference, x, kNear);
      mpfr_d_sub(difference, size, difference, kNear);
    } else {
      mpfr_erfc(difference, x, kNear);
      mpfr_sub(difference, difference, target, kNear);
    }
    mpfr_sqr(slope, x, kNear);
    mpfr_exp(slope, slope, kNear);
    mpfr_mul(difference, difference, slope, kNear);
    mpfr_const_pi(slope, kNear);
    mpfr_sqrt(slope, slope, kNear);
    mpfr_mul(difference, difference, slope, kNear);
    mpfr_div_2ui(difference, difference, 1, kNear);
    mpfr_add(x, x, difference, kNear);
    if (mpfr_zero_p(static_cast<mpfr_ptr>(difference)) ||
        mpfr_get_exp(difference) < mpfr_get_exp(x) - 90)
      break;
  }
  return std::copysign(x.rounded(), static_cast<long double>(y));
}

// i_n(|x|), times e^(-|x|) where it is scaled: the power series, whose terms have one sign, or far
// out the asymptotic one.
long double bessel(int n, double x, bool scaled) {
  const double a = std::fabs(x);
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return scaled ? 0 : a;
  Number sum(1), term(1), square(a), factor(a);
  if (a > kFar) {
    if (!scaled) return INFINITY;
    for (int k = 1; k < 20; ++k) {
      mpfr_mul_d(term, term, -(4.0 * n * n - (2.0 * k - 1) * (2 * k - 1)), kNear);
      mpfr_div_d(term, term, a, kNear);
      mpfr_div_d(term, term, 8.0 * k, kNear);
      mpfr_add(sum, sum, term, kNear);
    }
    mpfr_const_pi(square, kNear);
    mpfr_mul(factor, factor, square, kNear);
    mpfr_mul_2ui(factor, factor, 1, kNear);
    mpfr_rec_sqrt(factor, factor, kNear);
    mpfr_mul(sum, sum, factor, kNear);
    return sum.rounded();
  }
  mpfr_sqr(square, square, kNear);
  mpfr_div_2ui(square, square, 2, kNear);
  for (int k = 1;; ++k) {
    mpfr_mul(term, term, square, kNear);
    mpfr_div_ui(term, term, static_cast<unsigned long>(k) * (k + n), kNear);
    mpfr_add(sum, sum, term, kNear);
    if (mpfr_zero_p(static_cast<mpfr_ptr>(term)) || mpfr_get_exp(term) < mpfr_get_exp(sum) - 100)
      break;
  }
  if (n == 1) {
    mpfr_div_2ui(factor, factor, 1, kNear);
    mpfr_mul(sum, sum, factor, kNear);
  }
  if (scaled) {
    mpfr_set_d(factor, -a, kNear);
    mpfr_exp(factor, factor, kNear);
    mpfr_mul(sum, sum, factor, kNear);
  }
  return sum.rounded();
}

long double i0(double x, double) { return bessel(0, x, false); }
long double i0e(double x, double) { return bessel(0, x, true); }
long double i1(double x, double) {
  return std::copysign(bessel(1, x, false), static_cast<long double>(x));
}
long double i1e(double x, double) {
  return std::copysign(bessel(1, x, true), static_cast<long double>(x));
}

// inf even beside NaN, as in Frit; so is MPFR's.
using Exact = long double (*)(double, double);

struct Entry {
  Op op;
  Exact function;
};
constexpr Entry kEntries[] = {
    {Op::exp, of_one<mpfr_exp>},
    {Op::exp2, of_one<mpfr_exp2>},
    {Op::expm1, of_one<mpfr_expm1>},
    {Op::log, of_one<mpfr_log>},
    {Op::log2, of_one<mpfr_log2>},
    {Op::log10, of_one<mpfr_log10>},
    {Op::log1p, of_one<mpfr_log1p>},
    {Op::pow, of_two<mpfr_pow>},
    {Op::cbrt, of_one<mpfr_cbrt>},
    {Op::hypot, of_two<mpfr_hypot>},
    {Op::rsqrt, of_one<mpfr_rec_sqrt>},
    {Op::sin, of_one<mpfr_sin>},
    {Op::cos, of_one<mpfr_cos>},
    {Op::tan, of_one<mpfr_tan>},
    {Op::asin, of_one<mpfr_asin>},
    {Op::acos, of_one<mpfr_acos>},
    {Op::atan, of_one<mpfr_atan>},
    {Op::atan2, of_two<mpfr_atan2>},
    {Op::sinh, of_one<mpfr_sinh>},
    {Op::cosh, of_one<mpfr_cosh>},
    {Op::tanh, of_one<mpfr_tanh>},
    {Op::asinh, of_one<mpfr_asinh>},
    {Op::acosh, of_one<mpfr_acosh>},
    {Op::atanh, of_one<mpfr_atanh>},
    {Op::erf, of_one<mpfr_erf>},
    {Op::erfc, of_one<mpfr_erfc>},
    {Op::erfcx, erfcx},
    {Op::erfinv, erfinv},
    {Op::ndtr, ndtr},
    {Op::log_ndtr, log_ndtr},
    {Op::lgamma, log_gamma},
    {Op::digamma, digamma},
    {Op::i0, i0},
    {Op::i0e, i0e},
    {Op::i1, i1},
    {Op::i1e, i1e},
};

}  // namespace

long double exact(Op op, double x, double y) {
  for (const Entry& entry : kEntries)
    if (entry.op == op) return entry.function(x, y);
  FRIT_CHECK(false) << name(op) << " has no exact value";
  __builtin_unreachable();
}

}  // namespace frit::math
