// The bind functions of the op table, by family. Each is named for its ONNX op.
#pragma once

#include "src/onnx/node.h"

namespace frit::onnx::ops {

// ops_activation.cc
Runner bind_celu(Node&);
Runner bind_elu(Node&);
Runner bind_hard_sigmoid(Node&);
Runner bind_hard_swish(Node&);
Runner bind_leaky_relu(Node&);
Runner bind_p_relu(Node&);
Runner bind_selu(Node&);
Runner bind_shrink(Node&);
Runner bind_softplus(Node&);
Runner bind_softsign(Node&);
Runner bind_thresholded_relu(Node&);

// ops_contract.cc
Runner bind_gemm(Node&);
Runner bind_mat_mul(Node&);

// ops_control.cc
Runner bind_constant(Node&);
Runner bind_constant_of_shape(Node&);
Runner bind_if(Node&);

// ops_loss.cc
Runner bind_negative_log_likelihood_loss(Node&);
Runner bind_softmax_cross_entropy_loss(Node&);

// ops_normalize.cc
Runner bind_batch_normalization(Node&);
Runner bind_instance_normalization(Node&);
Runner bind_layer_normalization(Node&);
Runner bind_lrn(Node&);
Runner bind_mean_variance_normalization(Node&);

// ops_pointwise.cc
Runner bind_abs(Node&);
Runner bind_add(Node&);
Runner bind_and(Node&);
Runner bind_bit_shift(Node&);
Runner bind_cast(Node&);
Runner bind_cast_like(Node&);
Runner bind_ceil(Node&);
Runner bind_clip(Node&);
Runner bind_cos(Node&);
Runner bind_div(Node&);
Runner bind_dropout(Node&);
Runner bind_equal(Node&);
Runner bind_erf(Node&);
Runner bind_exp(Node&);
Runner bind_floor(Node&);
Runner bind_greater(Node&);
Runner bind_greater_or_equal(Node&);
Runner bind_identity(Node&);
Runner bind_is_inf(Node&);
Runner bind_is_nan(Node&);
Runner bind_less(Node&);
Runner bind_less_or_equal(Node&);
Runner bind_log(Node&);
Runner bind_max(Node&);
Runner bind_mean(Node&);
Runner bind_min(Node&);
Runner bind_mod(Node&);
Runner bind_mul(Node&);
Runner bind_neg(Node&);
Runner bind_not(Node&);
Runner bind_or(Node&);
Runner bind_pow(Node&);
Runner bind_reciprocal(Node&);
Runner bind_relu(Node&);
Runner bind_round(Node&);
Runner bind_sigmoid(Node&);
Runner bind_sign(Node&);
Runner bind_sin(Node&);
Runner bind_sqrt(Node&);
Runner bind_sub(Node&);
Runner bind_sum(Node&);
Runner bind_tan(Node&);
Runner bind_tanh(Node&);
Runner bind_where(Node&);
Runner bind_xor(Node&);

// ops_quantize.cc
Runner bind_conv_integer(Node&);
Runner bind_dequantize_linear(Node&);
Runner bind_dynamic_quantize_linear(Node&);
Runner bind_mat_mul_integer(Node&);
Runner bind_q_linear_conv(Node&);
Runner bind_q_linear_mat_mul(Node&);
Runner bind_quantize_linear(Node&);

// ops_rearrange.cc
Runner bind_depth_to_space(Node&);
Runner bind_pad(Node&);
Runner bind_space_to_depth(Node&);

// ops_recurrent.cc
Runner bind_gru(Node&);
Runner bind_lstm(Node&);
Runner bind_rnn(Node&);

// ops_reduce.cc
Runner bind_arg_max(Node&);
Runner bind_arg_min(Node&);
Runner bind_hardmax(Node&);
Runner bind_log_softmax(Node&);
Runner bind_reduce_l1(Node&);
Runner bind_reduce_l2(Node&);
Runner bind_reduce_log_sum(Node&);
Runner bind_reduce_log_sum_exp(Node&);
Runner bind_reduce_max(Node&);
Runner bind_reduce_mean(Node&);
Runner bind_reduce_min(Node&);
Runner bind_reduce_prod(Node&);
Runner bind_reduce_sum(Node&);
Runner bind_reduce_sum_square(Node&);
Runner bind_softmax(Node&);

// ops_resize.cc
Runner bind_resize(Node&);
Runner bind_upsample(Node&);

// ops_scatter.cc
Runner bind_conv_transpose(Node&);
Runner bind_cum_sum(Node&);
Runner bind_einsum(Node&);
Runner bind_grid_sample(Node&);
Runner bind_scatter_elements(Node&);
Runner bind_scatter_nd(Node&);

// ops_select.cc
Runner bind_compress(Node&);
Runner bind_eye_like(Node&);
Runner bind_gather_nd(Node&);
Runner bind_non_zero(Node&);
Runner bind_one_hot(Node&);
Runner bind_reverse_sequence(Node&);
Runner bind_top_k(Node&);
Runner bind_trilu(Node&);

// ops_shape.cc
Runner bind_concat(Node&);
Runner bind_expand(Node&);
Runner bind_flatten(Node&);
Runner bind_gather(Node&);
Runner bind_gather_elements(Node&);
Runner bind_range(Node&);
Runner bind_reshape(Node&);
Runner bind_shape(Node&);
Runner bind_size(Node&);
Runner bind_slice(Node&);
Runner bind_split(Node&);
Runner bind_squeeze(Node&);
Runner bind_tile(Node&);
Runner bind_transpose(Node&);
Runner bind_unsqueeze(Node&);

// ops_signal.cc
Runner bind_blackman_window(Node&);
Runner bind_hamming_window(Node&);
Runner bind_hann_window(Node&);

// ops_trigonometry.cc
Runner bind_acos(Node&);
Runner bind_acosh(Node&);
Runner bind_asin(Node&);
Runner bind_asinh(Node&);
Runner bind_atan(Node&);
Runner bind_atanh(Node&);
Runner bind_cosh(Node&);
Runner bind_sinh(Node&);

// ops_window.cc
Runner bind_average_pool(Node&);
Runner bind_conv(Node&);
Runner bind_global_average_pool(Node&);
Runner bind_global_max_pool(Node&);
Runner bind_max_pool(Node&);

}  // namespace frit::onnx::ops
