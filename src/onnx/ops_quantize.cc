// Integers that stand for numbers: (x - zero point) * scale. Products are exact in i32.
#include <algorithm>

#include "src/onnx/broadcast.h"
#include "src/onnx/ops.h"
#include "src/onnx/window.h"

namespace frit::onnx::ops {
namespace {

// One number for all, or one per index of dimension `axis`.
Tensor spread(const Tensor& values, int64_t axis, int64_t rank) {
  return values.numel() == 1 ? values.reshape({}) : along(values, wrap_axis(axis, rank), rank);
}

// round(x / scale) + zero, to the nearest that the dtype has.
Tensor quantize(const Tensor& x, const Tensor& scale, const Tensor& zero, Dtype dtype) {
  const Tensor steps = round(x / scale);
  const Tensor shifted = zero.defined() ? steps + zero.to(kFloat32) : steps;
  const double low = dtype == kUInt8 ? 0 : -128, high = dtype == kUInt8 ? 255 : 127;
  return clamp(shifted, OptionalScalar(low), OptionalScalar(high)).to(dtype);
}

Dtype quantized_dtype(const Tensor& zero) {
  if (!zero.defined()) return kUInt8;
  if (zero.dtype() != kUInt8 && zero.dtype() != kInt8)
    throw Error(ErrorKind::kNotImplemented,
                "a zero point of dtype " + std::string(name(zero.dtype())));
  return zero.dtype();
}

// The scale and zero point of a tensor as u8: both ends and 0 are among its numbers. Of zeros alone
// the scale is 1.
void quantize_by_range(Call& call) {
  const Tensor& x = call[0];
  const Tensor low = minimum(amin(x), 0), high = maximum(amax(x), 0);
  const Tensor range = high - low, scale = where(eq(range, 0), 1, range / 255);
  const Tensor zero =
      round(clamp(neg(low) / scale, OptionalScalar(0), OptionalScalar(255))).to(kUInt8);
  call.result(quantize(x, scale, zero, kUInt8), 0);
  call.result(scale, 1);
  call.result(zero, 2);
}

// x - zero as i32, the zero point being one number or one per index of `axis`.
Tensor centred(const Tensor& x, const Tensor& zero, int64_t axis) {
  const Tensor wide = x.to(kInt32);
  return zero.defined() ? wide - spread(zero.to(kInt32), axis, x.dim()) : wide;
}

int64_t column(const Tensor& matrix) { return matrix.dim() - 1; }
int64_t row(const Tensor& matrix) { return std::max<int64_t>(matrix.dim() - 2, 0); }

Tensor multiply(const Tensor& a, const Tensor& a_zero, const Tensor& b, const Tensor& b_zero) {
  return matmul(centred(a, a_zero, row(a)), centred(b, b_zero, column(b)));
}

// Sums of products back to 8 bits; input `at` is the result's scale, the next its zero point.
Tensor requantize(const Tensor& sums, const Tensor& scale, const Call& call, int at) {
  return quantize(sums.to(kFloat32) * scale, call[at], call[at + 1], quantized_dtype(call[at + 1]));
}

void convolve_quantized(Call& call, const WindowAttributes& w, int64_t groups) {
  const Tensor x = centred(call[0], call[2], 1), weight = centred(call[3], call[5], 0);
  const Tensor scale = call[1] * spread(call[4], 1, x.dim());
  call.result(requantize(convolve(x, weight, call[8], w, groups), scale, call, 6));
}

}  // namespace

Runner bind_conv_integer(Node& node) {
  const WindowAttributes w = read_window(node);
  const int64_t groups = node.int_or("group", 1);
  return [=](Call& call) {
    const Tensor x = centred(call[0], call[2], 1), weight = centred(call[1], call[3], 0);
    call.result(convolve(x, weight, Tensor(), w, groups));
  };
}

Runner bind_dequantize_linear(Node& node) {
  const int64_t axis = node.int_or("axis", 1);
  return [axis](Call& call) {
    const Tensor& x = call[0];
    const Tensor scale = spread(call[1], axis, x.dim());
    const Tensor steps = call.has(2) ? centred(x, call[2], axis) : x;
    call.result(steps.to(kFloat32) * scale);
  };
}

Runner bind_dynamic_quantize_linear(Node&) { return quantize_by_range; }

Runner bind_mat_mul_integer(Node&) {
  return [](Call& call) { call.result(multiply(call[0], call[2], call[1], call[3])); };
}

Runner bind_q_linear_conv(Node& node) {
  const WindowAttributes w = read_window(node);
  const int64_t groups = node.int_or("group", 1);
  return [=](Call& call) { convolve_quantized(call, w, groups); };
}

Runner bind_q_linear_mat_mul(Node&) {
  return [](Call& call) {
    const Tensor sums = multiply(call[0], call[2], call[3], call[5]);
    const Tensor a_scale = spread(call[1], row(call[0]), call[0].dim());
    const Tensor b_scale = spread(call[4], column(call[3]), call[3].dim());
    call.result(requantize(sums, a_scale * b_scale, call, 6));
  };
}

Runner bind_quantize_linear(Node& node) {
  const int64_t axis = node.int_or("axis", 1);
  return [axis](Call& call) {
    const Tensor& x = call[0];
    const Tensor zero = call.has(2) ? spread(call[2], axis, x.dim()) : Tensor();
    call.result(quantize(x, spread(call[1], axis, x.dim()), zero, quantized_dtype(call[2])));
  };
}

}  // namespace frit::onnx::ops
