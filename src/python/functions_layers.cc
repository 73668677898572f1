// Layers that are made of other functions: attention of several heads, norms across channels;
// windows as columns under the names that PyTorch's own functions have.
#include "frit/layer_ops.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

using OptionalTensor = std::optional<Tensor>;

// The tensors and flags of the layer in the order of nn.functional.multi_head_attention_forward,
// which frit/nn/functional.py calls with all of them.
constexpr auto kAttention =
    [](const Tensor& query, const Tensor& key, const Tensor& value, int64_t num_heads,
       const OptionalTensor& in_weight, const OptionalTensor& in_bias, const OptionalTensor& bias_k,
       const OptionalTensor& bias_v, bool add_zeros, const Tensor& out_weight,
       const OptionalTensor& out_bias, const OptionalTensor& padding, bool need_weights,
       const OptionalTensor& mask, const OptionalTensor& q_weight, const OptionalTensor& k_weight,
       const OptionalTensor& v_weight, bool average) -> std::vector<Tensor> {
  const auto given = [](const OptionalTensor& t) { return t.value_or(Tensor()); };
  const MultiHeadAttention layer{
      num_heads,       given(in_weight), given(in_bias), given(q_weight), given(k_weight),
      given(v_weight), given(bias_k),    given(bias_v),  add_zeros,       out_weight,
      given(out_bias), given(padding),   given(mask),    need_weights,    average};
  const auto [output, weights] = multi_head_attention(query, key, value, layer);
  if (!weights.defined()) return {output};
  return {output, weights};
};
constexpr auto kLocalResponseNorm = [](const Tensor& x, int64_t size, double alpha, double beta,
                                       double k) {
  return local_response_norm(x, size, alpha, beta, k);
};
constexpr auto kWeightNorm = [](const Tensor& v, const Tensor& g, int64_t dim) {
  return weight_norm(v, g, dim);
};
constexpr auto kIm2col = [](const Tensor& x, const Ints& kernel, const Ints& dilation,
                            const Ints& padding, const Ints& stride) {
  return im2col(x, kernel, dilation, padding, stride);
};
constexpr auto kCol2im = [](const Tensor& x, const Ints& sizes, const Ints& kernel,
                            const Ints& dilation, const Ints& padding, const Ints& stride) {
  return col2im(x, sizes, kernel, dilation, padding, stride);
};

Function table[] = {
    {"_multi_head_attention",
     kNeural,
     {{"query, key, value, num_heads, in_weight, in_bias, bias_k, bias_v, add_zeros, out_weight, "
       "out_bias, padding, need_weights, mask, q_weight, k_weight, v_weight, average",
       overload<kAttention>}}},
    {"local_response_norm",
     kNeural,
     {{"input, size, alpha=0.0001, beta=0.75, k=1.0", overload<kLocalResponseNorm>}}},
    {"_weight_norm", kFunction, {{"v, g, dim=0", overload<kWeightNorm>}}},
    {"im2col",
     kFunction,
     {{"input, kernel_size, dilation=1, padding=0, stride=1", overload<kIm2col>}}},
    {"col2im",
     kFunction,
     {{"input, output_size, kernel_size, dilation=1, padding=0, stride=1", overload<kCol2im>}}},
};

}  // namespace

std::vector<Entry> layer_entries() { return entries_of<table>(); }

}  // namespace frit::python
