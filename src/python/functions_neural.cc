// The functions of frit.nn.functional.
#include "src/python/function.h"

namespace frit::python {
namespace {

[[noreturn]] void fail_training(const char* name) {
  throw Error(ErrorKind::kNotImplemented,
              std::string(name) + "(training=True): only inference is supported");
}

// 'valid', 'same' (at stride 1) or numbers as numbers on both sides. Where the two sides of 'same'
// differ, `x` gets the last element's padding itself.
Ints resolve(const char* op, const IntsOrName& padding, const Tensor& weight, const Ints& stride,
             const Ints& dilation, Tensor* x) {
  if (padding.name.empty()) return padding.ints;
  if (padding.name == "valid") return Ints(0);
  if (padding.name != "same")
    throw Error(ErrorKind::kRuntime, std::string(op) + "(padding=" + padding.name +
                                         "): expected valid, same or numbers");
  Ints result, extra;
  bool even = true;
  for (int64_t d = 2; d < weight.dim(); ++d) {
    const int i = static_cast<int>(d - 2), last = static_cast<int>(weight.dim() - 3) - i;
    if (stride[i < stride.size() ? i : 0] != 1)
      throw Error(ErrorKind::kRuntime, std::string(op) + "(padding=same): the stride is not 1");
    const auto total = [&](int k) {
      return dilation[k < dilation.size() ? k : 0] * (weight.size(k + 2) - 1);
    };
    result.push_back(total(i) / 2);
    extra.push_back(0);
    extra.push_back(total(last) % 2);  // pad() begins with the last dimension
    even &= total(last) % 2 == 0;
  }
  if (!even) *x = pad(*x, extra);
  return result;
}

#define FRIT_CONVOLUTION(name)                                                                  \
  overload<[](const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,         \
              const Ints& stride, const IntsOrName& padding, const Ints& dilation,              \
              int64_t groups) {                                                                 \
    Tensor padded = x;                                                                          \
    const Ints pads = resolve(#name, padding, weight, stride, dilation, &padded);               \
    return frit::name(padded, weight, bias.value_or(Tensor()), stride, pads, dilation, groups); \
  }>

constexpr auto kLayerNorm = [](const Tensor& x, const Ints& shape,
                               const std::optional<Tensor>& weight,
                               const std::optional<Tensor>& bias, double eps) {
  return layer_norm(x, shape, weight.value_or(Tensor()), bias.value_or(Tensor()), eps);
};
constexpr auto kRmsNorm = [](const Tensor& x, const Ints& shape,
                             const std::optional<Tensor>& weight, std::optional<double> eps) {
  return rms_norm(x, shape, weight.value_or(Tensor()), eps);
};
constexpr auto kGroupNorm = [](const Tensor& x, int64_t groups, const std::optional<Tensor>& weight,
                               const std::optional<Tensor>& bias, double eps) {
  return group_norm(x, groups, weight.value_or(Tensor()), bias.value_or(Tensor()), eps);
};

// Without a weight or bias: ones and zeros, per channel.
Tensor normalize_batch(const Tensor& x, const Tensor& mean, const Tensor& variance,
                       const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
                       double eps) {
  return batch_norm(x, weight ? *weight : ones_like(mean), bias ? *bias : zeros_like(mean), mean,
                    variance, eps);
}
constexpr auto kBatchNormF =
    [](const Tensor& x, const std::optional<Tensor>& mean, const std::optional<Tensor>& variance,
       const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, bool training,
       std::optional<double>, double eps) {
      if (training) fail_training("batch_norm");
      if (!mean || !variance)
        throw Error(ErrorKind::kRuntime, "batch_norm(): running_mean and running_var are needed");
      return normalize_batch(x, *mean, *variance, weight, bias, eps);
    };
constexpr auto kBatchNorm = [](const Tensor& x, const std::optional<Tensor>& weight,
                               const std::optional<Tensor>& bias, const Tensor& mean,
                               const Tensor& variance, bool training, double, double eps, bool) {
  if (training) fail_training("batch_norm");
  return normalize_batch(x, mean, variance, weight, bias, eps);
};

constexpr auto kAttention = [](const Tensor& q, const Tensor& k, const Tensor& v,
                               const std::optional<Tensor>& mask, double dropout, bool causal,
                               std::optional<double> scale) {
  return scaled_dot_product_attention(q, k, v, mask.value_or(Tensor()), dropout, causal, scale);
};
constexpr auto kLinear = [](const Tensor& x, const Tensor& weight,
                            const std::optional<Tensor>& bias) {
  return linear(x, weight, bias.value_or(Tensor()));
};
constexpr auto kEmbedding = [](const Tensor& index, const Tensor& weight) {
  return embedding(weight, index);
};
constexpr auto kPad = [](const Tensor& x, const Ints& pads, const std::string& mode,
                         const std::optional<Scalar>& value) {
  return pad_border(x, pads, mode, value.value_or(0));
};
constexpr auto kSoftmax = [](const Tensor& x, int64_t dim, std::optional<Dtype> dtype) {
  return softmax(dtype ? to(x, *dtype) : x, dim);
};
constexpr auto kLogSoftmax = [](const Tensor& x, int64_t dim, std::optional<Dtype> dtype) {
  return log_softmax(dtype ? to(x, *dtype) : x, dim);
};

Function table[] = {
    {"relu",
     kNeural,
     {{"input, inplace=False", overload<[](const Tensor& x) { return relu(x); }>}}},
    {"silu",
     kNeural,
     {{"input, inplace=False", overload<[](const Tensor& x) { return silu(x); }>}}},
    {"sigmoid", kNeural, {{"input", overload<[](const Tensor& x) { return sigmoid(x); }>}}},
    {"tanh", kNeural, {{"input", overload<[](const Tensor& x) { return tanh(x); }>}}},
    {"leaky_relu",
     kNeural,
     {{"input, negative_slope=0.01, inplace=False",
       overload<[](const Tensor& x, const Scalar& slope) { return leaky_relu(x, slope); }>}}},
    {"gelu",
     kNeural,
     {{"input, *, approximate='none'",
       overload<[](const Tensor& x, const std::string& form) { return gelu(x, form); }>}}},
    {"dropout",
     kNeural,
     {{"input, p=0.5, training=True, inplace=False",
       overload<[](const Tensor& x, double p, bool training) {
         return dropout(x, p, training);
       }>}}},
    {"softmax", kNeural, {{"input, dim, ~_stacklevel=3, dtype=None", overload<kSoftmax>}}},
    {"log_softmax", kNeural, {{"input, dim, ~_stacklevel=3, dtype=None", overload<kLogSoftmax>}}},
    {"linear", kNeural, {{"input, weight, bias=None", overload<kLinear>}}},
    {"conv1d",
     kNeural | kFunction,
     {{"input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1",
       FRIT_CONVOLUTION(conv1d)}}},
    {"conv2d",
     kNeural | kFunction,
     {{"input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1",
       FRIT_CONVOLUTION(conv2d)}}},
    {"conv3d",
     kNeural | kFunction,
     {{"input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1",
       FRIT_CONVOLUTION(conv3d)}}},
    {"layer_norm",
     kNeural | kFunction,
     {{"input, normalized_shape, weight=None, bias=None, eps=1e-5, ~cudnn_enable=True",
       overload<kLayerNorm>}}},
    {"rms_norm",
     kNeural | kFunction,
     {{"input, normalized_shape, weight=None, eps=None", overload<kRmsNorm>}}},
    {"group_norm",
     kNeural | kFunction,
     {{"input, num_groups, weight=None, bias=None, eps=1e-5, ~cudnn_enabled=True",
       overload<kGroupNorm>}}},
    {"batch_norm",
     kNeural,
     {{"input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, "
       "eps=1e-5",
       overload<kBatchNormF>}}},
    {"batch_norm",
     kFunction,
     {{"input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled",
       overload<kBatchNorm>}}},
    {"scaled_dot_product_attention",
     kNeural,
     {{"query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None",
       overload<kAttention>}}},
    {"embedding",
     kNeural,
     {{"input, weight, ~padding_idx=None, ~max_norm=None, ~norm_type=2.0, "
       "~scale_grad_by_freq=False, ~sparse=False",
       overload<kEmbedding>}}},
    {"pad", kNeural, {{"input, pad, mode='constant', value=None", overload<kPad>}}},
};

}  // namespace

std::vector<Entry> neural_entries() { return entries_of<table>(); }

}  // namespace frit::python
