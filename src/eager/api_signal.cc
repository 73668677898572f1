// Public windows of signals, and transforms of the frames of a signal.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include <cmath>
#include <numbers>

#include "frit/fft_ops.h"
#include "src/eager/api.h"

namespace frit {

using api::text;

namespace {

Dtype window_dtype(std::string_view name, const TensorOptions& options) {
  const Dtype dtype = options.dtype();
  if (!is_floating_point(dtype))
    throw Error(ErrorKind::kRuntime, text(name, "(): expected a floating point dtype"));
  return dtype;
}

// `values` makes the window of positions 0, 1, 2, ... of n + 1 or n, of f32 where it is to be 16
// bits.
template <class Values>
Tensor window_of(std::string_view name, int64_t n, bool periodic, const TensorOptions& options,
                 Values values) {
  const Dtype dtype = window_dtype(name, options);
  const DefaultDeviceScope there(options.device());
  if (n < 0)
    throw Error(ErrorKind::kRuntime, text(name, "(", n, "): expected a length of at least 0"));
  if (n == 0) return empty({0}, dtype);
  if (n == 1) return ones({1}, dtype);
  const int64_t length = periodic ? n + 1 : n;
  const Tensor window = values(arange(length, dtype == kFloat64 ? kFloat64 : kFloat32), length - 1);
  return to(periodic ? contiguous(narrow(window, 0, 0, n)) : window, dtype);
}

Tensor raised_cosine(std::string_view name, int64_t n, bool periodic, double alpha, double beta,
                     const TensorOptions& options) {
  return window_of(name, n, periodic, options, [&](const Tensor& at, int64_t last) {
    const double turn = 2 * std::numbers::pi / static_cast<double>(last);
    return add(mul(cos(mul(at, turn)), -beta), alpha);
  });
}

}  // namespace

Tensor hann_window(int64_t n, bool periodic, const TensorOptions& options) {
  return raised_cosine("hann_window", n, periodic, 0.5, 0.5, options);
}
Tensor hamming_window(int64_t n, bool periodic, double alpha, double beta,
                      const TensorOptions& options) {
  return raised_cosine("hamming_window", n, periodic, alpha, beta, options);
}
Tensor blackman_window(int64_t n, bool periodic, const TensorOptions& options) {
  return window_of("blackman_window", n, periodic, options, [&](const Tensor& at, int64_t last) {
    const Tensor angle = mul(at, std::numbers::pi / static_cast<double>(last));
    const Tensor wide = mul(cos(mul(angle, 4)), 0.08), near = mul(cos(mul(angle, 2)), 0.5);
    return add(sub(wide, near), 0.42);
  });
}
Tensor bartlett_window(int64_t n, bool periodic, const TensorOptions& options) {
  return window_of("bartlett_window", n, periodic, options, [&](const Tensor& at, int64_t last) {
    const Tensor rising = mul(at, 2 / static_cast<double>(last));
    return where(gt(at, static_cast<double>(last / 2)), sub(2, rising), rising);
  });
}
Tensor kaiser_window(int64_t n, bool periodic, double beta, const TensorOptions& options) {
  return window_of("kaiser_window", n, periodic, options, [&](const Tensor& at, int64_t last) {
    const Tensor place = sub(mul(at, 2 / static_cast<double>(last)), 1);
    const Tensor height = sqrt(clamp(sub(1, mul(place, place)), OptionalScalar(0)));
    return div(i0(mul(height, beta)), i0(full({}, beta, at.dtype())));
  });
}

namespace {

struct Frames {
  int64_t n_fft, hop, bins;
  Tensor window;  // n_fft values
};

Frames frames_of(std::string_view op, const Tensor& x, const Framing& f, Dtype dtype) {
  const auto fail = [&](const std::string& problem) {
    api::fail(ErrorKind::kRuntime, op, x, problem);
  };
  const int64_t hop = f.hop_length.value_or(f.n_fft / 4), length = f.win_length.value_or(f.n_fft);
  if (f.n_fft < 1) fail(text("n_fft must be positive: ", f.n_fft));
  if (hop < 1) fail(text("hop_length must be positive: ", hop));
  if (length < 1 || length > f.n_fft)
    fail(text("win_length must be in [1, ", f.n_fft, "]: ", length));
  if (f.window.defined() && (f.window.dim() != 1 || f.window.size(0) != length))
    fail(text("the window must have ", length, " values: ", f.window.sizes()));
  Tensor window = f.window.defined() ? f.window : ones({length}, x.options().dtype(dtype));
  const int64_t before = (f.n_fft - length) / 2;
  if (length < f.n_fft) window = pad(window, {before, f.n_fft - length - before});
  return {f.n_fft, hop, f.onesided ? f.n_fft / 2 + 1 : f.n_fft, window};
}

}  // namespace

Tensor stft(const Tensor& x, const Framing& framing, const std::string& pad_mode) {
  if (!api::checked("stft", x).is_floating_point() || x.dim() < 1 || x.dim() > 2)
    api::fail(ErrorKind::kRuntime, "stft", x, "expected floats of 1 or 2 dimensions");
  if (x.dim() == 1) return squeeze(stft(unsqueeze(x, 0), framing, pad_mode), 0);
  const Frames f = frames_of("stft", x, framing, x.dtype());
  Tensor signal = x;
  if (framing.center) {
    const int64_t half = f.n_fft / 2;
    signal = squeeze(pad_border(unsqueeze(x, 1), {half, half}, pad_mode), 1);
  }
  if (f.n_fft > signal.size(1))
    api::fail(ErrorKind::kRuntime, "stft", x,
              text("n_fft must not be longer than the signal: ", f.n_fft));
  Tensor frames = unfold(signal, 1, f.n_fft, f.hop);  // [batch, frames, n_fft]
  if (framing.window.defined() || framing.win_length) frames = mul(frames, f.window);
  const std::string norm = framing.normalized ? "ortho" : "backward";
  Tensor spectra;
  if (framing.onesided) {
    spectra = fft::rfft(frames, std::nullopt, -1, norm);
  } else {
    spectra = fft::fft(stack({frames, mul(frames, 0)}, -1), std::nullopt, -1, norm);
  }
  return transpose(spectra, 1, 2);
}

namespace {

// Frames [batch, frames, n] laid over each other at steps of `hop`.
Tensor overlapped(const Tensor& frames, int64_t hop) {
  const int64_t count = frames.size(1), n = frames.size(2), length = n + hop * (count - 1);
  const DefaultDeviceScope beside(frames.device());
  const Tensor starts = mul(arange(count), hop);
  const Tensor index = reshape(add(unsqueeze(starts, 1), arange(n)), {-1});
  return index_add(zeros({frames.size(0), length}, frames.dtype()), 1, index,
                   reshape(frames, {frames.size(0), count * n}));
}

}  // namespace

Tensor istft(const Tensor& x, const Framing& framing, std::optional<int64_t> length) {
  if (!api::checked("istft", x).is_floating_point() || x.dim() < 3 || x.dim() > 4 ||
      x.size(-1) != 2 || x.numel() == 0)
    api::fail(ErrorKind::kRuntime, "istft", x,
              "expected pairs [frequencies, frames, 2] or [batch, frequencies, frames, 2]");
  if (x.dim() == 3) return squeeze(istft(unsqueeze(x, 0), framing, length), 0);
  const Frames f = frames_of("istft", x, framing, x.dtype());
  if (x.size(1) != f.bins)
    api::fail(ErrorKind::kRuntime, "istft", x, text("expected ", f.bins, " frequencies"));
  const std::string norm = framing.normalized ? "ortho" : "backward";
  const Tensor spectra = transpose(x, 1, 2);
  // Of a real signal the upper half says nothing more; PyTorch does not look at it.
  const Tensor frames = fft::irfft(narrow(spectra, 2, 0, f.n_fft / 2 + 1), f.n_fft, -1, norm);
  const Tensor signal = overlapped(mul(frames, f.window), f.hop);
  const Tensor weights =
      expand(reshape(square(f.window), {1, 1, f.n_fft}), {1, frames.size(1), f.n_fft});
  const Tensor envelope = overlapped(weights, f.hop);
  const int64_t total = signal.size(1), start = framing.center ? f.n_fft / 2 : 0;
  const int64_t end = length ? start + *length : framing.center ? total - f.n_fft / 2 : total;
  const int64_t kept = std::max<int64_t>(std::min(end, total) - start, 0);
  const Tensor share = narrow(envelope, 1, start, kept);
  if (kept == 0 || amin(abs(share)).item<double>() <= 1e-11)
    api::fail(ErrorKind::kRuntime, "istft", x, "the windows leave a gap between frames");
  const Tensor result = div(narrow(signal, 1, start, kept), share);
  return end > total ? pad(result, {0, end - total}) : result;
}

}  // namespace frit
