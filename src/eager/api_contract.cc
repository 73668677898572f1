// Public matrix products, convolutions, pooling and attention.
#include <cmath>

#include "src/eager/api.h"

namespace frit {

using api::operand;
using api::text;

Tensor matmul(const Tensor& a, const Tensor& b) {
  return call(Op::matmul, {operand(Op::matmul, a), operand(Op::matmul, b)});
}

namespace {

Tensor product_of_rank(std::string_view op, int64_t rank, const Tensor& a, const Tensor& b) {
  for (const Tensor* t : {&a, &b})
    if (api::checked(op, *t).dim() != rank)
      api::fail(ErrorKind::kRuntime, op, *t, text("expected ", rank, " dimensions"));
  return matmul(a, b);
}

}  // namespace

Tensor mm(const Tensor& a, const Tensor& b) { return product_of_rank("mm", 2, a, b); }

Tensor bmm(const Tensor& a, const Tensor& b) {
  if (api::checked("bmm", a).dim() == 3 && api::checked("bmm", b).dim() == 3 &&
      a.sizes()[0] != b.sizes()[0])
    api::fail(ErrorKind::kRuntime, "bmm", a,
              text("batch sizes differ: ", a.sizes()[0], " and ", b.sizes()[0]));
  return product_of_rank("bmm", 3, a, b);
}

Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta,
             const Scalar& alpha) {
  const Operand operands[] = {operand(Op::addmm, bias), operand(Op::addmm, a),
                              operand(Op::addmm, b)};
  if (!is_floating_point(a.dtype()) && (alpha.is_float() || beta.is_float()))
    api::fail(ErrorKind::kRuntime, "addmm", a,
              "alpha or beta is a float, but the operands are integers");
  return call(Op::addmm, {operands[0], operands[1], operands[2], alpha, beta});
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Operand a = operand(Op::linear, x), w = operand(Op::linear, weight);
  return bias.defined() ? call(Op::linear, {a, w, bias}) : call(Op::linear, {a, w});
}

namespace {

struct ConvolutionArgs {
  IntArrayRef stride, padding, dilation;
  int64_t groups;
};

Tensor convolve(std::string_view op, int64_t spatial, const Tensor& x, const Tensor& weight,
                const Tensor& bias, const ConvolutionArgs& args) {
  if (api::checked(op, weight).dim() != spatial + 2)
    api::fail(ErrorKind::kRuntime, op, weight,
              text("expected a weight with ", spatial + 2, " dimensions"));
  const int64_t rank = api::checked(op, x).dim();
  if (rank != spatial + 1 && rank != spatial + 2)
    api::fail(ErrorKind::kRuntime, op, x,
              text("expected ", spatial + 1, " or ", spatial + 2, " dimensions"));
  if (rank == spatial + 1)
    return squeeze(convolve(op, spatial, unsqueeze(x, 0), weight, bias, args), 0);
  const Dims padding = api::per_dim(op, x, args.padding, spatial, "padding");
  Dims both_sides;
  for (int64_t p : padding.ref()) {
    both_sides.push_back(p);
    both_sides.push_back(p);
  }
  const Attrs attrs = Attrs()
                          .add_list(api::per_dim(op, x, args.dilation, spatial, "dilation"))
                          .add(args.groups)
                          .add_list(both_sides)
                          .add_list(api::per_dim(op, x, args.stride, spatial, "stride"));
  return bias.defined() ? call(Op::convolution, {x, weight, bias}, attrs)
                        : call(Op::convolution, {x, weight}, attrs);
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return convolve("conv1d", 1, x, weight, bias, {stride, padding, dilation, groups});
}

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return convolve("conv2d", 2, x, weight, bias, {stride, padding, dilation, groups});
}

Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return convolve("conv3d", 3, x, weight, bias, {stride, padding, dilation, groups});
}

namespace {

Tensor spread(std::string_view op, int64_t spatial, const Tensor& x, const Tensor& weight,
              const Tensor& bias, const ConvolutionArgs& args, IntArrayRef output_padding) {
  if (api::checked(op, weight).dim() != spatial + 2)
    api::fail(ErrorKind::kRuntime, op, weight,
              text("expected a weight with ", spatial + 2, " dimensions"));
  const int64_t rank = api::checked(op, x).dim();
  if (rank != spatial + 1 && rank != spatial + 2)
    api::fail(ErrorKind::kRuntime, op, x,
              text("expected ", spatial + 1, " or ", spatial + 2, " dimensions"));
  if (rank == spatial + 1)
    return squeeze(spread(op, spatial, unsqueeze(x, 0), weight, bias, args, output_padding), 0);
  const Attrs attrs = Attrs()
                          .add_list(api::per_dim(op, x, args.dilation, spatial, "dilation"))
                          .add(args.groups)
                          .add_list(api::per_dim(op, x, output_padding, spatial, "output_padding"))
                          .add_list(api::per_dim(op, x, args.padding, spatial, "padding"))
                          .add_list(api::per_dim(op, x, args.stride, spatial, "stride"));
  return bias.defined() ? call(Op::conv_transpose, {x, weight, bias}, attrs)
                        : call(Op::conv_transpose, {x, weight}, attrs);
}

}  // namespace

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                        int64_t groups, IntArrayRef dilation) {
  return spread("conv_transpose1d", 1, x, weight, bias, {stride, padding, dilation, groups},
                output_padding);
}
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                        int64_t groups, IntArrayRef dilation) {
  return spread("conv_transpose2d", 2, x, weight, bias, {stride, padding, dilation, groups},
                output_padding);
}
Tensor conv_transpose3d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                        int64_t groups, IntArrayRef dilation) {
  return spread("conv_transpose3d", 3, x, weight, bias, {stride, padding, dilation, groups},
                output_padding);
}

Tensor max_pool2d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  IntArrayRef dilation, bool ceil_mode) {
  const Operand input = operand(Op::max_pool2d, x);
  const Attrs attrs =
      Attrs()
          .add(ceil_mode)
          .add_list(api::per_dim("max_pool2d", x, dilation, 2, "dilation"))
          .add_list(api::per_dim("max_pool2d", x, kernel, 2, "kernel"))
          .add_list(api::per_dim("max_pool2d", x, padding, 2, "padding"))
          .add_list(api::per_dim("max_pool2d", x, stride.empty() ? kernel : stride, 2, "stride"));
  return call(Op::max_pool2d, {input}, attrs);
}

Tensor avg_pool2d(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                  bool ceil_mode, bool count_include_pad) {
  const Operand input = operand(Op::avg_pool2d, x);
  const Attrs attrs =
      Attrs()
          .add(ceil_mode)
          .add(count_include_pad)
          .add_list(api::per_dim("avg_pool2d", x, kernel, 2, "kernel"))
          .add_list(api::per_dim("avg_pool2d", x, padding, 2, "padding"))
          .add_list(api::per_dim("avg_pool2d", x, stride.empty() ? kernel : stride, 2, "stride"));
  return call(Op::avg_pool2d, {input}, attrs);
}

Tensor adaptive_avg_pool2d(const Tensor& x, IntArrayRef output_size) {
  const int64_t rank = api::checked("adaptive_avg_pool2d", x).dim();
  if (rank != 3 && rank != 4)
    api::fail(ErrorKind::kRuntime, "adaptive_avg_pool2d", x, "expected 3 or 4 dimensions");
  const Dims out = api::per_dim("adaptive_avg_pool2d", x, output_size, 2, "output size");
  if (out[0] == 1 && out[1] == 1) return mean(x, {-2, -1}, true);
  Dims kernel;
  for (int i = 0; i < 2; ++i) {
    const int64_t size = x.size(i - 2);
    if (out[i] < 1 || size < out[i] || size % out[i] != 0) return adaptive_avg_pool(x, 2, out);
    kernel.push_back(size / out[i]);
  }
  return avg_pool2d(x, kernel, kernel);
}

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale) {
  constexpr Op kOp = Op::scaled_dot_product_attention;
  const Operand q = operand(kOp, query), k = operand(kOp, key), v = operand(kOp, value);
  if (dropout_p != 0)
    api::fail(ErrorKind::kNotImplemented, name(kOp), query, "only inference is supported");
  if (query.dim() < 2)
    api::fail(ErrorKind::kRuntime, name(kOp), query, "expected at least 2 dimensions");
  const Scalar factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  const Attrs attrs = Attrs().add(is_causal).add(attn_mask.defined());
  return attn_mask.defined() ? call(kOp, {q, k, v, factor, attn_mask}, attrs)
                             : call(kOp, {q, k, v, factor}, attrs);
}

}  // namespace frit
