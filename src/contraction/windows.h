// Runs of outputs whose windows lie in the input in the same way, and blocks of pixels made of
// them.
//
// Along one dimension most windows are whole; those at the border lose positions to the padding. A
// convolution treats a run at once, and skips the lost positions (they are not multiplied).
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/function_ref.h"
#include "src/contraction/convolution.h"

namespace frit::contraction {

// Outputs [begin, end), all with the window's positions [first, last) inside the input.
struct WindowRun {
  int64_t begin, end;
  int64_t first, last;
  int64_t size() const { return end - begin; }
};

// The runs of outputs [begin, end) in order.
std::vector<WindowRun> window_runs(const ConvolvedDim& dim, int64_t begin, int64_t end);

// Evenly spaced output pixels of one image with the same window positions inside the input.
// Distances in elements; `x_offset` is where the first position inside the input lies.
struct PixelBlock {
  int64_t x_offset, out_offset;
  int64_t count, x_step, out_step;
  const WindowRun* runs[kMaxSpatial];
};

// One image's outputs with first index `depth` and second index in [begin, end), of a convolution
// with three spatial dimensions, in as few blocks as its strides allow.
struct Slab {
  int64_t batch, depth, begin, end;
};
void each_pixel_block(const ConvolutionArgs& args, const Slab& slab,
                      base::FunctionRef<void(const PixelBlock&)> fn);

}  // namespace frit::contraction
