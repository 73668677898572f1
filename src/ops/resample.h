// Where the samples of `interpolate` lie: for each output along a dimension, the elements that it
// is made of and their weights.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/ops/call.h"

namespace frit {

// The numbers are the attribute `mode`.
enum class Resampling : uint8_t { kNearest, kNearestExact, kLinear, kCubic };

// One dimension: `taps` entries for each output. Computed in T, as PyTorch does: f64 for f64
// tensors, else f32.
template <class T>
struct ResampledDim {
  int taps = 1;
  int64_t in = 1, out = 1;
  std::vector<int64_t> indices{0};
  std::vector<T> weights{T(1)};
};

// Of a call of interpolate: its last dimensions as three. Missing ones come first and are one
// element each.
template <class T>
struct ResampledDims {
  ResampledDim<T> dims[3];
  ResampledDims(const OpCall& call, const Layout& x);
};

extern template struct ResampledDims<float>;
extern template struct ResampledDims<double>;

}  // namespace frit
