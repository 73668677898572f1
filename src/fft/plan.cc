// Plans: twiddles in one written way, Bluestein's sum for large primes, and the plans that a thread
// keeps.
#include "src/fft/plan.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <numbers>

namespace frit::fourier {
namespace {

// Beyond this a prime factor costs more than three transforms of a few times the length.
constexpr int64_t kLargestFactor = 50;
constexpr size_t kMaxPlans = 16;       // that a thread keeps of a type
constexpr int64_t kMaxKept = 1 << 18;  // longer plans are made anew

int64_t largest_prime_factor(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

// A length of at least `n` that has small factors only.
int64_t smooth_length(int64_t n) {
  int64_t best = 1;
  while (best < n) best *= 2;
  for (int64_t fives = 1; fives < best; fives *= 5)
    for (int64_t threes = fives; threes < best; threes *= 3) {
      int64_t length = threes;
      while (length < n) length *= 2;
      best = std::min(best, length);
    }
  return best;
}

}  // namespace

// The x87's sine is one written sequence, on every processor the same. The angle is brought into
// the first eighth of a turn, where it is exact to the last bit and mirrored values are equal.
std::complex<double> turn(int64_t k, int64_t n) {
  const int64_t eighths = k * 8 / n;  // 0 to 7
  const int64_t quarter = (eighths + 1) / 2;
  const int64_t rest = 4 * k - quarter * n;  // of 4 n parts of a turn, in [-n / 2, n / 2]
  const long double angle = 2 * std::numbers::pi_v<long double> *
                            static_cast<long double>(std::abs(rest)) /
                            (4 * static_cast<long double>(n));
  const double c = static_cast<double>(std::cos(angle));
  const double s = std::copysign(static_cast<double>(std::sin(angle)), static_cast<double>(rest));
  switch (quarter % 4) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

template <class T>
std::complex<T> Plan<T>::turned(int64_t k, int64_t n) const {
  const std::complex<double> t = turn(k, n);
  return {static_cast<T>(t.real()),
          static_cast<T>(direction_ == Direction::kInverse ? -t.imag() : t.imag())};
}

template <class T>
const std::complex<T>* Plan<T>::half_turns() {
  if (half_turns_.empty())
    for (int64_t k = 0; k < n_; ++k) half_turns_.push_back(turned(k, 2 * n_));
  return half_turns_.data();
}

template <class T>
Plan<T>::Plan(int64_t n, Direction direction) : n_(n), direction_(direction) {
  if (largest_prime_factor(n) > kLargestFactor) {
    prepare_chirp();
    return;
  }
  factors_.factorize(static_cast<int>(n));
  factors_.m_inverse = direction == Direction::kInverse;
  factors_.m_twiddles.reserve(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) factors_.m_twiddles.push_back(turned(k, n));
}

template <class T>
void Plan<T>::run(const Complex* x, Complex* out) {
  if (forward_ != nullptr) return run_chirp(x, out);
  if (n_ == 1) {  // which the library has no step for
    out[0] = x[0];
    return;
  }
  factors_.work(0, out, x, 1, 1);
}

// Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2, so that the sum is a convolution of x times a chirp
// with that chirp's conjugate, which transforms of a smooth length compute.
template <class T>
void Plan<T>::prepare_chirp() {
  const int64_t length = smooth_length(2 * n_ - 1);
  forward_ = std::make_unique<Plan>(length, Direction::kForward);
  inverse_ = std::make_unique<Plan>(length, Direction::kInverse);
  work_.resize(static_cast<size_t>(length));
  spectrum_.resize(static_cast<size_t>(length));
  chirp_spectrum_.resize(static_cast<size_t>(length));
  int64_t square = 0;  // k^2 modulo 2 n
  for (int64_t k = 0; k < n_; ++k) {
    chirp_.push_back(turned(square, 2 * n_));
    square = (square + 2 * k + 1) % (2 * n_);
  }
  std::vector<Complex> mirrored(static_cast<size_t>(length));
  for (size_t k = 0; k < chirp_.size(); ++k) {
    mirrored[k] = std::conj(chirp_[k]);
    if (k > 0) mirrored[mirrored.size() - k] = mirrored[k];
  }
  forward_->run(mirrored.data(), chirp_spectrum_.data());
  const T scale = T(1) / static_cast<T>(length);
  for (Complex& c : chirp_spectrum_) c *= scale;
}

template <class T>
void Plan<T>::run_chirp(const Complex* x, Complex* out) {
  std::fill(work_.begin(), work_.end(), Complex());
  for (size_t k = 0; k < chirp_.size(); ++k) work_[k] = x[k] * chirp_[k];
  forward_->run(work_.data(), spectrum_.data());
  for (size_t k = 0; k < work_.size(); ++k) spectrum_[k] *= chirp_spectrum_[k];
  inverse_->run(spectrum_.data(), work_.data());
  for (size_t k = 0; k < chirp_.size(); ++k) out[k] = work_[k] * chirp_[k];
}

template <class T>
Plan<T>& plan_of(int64_t n, Direction direction) {
  thread_local std::list<Plan<T>> plans;  // the last used one first
  const auto found = std::find_if(plans.begin(), plans.end(), [&](const Plan<T>& plan) {
    return plan.size() == n && plan.direction() == direction;
  });
  if (found != plans.end()) {
    plans.splice(plans.begin(), plans, found);
    return plans.front();
  }
  plans.remove_if([](const Plan<T>& plan) { return plan.size() > kMaxKept; });
  if (plans.size() == kMaxPlans) plans.pop_back();
  return plans.emplace_front(n, direction);
}

template class Plan<float>;
template class Plan<double>;
template Plan<float>& plan_of<float>(int64_t n, Direction direction);
template Plan<double>& plan_of<double>(int64_t n, Direction direction);

}  // namespace frit::fourier
