// Tensors of one dimension, laid along a dimension of others.
#pragma once

#include "frit/tensor.h"

namespace frit::onnx::ops {

// A value per index of dimension `axis` of `rank`, to be broadcast over the others.
Tensor along(const Tensor& values, int64_t axis, int64_t rank);

// 0, 1, 2, ... below `size`, in the same way.
Tensor places(int64_t size, int64_t axis, int64_t rank);

}  // namespace frit::onnx::ops
