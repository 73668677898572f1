// Convolutions of made-up images, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "src/contraction/convolution.h"
#include "tests/contraction/operands.h"

namespace frit::contraction {

struct ConvolutionCase {
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::vector<ConvolvedDim> dims;  // `out` is computed, with as much padding after as before
  bool x_last = true, out_last = true;
  bool bias = true;
};

inline std::string text(const ConvolutionCase& c) {
  std::string result = "batch " + std::to_string(c.batch) + " channels " +
                       std::to_string(c.in_channels) + " to " + std::to_string(c.out_channels) +
                       " groups " + std::to_string(c.groups);
  for (const ConvolvedDim& d : c.dims)
    result += " [in " + std::to_string(d.in) + " kernel " + std::to_string(d.kernel) + " stride " +
              std::to_string(d.stride) + " dilation " + std::to_string(d.dilation) + " pad " +
              std::to_string(d.pad) + "]";
  if (!c.x_last) result += " x first";
  if (!c.out_last) result += " out first";
  return result;
}

// Dense strides, channels last or first. Returns the number of elements.
inline int64_t set_strides(int64_t batch, int64_t channels, const std::vector<int64_t>& sizes,
                           bool last, int64_t* strides) {
  int64_t step = last ? channels : 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d + 2] = step;
    step *= sizes[d];
  }
  strides[1] = last ? 1 : step;
  strides[0] = last ? step : step * channels;
  return strides[0] * batch;
}

template <class T>
struct Images {
  std::vector<T> x, w, bias, out;
  ConvolutionArgs args;

  explicit Images(const ConvolutionCase& c) {
    Numbers numbers(static_cast<uint64_t>(c.in_channels * 131 + c.out_channels * 7 + c.dims[0].in));
    args.dtype = dtype_of<T>;
    args.spatial = static_cast<int>(c.dims.size());
    args.batch = c.batch;
    args.in_channels = c.in_channels;
    args.out_channels = c.out_channels;
    args.groups = c.groups;
    std::vector<int64_t> in_sizes, out_sizes, kernel;
    for (size_t d = 0; d < c.dims.size(); ++d) {
      ConvolvedDim dim = c.dims[d];
      dim.out = (dim.in + 2 * dim.pad - dim.dilation * (dim.kernel - 1) - 1) / dim.stride + 1;
      args.dims[d] = dim;
      in_sizes.push_back(dim.in);
      out_sizes.push_back(dim.out);
      kernel.push_back(dim.kernel);
    }
    x = numbers.some<T>(set_strides(c.batch, c.in_channels, in_sizes, c.x_last, args.x.strides));
    w = numbers.some<T>(
        set_strides(c.out_channels, c.in_channels / c.groups, kernel, false, args.w.strides));
    out.resize(static_cast<size_t>(
        set_strides(c.batch, c.out_channels, out_sizes, c.out_last, args.out.strides)));
    if (c.bias) bias = numbers.some<T>(c.out_channels);
  }

  std::vector<T> run(void (*convolve)(const ConvolutionArgs&)) {
    std::vector<T> result = out;
    std::fill(result.begin(), result.end(), T(77));
    args.x.data = x.data();
    args.w.data = w.data();
    args.bias = bias.empty() ? nullptr : bias.data();
    args.out.data = result.data();
    convolve(args);
    return result;
  }
};

}  // namespace frit::contraction
