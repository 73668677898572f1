// The choices, each with what it was measured on (bench/contraction_bench).
#include "src/contraction/choose.h"

#include <algorithm>

namespace frit::contraction {
namespace {

constexpr int64_t kPage = 4096;

// Whether the elements of a's rows are side by side, as the tiles read them.
bool has_rows(const MatmulArgs& args) { return args.a.col == 1 || args.k <= 1; }
bool has_columns_side_by_side(const MatmulArgs& args) { return args.b.col == 1 || args.n == 1; }

// Rows a multiple of the page apart meet in one set of the cache; six of them and b evict each
// other.
bool rows_collide(const MatmulArgs& args, int element_size) {
  return args.m > 1 && args.a.row * element_size % kPage == 0 && args.n > 64;
}

int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

// Collapses the output pixels into one evenly spaced line.
bool collapse_pixels(const ConvolutionArgs& args, ProductView* view) {
  view->pixels = 1;
  for (int d = kMaxSpatial - 1; d >= 0; --d) {
    const ConvolvedDim& dim = args.dims[d];
    if (dim.out == 1) continue;
    const int64_t x_step = dim.stride * args.x.strides[d + 2], out_step = args.out.strides[d + 2];
    if (view->pixels == 1) {
      view->x_pixel = x_step;
      view->out_pixel = out_step;
    } else if (x_step != view->x_pixel * view->pixels ||
               out_step != view->out_pixel * view->pixels) {
      return false;
    }
    view->pixels *= dim.out;
  }
  return true;
}

bool has_padding(const ConvolvedDim& dim) {
  return dim.pad != 0 || (dim.out - 1) * dim.stride + (dim.kernel - 1) * dim.dilation >= dim.in;
}

}  // namespace

MatmulPlan choose_matmul(const MatmulArgs& args, const TileKernels& kernels, bool is_packed) {
  const int64_t element = kernels.element_size();
  const int64_t row_tiles = (args.m + kernels.max_rows() - 1) / kernels.max_rows();
  MatmulPlan plan;
  plan.pack_a = !has_rows(args) || rows_collide(args, kernels.element_size());
  // Copying b pays from 128 rows on (AVX2 and AVX-512 alike: 0.5 of the speed at 7 rows, 0.9 at
  // 64), and where b is in few pages never.
  const bool is_small = args.k * args.n * element <= 32768;
  plan.pack_b = !is_packed && (!has_columns_side_by_side(args) || (args.m >= 128 && !is_small));
  // A small b that can be read as it is costs less than looking it up.
  plan.use_cache =
      !is_packed && args.b_key.valid() && (!has_columns_side_by_side(args) || !is_small);
  // A panel of b of one k block is 16 to 32 KB and stays in L1 while the rows pass; rows x k of a
  // stay in L2.
  plan.k_block = 256;
  plan.row_block = 192 / kernels.max_rows() * kernels.max_rows();
  // Columns of b that are packed at once: k_block x 256 stay in L2 while the rows pass.
  plan.col_block = plan.pack_b ? 256 : args.n;
  // One row of an unpacked b: many k at once would touch as many pages; a few walk along them
  // together.
  if (!is_packed && !plan.pack_b && row_tiles == 1 && args.n > 512) plan.k_block = 16;
  plan.k_block = std::max<int64_t>(1, std::min(plan.k_block, args.k));
  plan.col_block =
      round_up(std::max<int64_t>(1, std::min(plan.col_block, args.n)), kernels.panel_width());
  return plan;
}

bool is_channels_last(int64_t channels, const int64_t* strides) {
  return channels == 1 || strides[1] == 1;
}

// The chain of a convolution is that of a matrix product when k is all channels, or all positions
// along one dimension.
ProductView product_view(const ConvolutionArgs& args) {
  ProductView view;
  const int64_t in_group = args.in_channels / args.groups;
  int long_dims = 0;
  view.k = in_group;
  view.x_k = args.x.strides[1];
  view.w_k = args.w.strides[1];
  for (int d = 0; d < kMaxSpatial; ++d) {
    if (has_padding(args.dims[d])) return view;
    if (args.dims[d].kernel == 1) continue;
    ++long_dims;
    view.k = args.dims[d].kernel;
    view.x_k = args.dims[d].dilation * args.x.strides[d + 2];
    view.w_k = args.w.strides[d + 2];
  }
  view.exists =
      (long_dims == 0 || (long_dims == 1 && in_group == 1)) && collapse_pixels(args, &view);
  return view;
}

// oneDNN's AVX2 kernels have the same bits (tests/contraction/convolution_order_test) and are no
// choice: over the 20 convolutions of a speech embedding they take 1.3 times as long as the tiles,
// over 3x3 ones of 64 to 256 channels 1.02 to 1.1 times. Only its depthwise kernels are faster
// (by 1.6), which is not worth a second set of threads and of primitives to keep.
ConvolutionPath choose_convolution(const ConvolutionArgs& args) {
  if (!is_floating_point(args.dtype)) return ConvolutionPath::kLoop;
  const bool out_last = is_channels_last(args.out_channels, args.out.strides);
  const bool is_depthwise =
      args.groups > 1 && args.groups == args.in_channels && args.groups == args.out_channels;
  if (is_depthwise) return ConvolutionPath::kDepthwise;
  const ProductView view = product_view(args);
  // The product's blocks of k keep more of the weights in cache than the tiles' single pass, and it
  // reads plain layouts as they are.
  // (An epilogue wants all groups of a pixel at once.)
  if (view.exists && out_last && (args.groups == 1 || args.epilogue.run == nullptr))
    return ConvolutionPath::kMatmul;
  if (view.exists && view.out_pixel == 1) return ConvolutionPath::kMatmulT;
  return ConvolutionPath::kTiles;
}

}  // namespace frit::contraction
