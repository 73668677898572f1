// The table itself, in the order of ops.def.
#include "src/onnx/export_table.h"

#include <algorithm>

#include "src/onnx/export_ops.h"
#include "src/ops/op.h"

namespace frit::onnx {
namespace {

using namespace exports;

// What ONNX's ops take, of what onnxruntime's CPU kernels do, so that its results are not refused;
// the others are cast to one of these (see export_node.h).
constexpr Types kFloats = {kFloat64, kFloat32};
constexpr Types kF32 = {kFloat32};
constexpr Types kNumbers = {kFloat64, kFloat32, kInt64, kInt32};
constexpr Types kSigned = {kFloat64, kFloat32, kInt64, kInt32, kInt8};
constexpr Types kAny = {kFloat64, kFloat32, kBFloat16, kFloat16, kInt64,
                        kInt32,   kInt16,   kInt8,     kUInt8,   kBool};
constexpr Types kWhere = {kFloat64, kFloat32, kInt64, kInt32, kUInt8};
constexpr Types kEqual = {kFloat64, kFloat32, kInt64, kInt32, kBool};
constexpr Types kIntegers = {kInt64, kInt32};
constexpr Types kBools = {kBool};

constexpr ExportRow kRows[] = {
    // op, how it is written, ONNX's op, the dtypes of that
    {Op::neg, elementwise, "Neg", kSigned},
    {Op::abs, elementwise, "Abs", kSigned},
    {Op::floor, rounded, "Floor", kFloats},
    {Op::ceil, rounded, "Ceil", kFloats},
    {Op::trunc, trunc, "", kFloats},
    {Op::round, rounded, "Round", kFloats},
    {Op::frac, frac, "", kFloats},
    {Op::sqrt, elementwise, "Sqrt", kFloats},
    {Op::rsqrt, rsqrt, "", kFloats},
    {Op::reciprocal, elementwise, "Reciprocal", kFloats},
    {Op::cbrt, cbrt, "", kFloats},
    {Op::exp, elementwise, "Exp", kFloats},
    {Op::exp2, exp2, "", kFloats},
    {Op::log, elementwise, "Log", kFloats},
    {Op::log2, log2, "", kFloats},
    {Op::log10, log10, "", kFloats},
    {Op::expm1, expm1, "", kFloats},
    {Op::log1p, log1p, "", kFloats},
    {Op::sin, elementwise, "Sin", kFloats},
    {Op::cos, elementwise, "Cos", kFloats},
    {Op::tan, elementwise, "Tan", kFloats},
    {Op::asin, elementwise, "Asin", kFloats},
    {Op::acos, elementwise, "Acos", kFloats},
    {Op::atan, elementwise, "Atan", kFloats},
    {Op::sinh, elementwise, "Sinh", kFloats},
    {Op::cosh, elementwise, "Cosh", kFloats},
    {Op::tanh, elementwise, "Tanh", kFloats},
    {Op::asinh, elementwise, "Asinh", kFloats},
    {Op::acosh, elementwise, "Acosh", kFloats},
    {Op::atanh, elementwise, "Atanh", kFloats},
    {Op::sinc, sinc, "", kFloats},
    {Op::deg2rad, scaled, "", kFloats},
    {Op::rad2deg, scaled, "", kFloats},
    {Op::angle, angle, "", kFloats},
    {Op::erf, elementwise, "Erf", kFloats},
    {Op::ndtr, ndtr, "", kFloats},
    {Op::sigmoid, elementwise, "Sigmoid", kFloats},
    {Op::silu, silu, "", kFloats},
    {Op::logsigmoid, logsigmoid, "", kFloats},
    {Op::relu6, relu6, "", kNumbers},
    {Op::hardsigmoid, hardsigmoid, "", kFloats},
    {Op::hardswish, elementwise, "HardSwish", kFloats},
    {Op::selu, elementwise, "Selu", kF32},
    {Op::mish, mish, "", kFloats},
    {Op::softsign, elementwise, "Softsign", kFloats},
    {Op::tanhshrink, tanhshrink, "", kFloats},
    {Op::entr, entr, "", kFloats},
    {Op::sign, elementwise, "Sign", kNumbers},
    {Op::relu, relu, "", kNumbers},
    {Op::logical_not, logical, "Not", kBools},
    {Op::bitwise_not, bitwise_not, "", kIntegers},
    {Op::isnan, is_special, "IsNaN", kFloats},
    {Op::isinf, is_special, "IsInf", kFloats},
    {Op::isfinite, isfinite, "", kNumbers},
    {Op::isposinf, is_special, "IsInf", kFloats},
    {Op::isneginf, is_special, "IsInf", kFloats},
    {Op::signbit, signbit, "", kNumbers},
    {Op::add, elementwise, "Add", kNumbers},
    {Op::sub, elementwise, "Sub", kNumbers},
    {Op::mul, elementwise, "Mul", kNumbers},
    {Op::div, elementwise, "Div", kFloats},
    {Op::floor_divide, floor_divide, "", kNumbers},
    {Op::trunc_divide, trunc_divide, "", kNumbers},
    {Op::fmod, fmod, "", kNumbers},
    {Op::remainder, remainder, "", kNumbers},
    {Op::pow, pow, "Pow", kNumbers},
    {Op::atan2, atan2, "", kFloats},
    {Op::hypot, hypot, "", kFloats},
    {Op::xlogy, xlogy, "", kFloats},
    {Op::xlog1py, xlog1py, "", kFloats},
    {Op::logaddexp, logaddexp, "", kFloats},
    {Op::logaddexp2, logaddexp, "", kFloats},
    {Op::heaviside, heaviside, "", kNumbers},
    {Op::maximum, elementwise, "Max", kNumbers},
    {Op::minimum, elementwise, "Min", kNumbers},
    {Op::fmax, fmax, "Max", kNumbers},
    {Op::fmin, fmax, "Min", kNumbers},
    {Op::copysign, copysign, "", kFloats},
    {Op::eq, comparison, "Equal", kEqual},
    {Op::ne, not_equal, "", kEqual},
    {Op::lt, comparison, "Less", kNumbers},
    {Op::le, comparison, "LessOrEqual", kNumbers},
    {Op::gt, comparison, "Greater", kNumbers},
    {Op::ge, comparison, "GreaterOrEqual", kNumbers},
    {Op::bitwise_and, bitwise_binary, "And", kBools},
    {Op::bitwise_or, bitwise_binary, "Or", kBools},
    {Op::bitwise_xor, bitwise_binary, "Xor", kBools},
    {Op::logical_and, logical, "And", kBools},
    {Op::logical_or, logical, "Or", kBools},
    {Op::logical_xor, logical, "Xor", kBools},
    {Op::leaky_relu, leaky_relu, "", kFloats},
    {Op::prelu, prelu, "", kFloats},
    {Op::hardshrink, shrink, "", kFloats},
    {Op::softshrink, shrink, "", kFloats},
    {Op::where, where, "", kWhere},
    {Op::cast, cast, "", kAny},
    {Op::sum, reduce, "ReduceSum", kNumbers},
    {Op::prod, reduce, "ReduceProd", kNumbers},
    {Op::amax, reduce, "ReduceMax", kNumbers},
    {Op::amin, reduce, "ReduceMin", kNumbers},
    {Op::argmax, arg_reduce, "ArgMax", {kFloat64, kFloat32, kInt64, kInt32}},
    {Op::argmin, arg_reduce, "ArgMin", {kFloat64, kFloat32, kInt64, kInt32}},
    {Op::cumsum, cumsum, "", kNumbers},
    {Op::reshape, reshape, "", kAny},
    {Op::view, reshape, "", kAny},
    {Op::permute, permute, "", kAny},
    {Op::expand, expand, "", {kFloat64, kFloat32, kInt64, kInt32, kBool}},
    {Op::slice, slice, "", kAny},
    {Op::select, select, "", kAny},
    {Op::squeeze, reshape, "", kAny},
    {Op::unsqueeze, reshape, "", kAny},
    {Op::clone, identity, "", kAny},
    {Op::contiguous, identity, "", kAny},
    {Op::flip, flip, "", kAny},
    {Op::cat, cat, "", kAny},
    {Op::pad, pad, "", {kFloat64, kFloat32, kInt64, kInt32, kInt8, kUInt8, kBool}},
    {Op::index_select, index_select, "", kAny},
    {Op::gather, gather, "", kAny},
    {Op::index, index, "", kAny},
    {Op::scatter, scatter, "", kAny},
    {Op::scatter_add, scatter, "", kNumbers},
    {Op::scatter_reduce, scatter_reduce, "", kNumbers},
    {Op::index_put, index_put, "", kNumbers},
    {Op::index_add, index_rows, "", kNumbers},
    {Op::index_copy, index_rows, "", kNumbers},
    {Op::index_fill, index_rows, "", kNumbers},
    {Op::sort, sort, "", kNumbers},
    {Op::topk, topk, "", kNumbers},
    {Op::matmul, matmul, "", kNumbers},
    {Op::addmm, addmm, "", kNumbers},
    {Op::convolution, convolution, "", kFloats},
    {Op::conv_transpose, conv_transpose, "", kFloats},
    {Op::max_pool2d, max_pool, "", {kFloat64, kFloat32, kInt8, kUInt8}},
    {Op::avg_pool2d, avg_pool, "", kFloats},
    {Op::max_pool, max_pool, "", {kFloat64, kFloat32, kInt8, kUInt8}},
    {Op::avg_pool, avg_pool, "", kFloats},
    {Op::adaptive_avg_pool, adaptive_pool, "", kFloats},
    {Op::adaptive_max_pool, adaptive_pool, "", {kFloat64, kFloat32, kInt8, kUInt8}},
    {Op::interpolate, interpolate, "", kFloats},
    {Op::fft, fft, "", kFloats},
    {Op::rfft, rfft, "", kFloats},
    {Op::rnn, rnn, "", kF32},
    {Op::full, full, "", {kFloat64, kFloat32, kInt64, kInt32, kBool}},
    {Op::arange, arange, "", kAny},
    {Op::mean, reduce, "ReduceMean", kFloats},
    {Op::softmax, softmax, "Softmax", kFloats},
    {Op::log_softmax, softmax, "LogSoftmax", kFloats},
    {Op::logsumexp, reduce, "ReduceLogSumExp", kFloats},
    {Op::linear, linear, "", kNumbers},
    {Op::tril, triangle, "lower", {kFloat64, kFloat32, kInt64}},
    {Op::triu, triangle, "upper", {kFloat64, kFloat32, kInt64}},
    {Op::embedding, embedding, "", kAny},
    {Op::layer_norm, layer_norm, "", kFloats},
    {Op::batch_norm, batch_norm, "", kFloats},
};
static_assert(std::ranges::is_sorted(kRows, {}, &ExportRow::op));

}  // namespace

const ExportRow* find_export(Op op) {
  const auto row = std::ranges::lower_bound(kRows, op, {}, &ExportRow::op);
  return row != std::end(kRows) && row->op == op ? row : nullptr;
}

}  // namespace frit::onnx
