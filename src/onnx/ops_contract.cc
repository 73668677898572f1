// Matrix products, and the normalizations that exporters put behind them.
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

// 1 as an integer, so that integer matrices may be multiplied.
Scalar factor(float value) { return value == 1.0f ? Scalar(1) : Scalar(value); }

Tensor flipped(const Tensor& matrix, bool flip) { return flip ? matrix.t() : matrix; }

// The scale must have the normalized dimensions' sizes; ONNX also lets it broadcast to them.
Tensor normalize_layer(const Call& call, int64_t axis, float epsilon) {
  const Tensor& x = call[0];
  const IntArrayRef normalized(x.sizes().subspan(static_cast<size_t>(wrap_axis(axis, x.dim()))));
  const bool affine = call.has(2) && call[1].sizes() == normalized && call[2].sizes() == normalized;
  if (affine) return layer_norm(x, normalized, call[1], call[2], epsilon);
  const Tensor scaled = layer_norm(x, normalized, {}, {}, epsilon) * call[1];
  return call.has(2) ? scaled + call[2] : scaled;
}

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

Runner bind_batch_normalization(Node& node) {
  const float epsilon = node.float_or("epsilon", 1e-5f);
  for (const char* name : {"momentum", "is_test", "consumed_inputs"}) node.ignore(name);
  if (node.int_or("training_mode", 0) != 0) node.fail_unsupported("training mode");
  if (node.int_or("spatial", 1) != 1) node.fail_unsupported("spatial=0");
  return [epsilon](Call& call) {
    call.result(batch_norm(call[0], call[1], call[2], call[3], call[4], epsilon));
  };
}

Runner bind_layer_normalization(Node& node) {
  const int64_t axis = node.int_or("axis", -1);
  const float epsilon = node.float_or("epsilon", 1e-5f);
  if (node.int_or("stash_type", 1) != 1) node.fail_unsupported("stash_type");
  return [=](Call& call) { call.result(normalize_layer(call, axis, epsilon)); };
}

}  // namespace frit::onnx::ops
