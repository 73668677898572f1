// Matrix products.
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

// 1 as an integer, so that integer matrices may be multiplied.
Scalar factor(float value) { return value == 1.0f ? Scalar(1) : Scalar(value); }

Tensor flipped(const Tensor& matrix, bool flip) { return flip ? matrix.t() : matrix; }

}  // namespace

Runner bind_mat_mul(Node&) {
  return [](Call& call) { call.result(matmul(call[0], call[1])); };
}

Runner bind_gemm(Node& node) {
  const Scalar alpha = factor(node.float_or("alpha", 1)), beta = factor(node.float_or("beta", 1));
  const bool flip_a = node.int_or("transA", 0) != 0, flip_b = node.int_or("transB", 0) != 0;
  node.ignore("broadcast");  // before opset 7; the bias broadcasts anyway
  return [=](Call& call) {
    const Tensor a = flipped(call[0], flip_a), b = flipped(call[1], flip_b);
    if (call.has(2)) return call.result(addmm(call[2], a, b, beta, alpha));
    const Tensor product = mm(a, b);
    call.result(alpha.identical(1) ? product : product * alpha);
  };
}

}  // namespace frit::onnx::ops
