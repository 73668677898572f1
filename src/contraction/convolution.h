// Convolutions in one, two or three dimensions, with bits that depend on nothing but the operands.
//
//   ConvolutionArgs args;                          // f32[1,8,32,32] with f32[16,8,3,3], padding 1
//   args.batch = 1; args.in_channels = 8; args.out_channels = 16;
//   args.dims[0] = args.dims[1] = {.in = 32, .out = 32, .kernel = 3, .pad = 1};
//   args.x = {x, {8192, 1, 256, 8}};              // channels last
//   ...
//   convolution(args);
//
// Every output is one chain of fma from +0.0: over blocks of 8 input channels of its group, within
// one over the kernel's positions in row-major order, within one over the block's channels.
// Positions in the padding are skipped, not multiplied. The bias is added after. Integers wrap.
#pragma once

#include <cstdint>

#include "frit/dtype.h"
#include "src/contraction/epilogue.h"
#include "src/contraction/pack_cache.h"

namespace frit::contraction {

inline constexpr int kMaxSpatial = 3;
inline constexpr int64_t kChannelBlock = 8;  // input channels that are summed side by side

// One spatial dimension. `pad` is the padding before it; the one after it follows from `out`.
struct ConvolvedDim {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, pad = 0;
};

// A tensor in memory. Strides in elements: batch (of a weight: output channel), channel (input
// channel), then the spatial dimensions.
template <class T>
struct Strided {
  T* data = nullptr;
  int64_t strides[2 + kMaxSpatial] = {};
};

struct ConvolutionArgs {
  Dtype dtype = kFloat32;  // f64, f32 or an integer
  int spatial = 2;         // 1 to 3 dimensions
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  ConvolvedDim dims[kMaxSpatial];
  Strided<const void> x, w;    // logical [batch, in, ...] and [out, in / groups, ...]
  Strided<void> out;           // logical [batch, out, ...]; must not overlap an operand
  const void* bias = nullptr;  // one value per output channel, side by side
  StableKey w_key;             // when valid, w may be kept in packed form under this key
  // Only with channels side by side in `out`; pixels of one row must be evenly spaced.
  Epilogue epilogue;
};

// The fast path is f32 with channels side by side in x and out (channels last); other layouts are
// converted inside, which conversions() counts.
void convolution(const ConvolutionArgs& args);

// The same by plain loops: the definition that the tests compare with. No epilogue.
void convolution_reference(const ConvolutionArgs& args);

// How many operands and results were copied to or from channels last since the process began.
int64_t conversions();

}  // namespace frit::contraction
