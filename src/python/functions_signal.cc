// frit.fft and what else is done with signals: windows, transforms of frames.
#include "frit/fft_ops.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

using OptionalInt = std::optional<int64_t>;
using OptionalInts = std::optional<Ints>;
using OptionalDtype = std::optional<Dtype>;
using Norm = std::optional<std::string>;

std::string norm_of(const Norm& norm) { return norm.value_or("backward"); }
fft::Lengths lengths_of(const OptionalInts& list) {
  if (!list) return std::nullopt;
  const IntArrayRef ints = *list;
  return std::vector<int64_t>(ints.begin(), ints.end());
}
TensorOptions options(OptionalDtype dtype) {
  return dtype ? TensorOptions(*dtype) : TensorOptions();
}

// Along one dimension.
template <auto function>
constexpr auto kLine = [](const Tensor& x, OptionalInt n, int64_t dim, const Norm& norm) {
  return function(x, n, dim, norm_of(norm));
};
// Along several.
template <auto function>
constexpr auto kSpace =
    [](const Tensor& x, const OptionalInts& s, const OptionalInts& dim, const Norm& norm) {
      return function(x, lengths_of(s), lengths_of(dim), norm_of(norm));
    };
template <auto function>
constexpr auto kFrequencies =
    [](int64_t n, double d, OptionalDtype dtype) { return function(n, d, options(dtype)); };
template <auto function>
constexpr auto kShift = [](const Tensor& x, const OptionalInts& dim) {
  return function(x, dim ? static_cast<IntArrayRef>(*dim) : IntArrayRef());
};
template <auto function>
constexpr auto kWindow = [](int64_t n, bool periodic, OptionalDtype dtype) {
  return function(n, periodic, options(dtype));
};
constexpr auto kHamming = [](int64_t n, bool periodic, double alpha, double beta,
                             OptionalDtype dtype) {
  return hamming_window(n, periodic, alpha, beta, options(dtype));
};
constexpr auto kKaiser = [](int64_t n, bool periodic, double beta, OptionalDtype dtype) {
  return kaiser_window(n, periodic, beta, options(dtype));
};

void refuse_complex(const char* name, std::optional<bool> complex) {
  if (complex.value_or(false))
    throw Error(ErrorKind::kNotImplemented,
                std::string(name) +
                    "(return_complex=True): complex is no dtype here: return_complex=False gives "
                    "pairs of real and imaginary parts in a last dimension of size 2");
}

constexpr auto kStft = [](const Tensor& x, int64_t n_fft, OptionalInt hop, OptionalInt length,
                          const std::optional<Tensor>& window, bool center,
                          const std::string& pad_mode, bool normalized,
                          std::optional<bool> onesided, std::optional<bool> complex) {
  refuse_complex("stft", complex);
  return stft(
      x,
      {n_fft, hop, length, window.value_or(Tensor()), center, normalized, onesided.value_or(true)},
      pad_mode);
};
constexpr auto kIstft = [](const Tensor& x, int64_t n_fft, OptionalInt hop, OptionalInt win_length,
                           const std::optional<Tensor>& window, bool center, bool normalized,
                           std::optional<bool> onesided, OptionalInt length, bool complex) {
  refuse_complex("istft", complex);
  return istft(x,
               {n_fft, hop, win_length, window.value_or(Tensor()), center, normalized,
                onesided.value_or(x.dim() < 3 || x.size(-3) != n_fft)},
               length);
};

#define FRIT_LINE(name)                                                  \
  {                                                                      \
#name, kFourier, {                                                   \
      { "input, n=None, dim=-1, norm=None", overload<kLine<fft::name>> } \
    }                                                                    \
  }
#define FRIT_SPACE(name)                                                    \
  {                                                                         \
#name, kFourier, {                                                      \
      { "input, s=None, dim=None, norm=None", overload<kSpace<fft::name>> } \
    }                                                                       \
  }
#define FRIT_PLANE(name, general)                                            \
  {                                                                          \
    name, kFourier, {                                                        \
      { "input, s=None, dim=(-2,-1), norm=None", overload<kSpace<general>> } \
    }                                                                        \
  }
#define FRIT_WINDOW(name)                                                        \
  {                                                                              \
#name, kFunction, {                                                          \
      { "window_length, periodic=True, *, ...options", overload<kWindow<name>> } \
    }                                                                            \
  }

Function table[] = {
    FRIT_LINE(fft),
    FRIT_LINE(ifft),
    FRIT_LINE(rfft),
    FRIT_LINE(irfft),
    FRIT_SPACE(fftn),
    FRIT_SPACE(ifftn),
    FRIT_SPACE(rfftn),
    FRIT_SPACE(irfftn),
    FRIT_PLANE("fft2", fft::fftn),
    FRIT_PLANE("ifft2", fft::ifftn),
    FRIT_PLANE("rfft2", fft::rfftn),
    FRIT_PLANE("irfft2", fft::irfftn),
    {"fftfreq", kFourier, {{"n, d=1.0, *, ...options", overload<kFrequencies<fft::fftfreq>>}}},
    {"rfftfreq", kFourier, {{"n, d=1.0, *, ...options", overload<kFrequencies<fft::rfftfreq>>}}},
    {"fftshift", kFourier, {{"input, dim=None", overload<kShift<fft::fftshift>>}}},
    {"ifftshift", kFourier, {{"input, dim=None", overload<kShift<fft::ifftshift>>}}},
    FRIT_WINDOW(hann_window),
    FRIT_WINDOW(blackman_window),
    FRIT_WINDOW(bartlett_window),
    {"hamming_window",
     kFunction,
     {{"window_length, periodic=True, alpha=0.54, beta=0.46, *, ...options", overload<kHamming>}}},
    {"kaiser_window",
     kFunction,
     {{"window_length, periodic=True, beta=12.0, *, ...options", overload<kKaiser>}}},
    {"stft",
     kFunction | kMethod,
     {{"input, n_fft, hop_length=None, win_length=None, window=None, center=True, "
       "pad_mode='reflect', normalized=False, onesided=None, return_complex=None",
       overload<kStft>}}},
    {"istft",
     kFunction | kMethod,
     {{"input, n_fft, hop_length=None, win_length=None, window=None, center=True, "
       "normalized=False, onesided=None, length=None, return_complex=False",
       overload<kIstft>}}},
};

}  // namespace

std::vector<Entry> signal_entries() { return entries_of<table>(); }

}  // namespace frit::python
