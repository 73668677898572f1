// Activations, each by its formula in ONNX's operator list.
#include <cmath>

#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

Tensor soft_plus(const Tensor& x) { return maximum(x, 0) + log1p(exp(neg(abs(x)))); }

// Before opset 7 a slope per channel was one-dimensional.
Tensor slope_for(const Tensor& slope, const Tensor& x, int64_t opset) {
  if (opset >= 7 || slope.dim() != 1 || x.dim() < 2) return slope;
  std::vector<int64_t> sizes(static_cast<size_t>(x.dim()) - 1, 1);
  sizes[0] = slope.size(0);
  return slope.reshape(sizes);
}

}  // namespace

Runner bind_celu(Node& node) {
  const float alpha = node.float_or("alpha", 1);
  return [alpha](Call& call) {
    call.result(maximum(call[0], 0) + minimum(expm1(call[0] / alpha) * alpha, 0));
  };
}

Runner bind_elu(Node& node) {
  const float alpha = node.float_or("alpha", 1);
  return [alpha](Call& call) { call.result(elu(call[0], alpha)); };
}

Runner bind_hard_sigmoid(Node& node) {
  const float alpha = node.float_or("alpha", 0.2f), beta = node.float_or("beta", 0.5f);
  return [=](Call& call) {
    call.result(clamp(call[0] * alpha + beta, OptionalScalar(0), OptionalScalar(1)));
  };
}

Runner bind_hard_swish(Node&) {
  return [](Call& call) {
    const Tensor gate = clamp(call[0] / 6 + 0.5, OptionalScalar(0), OptionalScalar(1));
    call.result(call[0] * gate);
  };
}

Runner bind_leaky_relu(Node& node) {
  node.ignore("consumed_inputs");
  const float alpha = node.float_or("alpha", 0.01f);
  return [alpha](Call& call) { call.result(leaky_relu(call[0], alpha)); };
}

Runner bind_p_relu(Node& node) {
  node.ignore("consumed_inputs");
  return [opset = node.opset()](Call& call) {
    const Tensor& x = call[0];
    call.result(where(x < 0, x * slope_for(call[1], x, opset), x));
  };
}

Runner bind_selu(Node& node) {
  const float alpha = node.float_or("alpha", 1.67326319217681884765625f);
  const float gamma = node.float_or("gamma", 1.05070102214813232421875f);
  node.ignore("consumed_inputs");
  return
      [=](Call& call) { call.result(where(call[0] > 0, call[0], expm1(call[0]) * alpha) * gamma); };
}

Runner bind_shrink(Node& node) {
  const float bias = node.float_or("bias", 0), lambda = node.float_or("lambd", 0.5f);
  return [=](Call& call) {
    const Tensor& x = call[0];
    const Tensor nothing = full({}, 0, x.dtype());
    const Tensor lower = where(x > lambda, x - bias, nothing);
    call.result(where(x < -lambda, x + bias, lower).to(x.dtype()));
  };
}

Runner bind_softplus(Node&) {
  return [](Call& call) { call.result(soft_plus(call[0])); };
}

Runner bind_softsign(Node&) {
  return [](Call& call) { call.result(softsign(call[0])); };
}

Runner bind_thresholded_relu(Node& node) {
  const float alpha = node.float_or("alpha", 1);
  return [alpha](Call& call) { call.result(where(call[0] > alpha, call[0], Scalar(0.0f))); };
}

}  // namespace frit::onnx::ops
