// Fourier transforms and windows of signals, as free functions with PyTorch's names and meaning.
//
//   Tensor spectrum = frit::fft::rfft(signal);             // [..., n / 2 + 1, 2]
//   Tensor power = spectrum.square().sum(-1);
//
// Complex is no dtype: a complex number is a pair in a last dimension of size 2, real part first,
// as PyTorch's view_as_real shows it. What takes or gives pairs does so by that form, and
// dimensions are counted without the pair's: dim = -1 is the last dimension of numbers. f32 and
// f64; integers become f32. The norm is "backward" (the inverse divides by n), "forward" (the other
// one does) or "ortho" (both, by its root). n crops the dimension or fills it with zeros first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frit/tensor.h"

namespace frit {

namespace fft {

using Length = std::optional<int64_t>;
// The lengths and dimensions of a transform of several dimensions; without dimensions all, or as
// many of the last ones as there are lengths.
using Lengths = std::optional<std::vector<int64_t>>;

// Pairs to pairs.
Tensor fft(const Tensor& x, Length n = {}, int64_t dim = -1, const std::string& norm = "backward");
Tensor ifft(const Tensor& x, Length n = {}, int64_t dim = -1, const std::string& norm = "backward");
Tensor fftn(const Tensor& x, const Lengths& s = {}, const Lengths& dim = {},
            const std::string& norm = "backward");
Tensor ifftn(const Tensor& x, const Lengths& s = {}, const Lengths& dim = {},
             const std::string& norm = "backward");
// Real numbers to the n / 2 + 1 pairs of the last of the dimensions that say all of them.
Tensor rfft(const Tensor& x, Length n = {}, int64_t dim = -1, const std::string& norm = "backward");
Tensor rfftn(const Tensor& x, const Lengths& s = {}, const Lengths& dim = {},
             const std::string& norm = "backward");
// Such pairs to n real numbers; n is even unless it is given.
Tensor irfft(const Tensor& x, Length n = {}, int64_t dim = -1,
             const std::string& norm = "backward");
Tensor irfftn(const Tensor& x, const Lengths& s = {}, const Lengths& dim = {},
              const std::string& norm = "backward");

// The frequencies of the pairs, in turns per step of `d`.
Tensor fftfreq(int64_t n, double d = 1, const TensorOptions& options = {});
Tensor rfftfreq(int64_t n, double d = 1, const TensorOptions& options = {});
// Brings frequency 0 to the middle, and back. Dimensions are the tensor's own, pairs' too; none:
// all.
Tensor fftshift(const Tensor& x, IntArrayRef dim = {});
Tensor ifftshift(const Tensor& x, IntArrayRef dim = {});

}  // namespace fft

// Windows of n values; periodic ones are those of n + 1 without the last.
Tensor hann_window(int64_t n, bool periodic = true, const TensorOptions& options = {});
Tensor hamming_window(int64_t n, bool periodic = true, double alpha = 0.54, double beta = 0.46,
                      const TensorOptions& options = {});
Tensor blackman_window(int64_t n, bool periodic = true, const TensorOptions& options = {});
Tensor bartlett_window(int64_t n, bool periodic = true, const TensorOptions& options = {});
Tensor kaiser_window(int64_t n, bool periodic = true, double beta = 12,
                     const TensorOptions& options = {});

// How a signal is cut into frames.
struct Framing {
  int64_t n_fft = 0;
  std::optional<int64_t> hop_length;  // n_fft / 4
  std::optional<int64_t> win_length;  // n_fft
  Tensor window = {};                 // ones
  bool center = true;
  bool normalized = false;
  bool onesided = true;
};
// The transforms of the frames of x [n] or [batch, n]: pairs [..., frequencies, frames, 2].
Tensor stft(const Tensor& x, const Framing& framing, const std::string& pad_mode = "reflect");
// The signal whose frames have these transforms. Waits for the window's values.
Tensor istft(const Tensor& x, const Framing& framing, std::optional<int64_t> length = {});

}  // namespace frit
