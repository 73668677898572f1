// Discrete Fourier transforms of single lines, of any length, with bits that depend on nothing but
// the numbers.
//
//   std::vector<float> pairs(2 * n);            // real and imaginary part of each number in turn
//   fourier::transform(x, pairs.data(), n, fourier::Direction::kForward);
//
// out[k] is the sum over j of x[j] * e^(-2 pi i j k / n), or e^(+...) of the inverse; nothing is
// scaled. Time is n log n for every n, primes too. Lines are contiguous, need the alignment of an
// element only, and must not overlap.
#pragma once

#include <cstdint>

namespace frit::fourier {

enum class Direction : uint8_t { kForward, kInverse };

// n pairs to n pairs; n >= 1.
void transform(const float* x, float* out, int64_t n, Direction direction);
void transform(const double* x, double* out, int64_t n, Direction direction);

// n real numbers to the n / 2 + 1 pairs that say all of them.
void transform_real(const float* x, float* out, int64_t n);
void transform_real(const double* x, double* out, int64_t n);

// The inverse of it: n / 2 + 1 pairs to n real numbers. Imaginary parts of the first pair, and of
// the last where n is even, are not read.
void inverse_real(const float* x, float* out, int64_t n);
void inverse_real(const double* x, double* out, int64_t n);

}  // namespace frit::fourier
