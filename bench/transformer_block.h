// A transformer block of four heads: attention and a two-layer perceptron behind layer norms, each
// with its residual.
#pragma once

#include "frit/frit.h"

namespace frit::bench {

struct TransformerBlock {
  static constexpr int64_t kHeads = 4;

  explicit TransformerBlock(int64_t w) : width(w) {}

  // x: [length, width].
  Tensor operator()(const Tensor& x) const {
    const Tensor h = x + attend(layer_norm(x, {width}, scale, shift));
    return h + linear(gelu(linear(layer_norm(h, {width}, scale, shift), up)), down);
  }
  Tensor attend(const Tensor& x) const {
    const int64_t length = x.size(0);
    std::vector<Tensor> parts;  // query, key, value: [heads, length, width / heads]
    for (const Tensor& part : chunk(linear(x, in), 3, -1))
      parts.push_back(part.reshape({length, kHeads, width / kHeads}).transpose(0, 1));
    const Tensor mixed = scaled_dot_product_attention(parts[0], parts[1], parts[2]);
    return linear(mixed.transpose(0, 1).reshape({length, width}), out);
  }

  int64_t width;
  Tensor scale = ones({width}), shift = zeros({width});
  Tensor in = full({3 * width, width}, 0.01), out = full({width, width}, 0.02);
  Tensor up = full({4 * width, width}, 0.03), down = full({width, 4 * width}, 0.04);
};

}  // namespace frit::bench
