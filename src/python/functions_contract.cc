// Contractions, as the module and the tensor have them.
#include "src/python/function.h"

namespace frit::python {
namespace {

constexpr auto kAddmm = [](const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta,
                           const Scalar& alpha) {
  if (a.is_floating_point()) return addmm(bias, a, b, beta, alpha);
  // Factors of integers are cut to integers, as PyTorch does here (but not in add).
  return addmm(bias, a, b, beta.to_int(), alpha.to_int());
};

// PyTorch's function behind all convolutions; `padding` on both sides of each dimension.
constexpr auto kConvolution = [](const Tensor& x, const Tensor& weight, const Tensor& bias,
                                 const Ints& stride, const Ints& padding, const Ints& dilation,
                                 bool transposed, const Ints&, int64_t groups) {
  if (transposed)
    throw Error(ErrorKind::kNotImplemented, "convolution(transposed=True): not implemented");
  return weight.dim() == 3 ? conv1d(x, weight, bias, stride, padding, dilation, groups)
                           : conv2d(x, weight, bias, stride, padding, dilation, groups);
};

constexpr unsigned kBoth = kFunction | kMethod;

Function table[] = {
    {"matmul",
     kBoth,
     {{"input, other", overload<[](const Tensor& a, const Tensor& b) { return matmul(a, b); }>}}},
    {"mm",
     kBoth,
     {{"input, mat2", overload<[](const Tensor& a, const Tensor& b) { return mm(a, b); }>}}},
    {"bmm",
     kBoth,
     {{"input, mat2", overload<[](const Tensor& a, const Tensor& b) { return bmm(a, b); }>}}},
    {"addmm", kBoth | kInPlace, {{"input, mat1, mat2, *, beta=1, alpha=1", overload<kAddmm>}}},
    {"convolution",
     kFunction,
     {{"input, weight, bias, stride, padding, dilation, transposed, output_padding, groups",
       overload<kConvolution>}}},
};

}  // namespace

std::vector<Entry> contract_entries() { return entries_of<table>(); }

}  // namespace frit::python
