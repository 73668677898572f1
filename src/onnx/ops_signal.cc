// Windows of signals: sums of cosines.
#include <initializer_list>
#include <numbers>

#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

// Cosines of 0, 1, 2, ... turns over the window, with these factors. A window that is not periodic
// ends where it began.
Runner window(Node& node, std::initializer_list<double> factors) {
  const Dtype dtype = node.dtype_or("output_datatype", kFloat32);
  const bool periodic = node.int_or("periodic", 1) != 0;
  return [=, factors = std::vector<double>(factors)](Call& call) {
    const int64_t size = call[0].reshape({}).to(kInt64).item<int64_t>();
    const double turn = 2 * std::numbers::pi / static_cast<double>(periodic ? size : size - 1);
    const Tensor angle = arange(size, kFloat64) * turn;
    Tensor result = full({size}, factors[0], kFloat64);
    for (size_t i = 1; i < factors.size(); ++i)
      result = result + cos(angle * static_cast<double>(i)) * factors[i];
    call.result(result.to(dtype));
  };
}

}  // namespace

Runner bind_blackman_window(Node& node) { return window(node, {0.42, -0.5, 0.08}); }
Runner bind_hamming_window(Node& node) { return window(node, {25.0 / 46, -21.0 / 46}); }
Runner bind_hann_window(Node& node) { return window(node, {0.5, -0.5}); }

}  // namespace frit::onnx::ops
