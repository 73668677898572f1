// The convolution as its definition reads, one output at a time; and what else has no faster loop.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "src/base/check.h"
#include "src/base/thread_pool.h"
#include "src/contraction/convolution.h"

namespace frit::contraction {
namespace {

template <class T>
T multiply_add(T a, T b, T sum) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fma(a, b, sum);
  } else {
    using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(sum));
  }
}

// Positions of one output: along each dimension where the window starts in the input, which may be
// before it.
struct Window {
  int64_t start[kMaxSpatial];
};

template <class T>
T chain_of_block(const ConvolutionArgs& args, const T* x, const T* w, const Window& at,
                 int64_t channels, T sum) {
  const ConvolvedDim &d0 = args.dims[0], &d1 = args.dims[1], &d2 = args.dims[2];
  const int64_t *xs = args.x.strides, *ws = args.w.strides;
  for (int64_t k0 = 0; k0 < d0.kernel; ++k0)
    for (int64_t k1 = 0; k1 < d1.kernel; ++k1)
      for (int64_t k2 = 0; k2 < d2.kernel; ++k2) {
        const int64_t i0 = at.start[0] + k0 * d0.dilation, i1 = at.start[1] + k1 * d1.dilation,
                      i2 = at.start[2] + k2 * d2.dilation;
        if (i0 < 0 || i0 >= d0.in || i1 < 0 || i1 >= d1.in || i2 < 0 || i2 >= d2.in) continue;
        const T* input = x + i0 * xs[2] + i1 * xs[3] + i2 * xs[4];
        const T* weight = w + k0 * ws[2] + k1 * ws[3] + k2 * ws[4];
        for (int64_t c = 0; c < channels; ++c)
          sum = multiply_add(input[c * xs[1]], weight[c * ws[1]], sum);
      }
  return sum;
}

template <class T>
T output(const ConvolutionArgs& args, int64_t batch, int64_t channel, const Window& at) {
  const int64_t in_group = args.in_channels / args.groups;
  const int64_t first = channel / (args.out_channels / args.groups) * in_group;
  const T* x =
      static_cast<const T*>(args.x.data) + batch * args.x.strides[0] + first * args.x.strides[1];
  const T* w = static_cast<const T*>(args.w.data) + channel * args.w.strides[0];
  T sum = T(0);
  for (int64_t c = 0; c < in_group; c += kChannelBlock)
    sum = chain_of_block(args, x + c * args.x.strides[1], w + c * args.w.strides[1], at,
                         std::min(kChannelBlock, in_group - c), sum);
  if (args.bias == nullptr) return sum;
  const T bias = static_cast<const T*>(args.bias)[channel];
  if constexpr (std::is_floating_point_v<T>)
    return sum + bias;
  else
    return multiply_add(T(1), bias, sum);
}

template <class T>
void convolve(const ConvolutionArgs& args) {
  const ConvolvedDim &d0 = args.dims[0], &d1 = args.dims[1], &d2 = args.dims[2];
  const int64_t* os = args.out.strides;
  base::parallel_for(args.batch * args.out_channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / args.out_channels, channel = i % args.out_channels;
      T* out = static_cast<T*>(args.out.data) + batch * os[0] + channel * os[1];
      for (int64_t o0 = 0; o0 < d0.out; ++o0)
        for (int64_t o1 = 0; o1 < d1.out; ++o1)
          for (int64_t o2 = 0; o2 < d2.out; ++o2)
            out[o0 * os[2] + o1 * os[3] + o2 * os[4]] = output<T>(
                args, batch, channel,
                {{o0 * d0.stride - d0.pad, o1 * d1.stride - d1.pad, o2 * d2.stride - d2.pad}});
    }
  });
}

}  // namespace

void convolution_reference(const ConvolutionArgs& args) {
  switch (args.dtype) {
    case Dtype::kF64:
      return convolve<double>(args);
    case Dtype::kF32:
      return convolve<float>(args);
    case Dtype::kI64:
      return convolve<int64_t>(args);
    case Dtype::kI32:
      return convolve<int32_t>(args);
    case Dtype::kI16:
      return convolve<int16_t>(args);
    case Dtype::kI8:
      return convolve<int8_t>(args);
    case Dtype::kU8:
      return convolve<uint8_t>(args);
    case Dtype::kBool:
    case Dtype::kF16:
    case Dtype::kBF16:
      FRIT_CHECK(false) << "no convolution of " << name(args.dtype);
  }
}

}  // namespace frit::contraction
