// Chooses how a contraction is computed, from its shape and layout at run time. The bits are the
// same for every choice.
#pragma once

#include "src/contraction/convolution.h"
#include "src/contraction/matmul.h"
#include "src/contraction/tile.h"

namespace frit::contraction {

struct MatmulPlan {
  bool pack_a = false;     // copy blocks of a
  bool pack_b = false;     // copy panels of b, block by block, where it is not packed already
  bool use_cache = false;  // ask the cache for b in packed form
  int64_t row_block = 0;   // rows, columns and k of the blocks
  int64_t col_block = 0;
  int64_t k_block = 0;
};

MatmulPlan choose_matmul(const MatmulArgs& args, const TileKernels& kernels, bool is_packed);

enum class ConvolutionPath {
  kLoop,       // the plain loop
  kMatmul,     // pixels times weights
  kMatmulT,    // weights times pixels, for an output whose pixels are side by side
  kDepthwise,  // the depthwise loop on channels last
  kTiles,      // tiles on channels last
};

// `args` has three spatial dimensions.
ConvolutionPath choose_convolution(const ConvolutionArgs& args);

// How a convolution that is a matrix product walks through its operands: evenly through pixels and
// through k. Steps in elements.
struct ProductView {
  bool exists = false;
  int64_t pixels = 0, x_pixel = 0, out_pixel = 0;
  int64_t k = 0, x_k = 0, w_k = 0;
};
ProductView product_view(const ConvolutionArgs& args);

// Whether the channels of a tensor are side by side.
bool is_channels_last(int64_t channels, const int64_t* strides);

}  // namespace frit::contraction
