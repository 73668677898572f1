// Weights of convolutions in the order of their chains.
#pragma once

#include "src/contraction/convolution.h"
#include "src/contraction/pack_cache.h"

namespace frit::contraction {

// For tiles: per group, panels of `width` output channels with rows in the order of the chain
// (blocks of input channels, then positions, then the block's channels). Of f32 or f64, three
// spatial dimensions.
PackedRef weight_panels(const ConvolutionArgs& args, int64_t width);

// For depthwise convolutions: one row of channels per position of the kernel.
PackedRef depthwise_rows(const ConvolutionArgs& args);

}  // namespace frit::contraction
