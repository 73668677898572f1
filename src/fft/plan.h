// Plan: what transforms of one length share: twiddles, factors, and for lengths with a large prime
// factor the longer transform that they are made of.
//
// The library is Eigen's port of kissfft. It would take its twiddles from the C library, whose
// sine differs in its last bit between processors; so they are made here.
#pragma once

#include <complex>
#include <cstdint>
#include <eigen3/unsupported/Eigen/FFT>
#include <memory>
#include <vector>

#include "src/fft/fft.h"

namespace frit::fourier {

// e^(-2 pi i k / n), rounded once.
std::complex<double> turn(int64_t k, int64_t n);

template <class T>
class Plan {
 public:
  using Complex = std::complex<T>;

  Plan(int64_t n, Direction direction);
  // Not for two threads at once.
  void run(const Complex* x, Complex* out);

  // e^(-pi i k / n), or its conjugate of the inverse, for k < n: what a real line of twice the
  // length needs. Made when first asked for.
  const Complex* half_turns();

  int64_t size() const { return n_; }
  Direction direction() const { return direction_; }

 private:
  Complex turned(int64_t k, int64_t n) const;  // turn() in this direction
  void prepare_chirp();
  void run_chirp(const Complex* x, Complex* out);

  int64_t n_;
  Direction direction_;
  Eigen::internal::kiss_cpx_fft<T> factors_;
  // Of a length with a large prime factor: the convolution with a chirp that is the same sum.
  std::unique_ptr<Plan> forward_, inverse_;
  std::vector<Complex> half_turns_, chirp_, chirp_spectrum_, work_, spectrum_;
};

extern template class Plan<float>;
extern template class Plan<double>;

// This thread's plan of that length; made where it has none.
template <class T>
Plan<T>& plan_of(int64_t n, Direction direction);

extern template Plan<float>& plan_of<float>(int64_t n, Direction direction);
extern template Plan<double>& plan_of<double>(int64_t n, Direction direction);

}  // namespace frit::fourier
