// Public layers that are made of other ops: attention of several heads, norms across channels.
#include <cmath>

#include "frit/image_ops.h"
#include "frit/layer_ops.h"
#include "src/eager/api.h"

namespace frit {

using api::text;

namespace {

[[noreturn]] void fail_attention(const Tensor& x, const std::string& problem) {
  api::fail(ErrorKind::kRuntime, "multi_head_attention", x, problem);
}

struct Projected {
  Tensor q, k, v;  // [length, batch, width]
};

Projected project(const Tensor& query, const Tensor& key, const Tensor& value,
                  const MultiHeadAttention& layer) {
  const int64_t width = query.size(2);
  const auto rows = [&](const Tensor& t, int64_t i) {
    return t.defined() ? narrow(t, 0, i * width, width) : t;
  };
  const bool together = layer.in_weight.defined();
  const auto weight = [&](const Tensor& own, int64_t i) {
    return together ? rows(layer.in_weight, i) : api::checked("multi_head_attention", own);
  };
  return {linear(query, weight(layer.q_weight, 0), rows(layer.in_bias, 0)),
          linear(key, weight(layer.k_weight, 1), rows(layer.in_bias, 1)),
          linear(value, weight(layer.v_weight, 2), rows(layer.in_bias, 2))};
}

// What is added to the scores, undefined where nothing is: -inf where a mask says true.
Tensor as_added(const Tensor& mask, Dtype dtype) {
  if (!mask.defined() || mask.is_floating_point()) return mask;
  const DefaultDeviceScope beside(mask.device());
  return masked_fill(zeros(mask.sizes(), dtype), mask, -INFINITY);
}

// Both masks [batch, heads or 1, queries or 1, keys], with `more` keys that all see.
Tensor mask_of(const MultiHeadAttention& layer, int64_t batch, int64_t more, Dtype dtype) {
  const auto longer = [&](const Tensor& t) { return more == 0 ? t : pad(t, {0, more}); };
  Tensor mask = as_added(layer.mask, dtype), padding = as_added(layer.key_padding_mask, dtype);
  if (mask.defined()) {
    mask = longer(mask);
    mask = mask.dim() == 2 ? reshape(mask, {1, 1, mask.size(0), mask.size(1)})
                           : reshape(mask, {batch, -1, mask.size(1), mask.size(2)});
  }
  if (!padding.defined()) return mask;
  padding = longer(padding);
  padding = reshape(padding, {batch, 1, 1, padding.size(-1)});
  return mask.defined() ? add(mask, padding) : padding;
}

// [length, batch, width] to [batch, heads, length, width / heads].
Tensor split_heads(const Tensor& x, int64_t heads) {
  return permute(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), {1, 2, 0, 3});
}

// One more key and value of the layer's own, and one of zeros. Returns how many.
int64_t lengthen(Projected* p, const MultiHeadAttention& layer) {
  int64_t more = 0;
  const int64_t batch = p->k.size(1), width = p->k.size(2);
  if (layer.extra_key.defined()) {
    p->k = cat({p->k, expand(layer.extra_key, {1, batch, width})}, 0);
    p->v = cat({p->v, expand(layer.extra_value, {1, batch, width})}, 0);
    ++more;
  }
  if (!layer.add_zeros) return more;
  const DefaultDeviceScope beside(p->k.device());
  const Tensor nothing = zeros({1, batch, width}, p->k.dtype());
  p->k = cat({p->k, nothing}, 0), p->v = cat({p->v, nothing}, 0);
  return more + 1;
}

std::pair<Tensor, Tensor> attend(const Projected& p, const MultiHeadAttention& layer,
                                 const Tensor& mask) {
  const Tensor q = split_heads(p.q, layer.num_heads), k = split_heads(p.k, layer.num_heads),
               v = split_heads(p.v, layer.num_heads);
  if (!layer.need_weights) return {scaled_dot_product_attention(q, k, v, mask), {}};
  const Tensor scaled = mul(q, std::sqrt(1 / static_cast<double>(q.size(-1))));
  Tensor scores = matmul(scaled, transpose(k, -2, -1));
  if (mask.defined()) scores = add(scores, mask);
  const Tensor weights = softmax(scores, -1);
  return {matmul(weights, v), layer.average_weights ? mean(weights, {1}) : weights};
}

}  // namespace

std::pair<Tensor, Tensor> multi_head_attention(const Tensor& query, const Tensor& key,
                                               const Tensor& value,
                                               const MultiHeadAttention& layer) {
  if (api::checked("multi_head_attention", query).dim() == 2) {
    MultiHeadAttention one = layer;
    if (layer.key_padding_mask.defined())
      one.key_padding_mask = unsqueeze(layer.key_padding_mask, 0);
    const auto [output, weights] =
        multi_head_attention(unsqueeze(query, 1), unsqueeze(key, 1), unsqueeze(value, 1), one);
    return {squeeze(output, 1), weights.defined() ? squeeze(weights, 0) : weights};
  }
  if (query.dim() != 3 || key.dim() != 3 || value.dim() != 3)
    fail_attention(query, "expected queries, keys and values of 2 or 3 dimensions");
  const int64_t width = query.size(2), batch = query.size(1);
  if (layer.num_heads < 1 || width % layer.num_heads != 0)
    fail_attention(query, text("the width is not divisible by ", layer.num_heads, " heads"));
  Projected p = project(query, key, value, layer);
  const int64_t more = lengthen(&p, layer);
  const auto [heads, weights] = attend(p, layer, mask_of(layer, batch, more, query.dtype()));
  const Tensor joined = reshape(permute(heads, {2, 0, 1, 3}), {query.size(0), batch, width});
  return {linear(joined, layer.out_weight, layer.out_bias), weights};
}

Tensor local_response_norm(const Tensor& x, int64_t size, double alpha, double beta, double k) {
  if (api::checked("local_response_norm", x).dim() < 3)
    api::fail(ErrorKind::kValue, "local_response_norm", x,
              text("expected at least 3 dimensions, got ", x.dim()));
  if (x.numel() == 0) return x;
  const int64_t channels = x.size(1), rest = x.numel() / (x.size(0) * channels);
  const Tensor squares = reshape(square(x), {x.size(0), channels, rest});
  const Tensor padded = pad(squares, {0, 0, size / 2, (size - 1) / 2});
  const Tensor means = avg_pool2d(padded, {size, 1}, {1});
  const Tensor scale = pow(add(mul(means, alpha), k), beta);
  return div(x, reshape(scale, x.sizes()));
}

Tensor weight_norm(const Tensor& v, const Tensor& g, int64_t dim) {
  api::checked("weight_norm", v);
  std::vector<int64_t> others;
  const int64_t kept = dim == -1 ? -1 : api::wrap_dim("weight_norm", v, dim);
  for (int64_t d = 0; d < v.dim(); ++d)
    if (d != kept) others.push_back(d);
  const Tensor length = dim == -1 ? norm(v) : others.empty() ? abs(v) : norm(v, 2, others, true);
  return mul(v, div(api::checked("weight_norm", g), length));
}

}  // namespace frit
