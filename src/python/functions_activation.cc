// Activations of frit.nn.functional; some of them are PyTorch's functions elsewhere too.
#include "src/python/function.h"

namespace frit::python {
namespace {

// The slope is drawn while training; else it is the middle.
constexpr auto kRrelu = [](const Tensor& x, double lower, double upper, bool training) {
  if (lower > upper)
    throw Error(ErrorKind::kRuntime, "rrelu(): the lower bound is above the upper one");
  if (training)
    throw Error(ErrorKind::kNotImplemented, "rrelu(training=True): only inference is supported");
  return leaky_relu(x, (lower + upper) / 2);
};
constexpr auto kSoftmin = [](const Tensor& x, int64_t dim, std::optional<Dtype> dtype) {
  return softmax(dtype ? to(neg(x), *dtype) : neg(x), dim);
};

Function table[] = {
    {"relu6",
     kNeural,
     {{"input, inplace=False", overload<[](const Tensor& x) { return relu6(x); }>}}},
    {"hardsigmoid",
     kNeural,
     {{"input, inplace=False", overload<[](const Tensor& x) { return hardsigmoid(x); }>}}},
    {"hardswish",
     kNeural,
     {{"input, inplace=False", overload<[](const Tensor& x) { return hardswish(x); }>}}},
    {"selu",
     kNeural,
     {{"input, inplace=False", overload<[](const Tensor& x) { return selu(x); }>}}},
    {"mish",
     kNeural,
     {{"input, inplace=False", overload<[](const Tensor& x) { return mish(x); }>}}},
    {"logsigmoid", kNeural, {{"input", overload<[](const Tensor& x) { return logsigmoid(x); }>}}},
    {"softsign", kNeural, {{"input", overload<[](const Tensor& x) { return softsign(x); }>}}},
    {"tanhshrink", kNeural, {{"input", overload<[](const Tensor& x) { return tanhshrink(x); }>}}},
    {"elu",
     kNeural,
     {{"input, alpha=1.0, inplace=False",
       overload<[](const Tensor& x, double alpha) { return elu(x, alpha); }>}}},
    {"celu",
     kNeural,
     {{"input, alpha=1.0, inplace=False",
       overload<[](const Tensor& x, double alpha) { return celu(x, alpha); }>}}},
    {"celu",
     kFunction | kInPlace,
     {{"input, alpha=1.0",
       overload<[](const Tensor& x, double alpha) { return celu(x, alpha); }>}}},
    {"softplus",
     kNeural,
     {{"input, beta=1, threshold=20", overload<[](const Tensor& x, double beta, double threshold) {
         return softplus(x, beta, threshold);
       }>}}},
    {"hardtanh",
     kNeural,
     {{"input, min_val=-1.0, max_val=1.0, inplace=False",
       overload<[](const Tensor& x, const Scalar& min, const Scalar& max) {
         return hardtanh(x, min, max);
       }>}}},
    {"threshold",
     kNeural,
     {{"input, threshold, value, inplace=False",
       overload<[](const Tensor& x, const Scalar& limit, const Scalar& value) {
         return threshold(x, limit, value);
       }>}}},
    {"threshold",
     kFunction | kInPlace,
     {{"input, threshold, value",
       overload<[](const Tensor& x, const Scalar& limit, const Scalar& value) {
         return threshold(x, limit, value);
       }>}}},
    {"hardshrink",
     kNeural | kFunction | kMethod,
     {{"input, lambd=0.5",
       overload<[](const Tensor& x, const Scalar& lambda) { return hardshrink(x, lambda); }>}}},
    {"softshrink",
     kNeural,
     {{"input, lambd=0.5",
       overload<[](const Tensor& x, const Scalar& lambda) { return softshrink(x, lambda); }>}}},
    {"prelu",
     kNeural | kFunction | kMethod,
     {{"input, weight",
       overload<[](const Tensor& x, const Tensor& weight) { return prelu(x, weight); }>}}},
    {"glu",
     kNeural,
     {{"input, dim=-1", overload<[](const Tensor& x, int64_t dim) { return glu(x, dim); }>}}},
    {"rrelu",
     kNeural,
     {{"input, lower=1/8, upper=1/3, training=False, inplace=False", overload<kRrelu>}}},
    {"softmin", kNeural, {{"input, dim, ~_stacklevel=3, dtype=None", overload<kSoftmin>}}},
};

}  // namespace

std::vector<Entry> activation_entries() { return entries_of<table>(); }

}  // namespace frit::python
