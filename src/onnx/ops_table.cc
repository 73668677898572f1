// The table itself, sorted by name.
#include "src/onnx/ops_table.h"

#include <algorithm>

#include "src/onnx/ops.h"

namespace frit::onnx {
namespace {

using namespace ops;

constexpr OpRow kOps[] = {
    // op type, bind, inputs that must be there, inputs, outputs
    {"Abs", bind_abs, 1, 1, 1},
    {"Add", bind_add, 2, 2, 1},
    {"And", bind_and, 2, 2, 1},
    {"ArgMax", bind_arg_max, 1, 1, 1},
    {"ArgMin", bind_arg_min, 1, 1, 1},
    {"AveragePool", bind_average_pool, 1, 1, 1},
    {"BatchNormalization", bind_batch_normalization, 5, 5, 1},
    {"Cast", bind_cast, 1, 1, 1},
    {"CastLike", bind_cast_like, 2, 2, 1},
    {"Ceil", bind_ceil, 1, 1, 1},
    {"Clip", bind_clip, 1, 3, 1},
    {"Concat", bind_concat, 1, kAnyNumber, 1},
    {"Constant", bind_constant, 0, 0, 1},
    {"ConstantOfShape", bind_constant_of_shape, 1, 1, 1},
    {"Conv", bind_conv, 2, 3, 1},
    {"Cos", bind_cos, 1, 1, 1},
    {"Div", bind_div, 2, 2, 1},
    {"Dropout", bind_dropout, 1, 3, 2},
    {"Elu", bind_elu, 1, 1, 1},
    {"Equal", bind_equal, 2, 2, 1},
    {"Erf", bind_erf, 1, 1, 1},
    {"Exp", bind_exp, 1, 1, 1},
    {"Expand", bind_expand, 2, 2, 1},
    {"Flatten", bind_flatten, 1, 1, 1},
    {"Floor", bind_floor, 1, 1, 1},
    {"Gather", bind_gather, 2, 2, 1},
    {"GatherElements", bind_gather_elements, 2, 2, 1},
    {"Gemm", bind_gemm, 2, 3, 1},
    {"GlobalAveragePool", bind_global_average_pool, 1, 1, 1},
    {"GlobalMaxPool", bind_global_max_pool, 1, 1, 1},
    {"Greater", bind_greater, 2, 2, 1},
    {"GreaterOrEqual", bind_greater_or_equal, 2, 2, 1},
    {"HardSigmoid", bind_hard_sigmoid, 1, 1, 1},
    {"HardSwish", bind_hard_swish, 1, 1, 1},
    {"Identity", bind_identity, 1, 1, 1},
    {"If", bind_if, 1, 1, kAnyNumber},
    {"IsInf", bind_is_inf, 1, 1, 1},
    {"IsNaN", bind_is_nan, 1, 1, 1},
    {"LayerNormalization", bind_layer_normalization, 2, 3, 1},
    {"LeakyRelu", bind_leaky_relu, 1, 1, 1},
    {"Less", bind_less, 2, 2, 1},
    {"LessOrEqual", bind_less_or_equal, 2, 2, 1},
    {"Log", bind_log, 1, 1, 1},
    {"LogSoftmax", bind_log_softmax, 1, 1, 1},
    {"MatMul", bind_mat_mul, 2, 2, 1},
    {"Max", bind_max, 1, kAnyNumber, 1},
    {"MaxPool", bind_max_pool, 1, 1, 1},
    {"Mean", bind_mean, 1, kAnyNumber, 1},
    {"Min", bind_min, 1, kAnyNumber, 1},
    {"Mod", bind_mod, 2, 2, 1},
    {"Mul", bind_mul, 2, 2, 1},
    {"Neg", bind_neg, 1, 1, 1},
    {"Not", bind_not, 1, 1, 1},
    {"Or", bind_or, 2, 2, 1},
    {"PRelu", bind_p_relu, 2, 2, 1},
    {"Pad", bind_pad, 1, 3, 1},
    {"Pow", bind_pow, 2, 2, 1},
    {"Range", bind_range, 3, 3, 1},
    {"Reciprocal", bind_reciprocal, 1, 1, 1},
    {"ReduceL1", bind_reduce_l1, 1, 1, 1},
    {"ReduceL2", bind_reduce_l2, 1, 1, 1},
    {"ReduceLogSum", bind_reduce_log_sum, 1, 1, 1},
    {"ReduceLogSumExp", bind_reduce_log_sum_exp, 1, 1, 1},
    {"ReduceMax", bind_reduce_max, 1, 1, 1},
    {"ReduceMean", bind_reduce_mean, 1, 1, 1},
    {"ReduceMin", bind_reduce_min, 1, 1, 1},
    {"ReduceProd", bind_reduce_prod, 1, 1, 1},
    {"ReduceSum", bind_reduce_sum, 1, 2, 1},
    {"ReduceSumSquare", bind_reduce_sum_square, 1, 1, 1},
    {"Relu", bind_relu, 1, 1, 1},
    {"Reshape", bind_reshape, 2, 2, 1},
    {"Round", bind_round, 1, 1, 1},
    {"Selu", bind_selu, 1, 1, 1},
    {"Shape", bind_shape, 1, 1, 1},
    {"Sigmoid", bind_sigmoid, 1, 1, 1},
    {"Sign", bind_sign, 1, 1, 1},
    {"Sin", bind_sin, 1, 1, 1},
    {"Size", bind_size, 1, 1, 1},
    {"Slice", bind_slice, 1, 5, 1},
    {"Softmax", bind_softmax, 1, 1, 1},
    {"Softplus", bind_softplus, 1, 1, 1},
    {"Softsign", bind_softsign, 1, 1, 1},
    {"Split", bind_split, 1, 2, kAnyNumber},
    {"Sqrt", bind_sqrt, 1, 1, 1},
    {"Squeeze", bind_squeeze, 1, 2, 1},
    {"Sub", bind_sub, 2, 2, 1},
    {"Sum", bind_sum, 1, kAnyNumber, 1},
    {"Tan", bind_tan, 1, 1, 1},
    {"Tanh", bind_tanh, 1, 1, 1},
    {"ThresholdedRelu", bind_thresholded_relu, 1, 1, 1},
    {"Tile", bind_tile, 2, 2, 1},
    {"Transpose", bind_transpose, 1, 1, 1},
    {"Unsqueeze", bind_unsqueeze, 1, 2, 1},
    {"Where", bind_where, 3, 3, 1},
    {"Xor", bind_xor, 2, 2, 1},
};
static_assert(std::ranges::is_sorted(kOps, {}, &OpRow::op_type));

}  // namespace

const OpRow* find_op(std::string_view op_type) {
  const auto it = std::ranges::lower_bound(kOps, op_type, {}, &OpRow::op_type);
  return it != std::end(kOps) && it->op_type == op_type ? it : nullptr;
}

}  // namespace frit::onnx
