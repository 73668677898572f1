// The functions of the export table, one for each form in which nodes are written.
//
// Where ONNX names an attribute or input otherwise than Frit, the function says so; what ONNX's
// inputs and attributes mean stands in its Operators.md, of opset 17.
#pragma once

#include "src/onnx/export_node.h"

namespace frit::onnx::exports {

// export_pointwise.cc: the row's ONNX op on the promoted operands.
void elementwise(NodeWriter& w);
void rounded(NodeWriter& w);     // the same, or integers as they are
void comparison(NodeWriter& w);  // gives bool
void logical(NodeWriter& w);     // operands and result are bool
void not_equal(NodeWriter& w);
void where(NodeWriter& w);
void cast(NodeWriter& w);
void identity(NodeWriter& w);
void bitwise_not(NodeWriter& w);
void bitwise_binary(NodeWriter& w);  // of bool
void is_special(NodeWriter& w);      // isnan, isinf, isposinf, isneginf
void relu(NodeWriter& w);
void pow(NodeWriter& w);
void relu6(NodeWriter& w);
void hardsigmoid(NodeWriter& w);
void leaky_relu(NodeWriter& w);
void shrink(NodeWriter& w);  // hardshrink and softshrink

// export_formulas.cc: ops that ONNX has not, of those that it has.
void trunc(NodeWriter& w);
void frac(NodeWriter& w);
void rsqrt(NodeWriter& w);
void cbrt(NodeWriter& w);
void exp2(NodeWriter& w);
void log2(NodeWriter& w);
void log10(NodeWriter& w);
void expm1(NodeWriter& w);
void log1p(NodeWriter& w);
void sinc(NodeWriter& w);
void scaled(NodeWriter& w);  // deg2rad and rad2deg
void angle(NodeWriter& w);
void ndtr(NodeWriter& w);
void silu(NodeWriter& w);
void logsigmoid(NodeWriter& w);
void mish(NodeWriter& w);
void tanhshrink(NodeWriter& w);
void entr(NodeWriter& w);
void isfinite(NodeWriter& w);
void signbit(NodeWriter& w);
void prelu(NodeWriter& w);
// Those of two operands.
void floor_divide(NodeWriter& w);
void trunc_divide(NodeWriter& w);
void remainder(NodeWriter& w);
void fmod(NodeWriter& w);
void atan2(NodeWriter& w);
void hypot(NodeWriter& w);
void xlogy(NodeWriter& w);
void xlog1py(NodeWriter& w);
void logaddexp(NodeWriter& w);  // logaddexp2 too
void heaviside(NodeWriter& w);
void fmax(NodeWriter& w);  // fmin too
void copysign(NodeWriter& w);

// export_reduce.cc: reductions, scans and order.
void reduce(NodeWriter& w);
void arg_reduce(NodeWriter& w);
void cumsum(NodeWriter& w);
void softmax(NodeWriter& w);
void topk(NodeWriter& w);
void sort(NodeWriter& w);

// export_move.cc: views, copies and creation.
void reshape(NodeWriter& w);
void permute(NodeWriter& w);
void expand(NodeWriter& w);
void slice(NodeWriter& w);
void select(NodeWriter& w);
void flip(NodeWriter& w);
void cat(NodeWriter& w);
void pad(NodeWriter& w);
void full(NodeWriter& w);
void arange(NodeWriter& w);
void triangle(NodeWriter& w);

// export_index.cc: reading and writing where indices say.
void index_select(NodeWriter& w);
void embedding(NodeWriter& w);
void gather(NodeWriter& w);
void index(NodeWriter& w);
void scatter(NodeWriter& w);  // scatter_add too
void scatter_reduce(NodeWriter& w);
void index_put(NodeWriter& w);
void index_rows(NodeWriter& w);  // index_add, index_copy and index_fill

// export_layers.cc: products, convolutions, normalization.
void matmul(NodeWriter& w);
void addmm(NodeWriter& w);
void linear(NodeWriter& w);
void convolution(NodeWriter& w);
void conv_transpose(NodeWriter& w);
void layer_norm(NodeWriter& w);
void batch_norm(NodeWriter& w);
void rnn(NodeWriter& w);

// export_window.cc: pooling and resampling.
void max_pool(NodeWriter& w);  // max_pool2d too
void avg_pool(NodeWriter& w);  // avg_pool2d too
void adaptive_pool(NodeWriter& w);
void interpolate(NodeWriter& w);

// export_signal.cc: Fourier transforms.
void fft(NodeWriter& w);
void rfft(NodeWriter& w);

}  // namespace frit::onnx::exports
