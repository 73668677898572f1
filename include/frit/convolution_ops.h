// Convolutions and their transposes, as free functions with PyTorch's names, arguments and meaning.
// Sizes or dtypes that do not fit are as in frit/ops.h, which includes this.
#pragma once

#include "frit/tensor.h"

namespace frit {

// x [n, c, length] or [c, length]; weight [out, c / groups, kernel]. padding on both sides.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              IntArrayRef stride = {1}, IntArrayRef padding = {0}, IntArrayRef dilation = {1},
              int64_t groups = 1);
// x [n, c, h, w] or [c, h, w]. The result's memory is channels_last.
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              IntArrayRef stride = {1}, IntArrayRef padding = {0}, IntArrayRef dilation = {1},
              int64_t groups = 1);
// x [n, c, d, h, w] or [c, d, h, w].
Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              IntArrayRef stride = {1}, IntArrayRef padding = {0}, IntArrayRef dilation = {1},
              int64_t groups = 1);
// Each element of x is spread over a window of the output: convolutions backwards, over the last 1,
// 2 or 3 dimensions. weight [c, out / groups, kernel...]. `padding` crops the output on both sides,
// output_padding adds to it at the end.
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                        IntArrayRef stride = {1}, IntArrayRef padding = {0},
                        IntArrayRef output_padding = {0}, int64_t groups = 1,
                        IntArrayRef dilation = {1});
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                        IntArrayRef stride = {1}, IntArrayRef padding = {0},
                        IntArrayRef output_padding = {0}, int64_t groups = 1,
                        IntArrayRef dilation = {1});
Tensor conv_transpose3d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                        IntArrayRef stride = {1}, IntArrayRef padding = {0},
                        IntArrayRef output_padding = {0}, int64_t groups = 1,
                        IntArrayRef dilation = {1});

}  // namespace frit
