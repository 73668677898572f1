// Pooling, windows and resampling of images, as free functions with PyTorch's names, arguments and
// meaning. Sizes or dtypes that do not fit are as in frit/ops.h, which includes this.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frit/tensor.h"

namespace frit {

// Pooling over the last two of 3 or 4 dimensions. An empty stride is the kernel's size.
Tensor max_pool2d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = {0}, IntArrayRef dilation = {1}, bool ceil_mode = false);
Tensor avg_pool2d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = {0}, bool ceil_mode = false, bool count_include_pad = true);
// With a divisor of its own for every window; integers are divided towards 0.
Tensor avg_pool2d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override);
// Over the last one or three dimensions.
Tensor max_pool1d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = {0}, IntArrayRef dilation = {1}, bool ceil_mode = false);
Tensor max_pool3d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = {0}, IntArrayRef dilation = {1}, bool ceil_mode = false);
Tensor avg_pool1d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = {0}, bool ceil_mode = false, bool count_include_pad = true);
Tensor avg_pool3d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride = {},
                  IntArrayRef padding = {0}, bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = std::nullopt);
// Windows of images [n, c, h, w] as columns [n, c * kernel, windows], and the sum of such columns
// where windows had them.
Tensor im2col(const Tensor& x, IntArrayRef kernel_size, IntArrayRef dilation = {1},
              IntArrayRef padding = {0}, IntArrayRef stride = {1});
Tensor col2im(const Tensor& x, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation = {1}, IntArrayRef padding = {0}, IntArrayRef stride = {1});
// The largest and their places in the flattened image, over the last `spatial` (1 to 3) dimensions.
std::pair<Tensor, Tensor> max_pool_with_indices(const Tensor& x, int64_t spatial,
                                                IntArrayRef kernel, IntArrayRef stride = {},
                                                IntArrayRef padding = {0},
                                                IntArrayRef dilation = {1}, bool ceil_mode = false);
// Zeros with x's elements at places as max_pool_with_indices gives them.
Tensor max_unpool(const Tensor& x, const Tensor& indices, IntArrayRef output_size);
// Windows that divide the image into the output's size as evenly as may be.
Tensor adaptive_avg_pool2d(const Tensor& x, IntArrayRef output_size);
Tensor adaptive_avg_pool(const Tensor& x, int64_t spatial, IntArrayRef output_size);
std::pair<Tensor, Tensor> adaptive_max_pool(const Tensor& x, int64_t spatial,
                                            IntArrayRef output_size);
// x [n, c, ...] with its last 1 to 3 dimensions at another size. mode: "nearest", "nearest-exact",
// "linear", "bilinear", "trilinear", "bicubic" or "area". A scale factor that is given decides
// where samples lie, unless it is to be recomputed from the sizes.
Tensor interpolate(const Tensor& x, std::optional<std::vector<int64_t>> size,
                   std::optional<std::vector<double>> scale_factor = std::nullopt,
                   const std::string& mode = "nearest",
                   std::optional<bool> align_corners = std::nullopt,
                   bool recompute_scale_factor = false);

// x at the places of a grid [n, ..., 2 or 3] from -1 to 1, the last dimension's first. mode:
// "bilinear", "nearest" or "bicubic"; padding_mode: "zeros", "border" or "reflection".
Tensor grid_sample(const Tensor& x, const Tensor& grid, const std::string& mode = "bilinear",
                   const std::string& padding_mode = "zeros", bool align_corners = false);
// Such a grid for an image of `size`, from matrices [n, 2, 3] or [n, 3, 4].
Tensor affine_grid(const Tensor& theta, IntArrayRef size, bool align_corners = false);

}  // namespace frit
