// Shapes of ones around one dimension.
#include "src/onnx/broadcast.h"

#include <vector>

#include "frit/ops.h"

namespace frit::onnx::ops {

Tensor along(const Tensor& values, int64_t axis, int64_t rank) {
  std::vector<int64_t> sizes(static_cast<size_t>(rank - axis), 1);
  sizes[0] = values.numel();
  return values.reshape(sizes);
}

Tensor places(int64_t size, int64_t axis, int64_t rank) { return along(arange(size), axis, rank); }

}  // namespace frit::onnx::ops
