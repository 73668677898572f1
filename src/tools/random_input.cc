// Draws values as f64, a block at a time, and converts them.
#include "src/tools/random_input.h"

#include <random>

#include "frit/ops.h"
#include "src/tensor/convert.h"

namespace frit::tools {

Tensor random_tensor(IntArrayRef sizes, Dtype dtype, uint32_t seed) {
  std::mt19937 random(seed);
  const TensorOptions options(dtype);
  const Tensor made = empty(sizes, options);  // refuses sizes that memory does not hold
  auto* bytes = static_cast<std::byte*>(made.data_ptr());
  const int step = byte_size(dtype);
  for (int64_t i = 0; i < made.numel(); ++i) {
    const double unit = static_cast<double>(random()) / 4294967296.0;
    const Scalar value = is_floating_point(dtype) ? Scalar(2 * unit - 1)
                         : dtype == kBool         ? Scalar(unit < 0.5)
                                                  : Scalar(static_cast<int64_t>(4 * unit));
    store_element(dtype, bytes + i * step, value);
  }
  return made.clone();  // one that the host has no pointer to
}

}  // namespace frit::tools
