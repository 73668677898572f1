// Lines of pairs, and of real numbers by way of pairs of half the length.
#include "src/fft/fft.h"

#include <algorithm>
#include <complex>
#include <vector>

#include "src/fft/plan.h"

namespace frit::fourier {
namespace {

template <class T>
using Complex = std::complex<T>;

template <class T>
void run(const T* x, T* out, int64_t n, Direction direction) {
  plan_of<T>(n, direction)
      .run(reinterpret_cast<const Complex<T>*>(x), reinterpret_cast<Complex<T>*>(out));
}

// Room for a line of this thread.
template <class T, int which>
Complex<T>* room(int64_t n) {
  thread_local std::vector<Complex<T>> numbers;
  if (numbers.size() < static_cast<size_t>(n)) numbers.resize(static_cast<size_t>(n));
  return numbers.data();
}

// Of an odd number of elements: as pairs with imaginary parts 0.
template <class T>
void run_odd(const T* x, Complex<T>* out, int64_t n) {
  Complex<T>*pairs = room<T, 0>(n), *spectrum = room<T, 1>(n);
  for (int64_t k = 0; k < n; ++k) pairs[k] = x[k];
  plan_of<T>(n, Direction::kForward).run(pairs, spectrum);
  std::copy(spectrum, spectrum + n / 2 + 1, out);
  out[0].imag(T(0));
}

// Even and odd elements are the parts of half as many complex numbers; the spectrum Z of these
// holds that of the even ones, (Z[k] + conj Z[-k]) / 2, and of the odd ones, (Z[k] - conj Z[-k]) /
// 2i.
template <class T>
void run_even(const T* x, Complex<T>* out, int64_t n) {
  const int64_t half = n / 2;
  Complex<T>* z = room<T, 0>(half);
  Plan<T>& plan = plan_of<T>(half, Direction::kForward);
  plan.run(reinterpret_cast<const Complex<T>*>(x), z);
  const Complex<T>* turns = plan.half_turns();
  out[0] = z[0].real() + z[0].imag();
  out[half] = z[0].real() - z[0].imag();
  for (int64_t k = 1; k < half; ++k) {
    const Complex<T> mirrored = std::conj(z[half - k]);
    const Complex<T> even = T(0.5) * (z[k] + mirrored), odd = T(0.5) * (z[k] - mirrored);
    out[k] = even + turns[k] * Complex<T>(odd.imag(), -odd.real());
  }
}

template <class T>
void invert_odd(const Complex<T>* x, T* out, int64_t n) {
  Complex<T>*pairs = room<T, 0>(n), *result = room<T, 1>(n);
  pairs[0] = x[0].real();
  for (int64_t k = 1; k <= n / 2; ++k) pairs[k] = x[k], pairs[n - k] = std::conj(x[k]);
  plan_of<T>(n, Direction::kInverse).run(pairs, result);
  for (int64_t k = 0; k < n; ++k) out[k] = result[k].real();
}

template <class T>
void invert_even(const Complex<T>* x, T* out, int64_t n) {
  const int64_t half = n / 2;
  Complex<T>* z = room<T, 0>(half);
  Plan<T>& plan = plan_of<T>(half, Direction::kInverse);
  const Complex<T>* turns = plan.half_turns();
  const T first = x[0].real(), last = x[half].real();
  z[0] = {first + last, first - last};
  for (int64_t k = 1; k < half; ++k) {
    const Complex<T> mirrored = std::conj(x[half - k]);
    const Complex<T> even = x[k] + mirrored, odd = (x[k] - mirrored) * turns[k];
    z[k] = even + Complex<T>(-odd.imag(), odd.real());
  }
  plan.run(z, reinterpret_cast<Complex<T>*>(out));
}

template <class T>
void run_real(const T* x, T* out, int64_t n) {
  Complex<T>* pairs = reinterpret_cast<Complex<T>*>(out);
  n % 2 == 0 ? run_even(x, pairs, n) : run_odd(x, pairs, n);
}
template <class T>
void invert_real(const T* x, T* out, int64_t n) {
  const Complex<T>* pairs = reinterpret_cast<const Complex<T>*>(x);
  n % 2 == 0 ? invert_even(pairs, out, n) : invert_odd(pairs, out, n);
}

}  // namespace

void transform(const float* x, float* out, int64_t n, Direction direction) {
  run(x, out, n, direction);
}
void transform(const double* x, double* out, int64_t n, Direction direction) {
  run(x, out, n, direction);
}
void transform_real(const float* x, float* out, int64_t n) { run_real(x, out, n); }
void transform_real(const double* x, double* out, int64_t n) { run_real(x, out, n); }
void inverse_real(const float* x, float* out, int64_t n) { invert_real(x, out, n); }
void inverse_real(const double* x, double* out, int64_t n) { invert_real(x, out, n); }

}  // namespace frit::fourier
