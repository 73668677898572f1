// Pooling over two spatial dimensions, channels last or first.
//
// max: folds maximum(acc, x) from -infinity (of integers: the lowest value) in row-major order, so
// a NaN wins; padding takes no part. average: the sum in row-major order from +0.0, divided by the
// count. Windows may reach beyond the padding (ceil mode); those elements take no part and do not
// count.
#pragma once

#include <cstdint>

#include "frit/dtype.h"

namespace frit::contraction {

struct PooledDim {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, pad = 0;
};

struct PoolArgs {
  Dtype dtype = kFloat32;  // max: f64, f32 or an integer; average: f64 or f32
  int64_t batch = 1, channels = 1;
  PooledDim height, width;
  // Strides in elements: batch, channel, height, width.
  const void* x = nullptr;
  int64_t x_strides[4] = {};
  void* out = nullptr;
  int64_t out_strides[4] = {};
  // What an average divides by: 0 for the number of elements of the window, its padding counted if
  // `count_include_pad`; else this.
  bool count_include_pad = true;
  int64_t divisor = 0;
};

void max_pool2d(const PoolArgs& args);
void avg_pool2d(const PoolArgs& args);

}  // namespace frit::contraction
