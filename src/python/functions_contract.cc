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

// As PyTorch's addmm, for its kin.
template <Tensor (*product)(const Tensor&, const Tensor&, const Tensor&, const Scalar&,
                            const Scalar&)>
Tensor scaled(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta,
              const Scalar& alpha) {
  if (a.is_floating_point()) return product(bias, a, b, beta, alpha);
  return product(bias, a, b, beta.to_int(), alpha.to_int());
}

#define FRIT_SCALED(name)                                                               \
  overload<[](const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta, \
              const Scalar& alpha) { return scaled<frit::name>(bias, a, b, beta, alpha); }>
#define FRIT_PRODUCT(name) \
  overload<[](const Tensor& a, const Tensor& b) { return frit::name(a, b); }>

// PyTorch's function behind all convolutions; `padding` on both sides of each dimension.
constexpr auto kConvolution = [](const Tensor& x, const Tensor& weight, const Tensor& bias,
                                 const Ints& stride, const Ints& padding, const Ints& dilation,
                                 bool transposed, const Ints& output_padding, int64_t groups) {
  if (transposed && weight.dim() == 3)
    return conv_transpose1d(x, weight, bias, stride, padding, output_padding, groups, dilation);
  if (transposed && weight.dim() == 5)
    return conv_transpose3d(x, weight, bias, stride, padding, output_padding, groups, dilation);
  if (transposed)
    return conv_transpose2d(x, weight, bias, stride, padding, output_padding, groups, dilation);
  if (weight.dim() == 5) return conv3d(x, weight, bias, stride, padding, dilation, groups);
  return weight.dim() == 3 ? conv1d(x, weight, bias, stride, padding, dilation, groups)
                           : conv2d(x, weight, bias, stride, padding, dilation, groups);
};

// dims: a pair of lists.
Tensor tensordot_over(const Tensor& a, const Tensor& b, PyObject* dims) {
  Ints of_a, of_b;
  const bool pair = (PyTuple_Check(dims) || PyList_Check(dims)) && PySequence_Size(dims) == 2 &&
                    read(PySequence_Fast_GET_ITEM(dims, 0), &of_a) &&
                    read(PySequence_Fast_GET_ITEM(dims, 1), &of_b);
  if (!pair) throw Error(ErrorKind::kType, "tensordot(): dims must be an int or two lists of ints");
  return tensordot(a, b, of_a, of_b);
}

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
    {"baddbmm",
     kBoth | kInPlace,
     {{"input, batch1, batch2, *, beta=1, alpha=1", FRIT_SCALED(baddbmm)}}},
    {"addmv", kBoth | kInPlace, {{"input, mat, vec, *, beta=1, alpha=1", FRIT_SCALED(addmv)}}},
    {"addr", kBoth | kInPlace, {{"input, vec1, vec2, *, beta=1, alpha=1", FRIT_SCALED(addr)}}},
    {"addbmm",
     kBoth | kInPlace,
     {{"input, batch1, batch2, *, beta=1, alpha=1", FRIT_SCALED(addbmm)}}},
    {"dot", kBoth, {{"input, tensor", FRIT_PRODUCT(dot)}}},
    {"vdot", kBoth, {{"input, other", FRIT_PRODUCT(dot)}}},
    {"mv", kBoth, {{"input, vec", FRIT_PRODUCT(mv)}}},
    {"outer", kBoth, {{"input, vec2", FRIT_PRODUCT(outer)}}},
    {"ger", kBoth, {{"input, vec2", FRIT_PRODUCT(outer)}}},
    {"inner", kBoth, {{"input, other", FRIT_PRODUCT(inner)}}},
    {"tensordot",
     kFunction,
     {{"a, b, dims=2", overload<[](const Tensor& a, const Tensor& b, int64_t dims) {
         return tensordot(a, b, dims);
       }>},
      {"a, b, dims -> Tensor", overload<[](const Tensor& a, const Tensor& b, Object dims) {
         return Ref(wrap(tensordot_over(a, b, dims.object)));
       }>}}},
    {"einsum",
     kFunction,
     {{"equation, *operands",
       overload<[](const std::string& equation, const std::vector<Tensor>& operands) {
         return einsum(equation, operands);
       }>}}},
    {"convolution",
     kFunction,
     {{"input, weight, bias, stride, padding, dilation, transposed, output_padding, groups",
       overload<kConvolution>}}},
};

}  // namespace

std::vector<Entry> contract_entries() { return entries_of<table>(); }

}  // namespace frit::python
