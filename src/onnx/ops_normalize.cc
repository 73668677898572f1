// Normalizations over channels, rows and neighbours.
#include <algorithm>
#include <limits>

#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

using Ints = std::vector<int64_t>;

// The scale must have the normalized dimensions' sizes; ONNX also lets it broadcast to them.
Tensor normalize_layer(const Call& call, IntArrayRef normalized, float epsilon) {
  const Tensor& x = call[0];
  const bool affine = call.has(2) && call[1].sizes() == normalized && call[2].sizes() == normalized;
  if (affine) return layer_norm(x, normalized, call[1], call[2], epsilon);
  const Tensor scaled = layer_norm(x, normalized, {}, {}, epsilon) * call[1];
  return call.has(2) ? scaled + call[2] : scaled;
}

void layer_normalization(Call& call, int64_t axis, float epsilon, bool wants_statistics) {
  const Tensor& x = call[0];
  axis = wrap_axis(axis, x.dim());
  call.result(
      normalize_layer(call, IntArrayRef(x.sizes().subspan(static_cast<size_t>(axis))), epsilon));
  if (!wants_statistics) return;
  Ints dims;
  for (int64_t d = axis; d < x.dim(); ++d) dims.push_back(d);
  const Tensor wide = x.to(kFloat32);
  call.result(mean(wide, dims, true), 1);
  call.result(rsqrt(var(wide, dims, 0, true) + epsilon), 2);
}

struct Neighbours {
  int64_t size;  // channels in a window, itself among them
  float alpha, beta, bias;
};

// x / (bias + alpha / size * the squares of neighbouring channels) ^ beta
Tensor normalize_local_response(const Tensor& x, const Neighbours& n) {
  const int64_t channels = x.size(1);
  const int64_t before = std::min((n.size - 1) / 2, channels);  // farther ones are not there
  const int64_t after = std::min(n.size / 2, channels);
  Ints pads(static_cast<size_t>(x.dim() - 2) * 2, 0);
  pads.insert(pads.end(), {before, after});
  const Tensor squares = pad(x * x, pads);
  Tensor total = squares.narrow(1, 0, channels);
  for (int64_t i = 1; i <= before + after; ++i) total = total + squares.narrow(1, i, channels);
  return x / pow(total * (n.alpha / static_cast<float>(n.size)) + n.bias, n.beta);
}

}  // namespace

Runner bind_batch_normalization(Node& node) {
  const float epsilon = node.float_or("epsilon", 1e-5f);
  for (const char* name : {"momentum", "is_test", "consumed_inputs"}) node.ignore(name);
  if (node.int_or("training_mode", 0) != 0) node.fail_unsupported("training mode");
  if (node.int_or("spatial", 1) != 1) node.fail_unsupported("spatial=0");
  return [epsilon](Call& call) {
    call.result(batch_norm(call[0], call[1], call[2], call[3], call[4], epsilon));
  };
}

Runner bind_instance_normalization(Node& node) {
  const float epsilon = node.float_or("epsilon", 1e-5f);
  node.ignore("consumed_inputs");
  return [epsilon](Call& call) {
    const Tensor& x = call[0];
    wrap_axis(1, x.dim());
    call.result(group_norm(x, x.size(1), call[1], call[2], epsilon));
  };
}

Runner bind_layer_normalization(Node& node) {
  const int64_t axis = node.int_or("axis", -1);
  const float epsilon = node.float_or("epsilon", 1e-5f);
  if (node.int_or("stash_type", 1) != 1) node.fail_unsupported("stash_type");
  const bool wants_statistics = node.has_output(1) || node.has_output(2);
  return [=](Call& call) { layer_normalization(call, axis, epsilon, wants_statistics); };
}

Runner bind_lrn(Node& node) {
  const Neighbours n{node.required_int("size"), node.float_or("alpha", 1e-4f),
                     node.float_or("beta", 0.75f), node.float_or("bias", 1)};
  if (n.size < 1 || n.size > std::numeric_limits<int32_t>::max())
    node.fail("size is " + std::to_string(n.size));
  return [n](Call& call) {
    wrap_axis(1, call[0].dim());
    call.result(normalize_local_response(call[0], n));
  };
}

Runner bind_mean_variance_normalization(Node& node) {
  const Ints axes = node.ints_or("axes", {0, 2, 3});
  return [axes](Call& call) {
    const Tensor& x = call[0];
    call.result((x - mean(x, axes, true)) / (std(x, axes, 0, true) + 1e-9));
  };
}

}  // namespace frit::onnx::ops
