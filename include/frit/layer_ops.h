// Whole layers, as free functions with the meaning of PyTorch's.
#pragma once

#include <utility>

#include "frit/tensor.h"

namespace frit {

// The weights of multi-head attention, and what masks it. What is undefined is left out.
struct MultiHeadAttention {
  int64_t num_heads = 1;
  // [3 * width, width]: rows for queries, keys and values; or each of its own where widths differ.
  Tensor in_weight = {}, in_bias = {};
  Tensor q_weight = {}, k_weight = {}, v_weight = {};
  Tensor extra_key = {}, extra_value = {};  // [1, 1, width]: one more of each
  bool add_zeros = false;                   // and one more of zeros
  Tensor out_weight = {}, out_bias = {};
  // [batch, keys]: which keys are none; true, or -inf.
  Tensor key_padding_mask = {};
  // [queries, keys] or [batch * heads, queries, keys]: true where nothing is seen, or what is
  // added.
  Tensor mask = {};
  bool need_weights = true, average_weights = true;
};
// queries [length, batch, width] (or without a batch) to outputs of the same sizes, and the weights
// of the attention [batch, queries, keys], or for each head if they are not averaged; undefined
// unless asked for.
std::pair<Tensor, Tensor> multi_head_attention(const Tensor& query, const Tensor& key,
                                               const Tensor& value,
                                               const MultiHeadAttention& layer);

// x / (k + alpha * mean of the squares of `size` neighbouring channels)^beta; channels are
// dimension 1.
Tensor local_response_norm(const Tensor& x, int64_t size, double alpha = 1e-4, double beta = 0.75,
                           double k = 1);
// v * g / norm of v over all dimensions but `dim`; -1: over all.
Tensor weight_norm(const Tensor& v, const Tensor& g, int64_t dim = 0);

}  // namespace frit
