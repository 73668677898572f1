// Convolutions of channels-last images by tiles or the depthwise loop.
#pragma once

#include "src/contraction/convolution.h"

namespace frit::contraction {

// Of f32 or f64 with three spatial dimensions and channels side by side in x and out.
void convolve_tiles(const ConvolutionArgs& args);
// Likewise, with one input and one output channel per group.
void convolve_depthwise(const ConvolutionArgs& args);

}  // namespace frit::contraction
