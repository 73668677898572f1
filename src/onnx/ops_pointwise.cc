// Elementwise ops. A constant of one element is handed on as a number, which kernels take as an
// argument.
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

using Unary = Tensor (*)(const Tensor&);

// The overloads of one binary op.
struct Binary {
  Tensor (*tensors)(const Tensor&, const Tensor&);
  Tensor (*tensor_number)(const Tensor&, const Scalar&);
  Tensor (*number_tensor)(const Scalar&, const Tensor&);

  Tensor operator()(const Call& call, int a, int b) const {
    if (const auto number = call.number(b, call[a])) return tensor_number(call[a], *number);
    if (const auto number = call.number(a, call[b])) return number_tensor(*number, call[b]);
    return tensors(call[a], call[b]);
  }
  Tensor operator()(const Tensor& accumulated, const Call& call, int i) const {
    if (const auto number = call.number(i, accumulated)) return tensor_number(accumulated, *number);
    return tensors(accumulated, call[i]);
  }
};

// Picks all three overloads of frit::name.
#define FRIT_ONNX_BINARY(name) \
  Binary { frit::name, frit::name, frit::name }

Runner unary(Node& node, Unary op) {
  node.ignore("consumed_inputs");  // of opset 1, still written by some
  return [op](Call& call) { call.result(op(call[0])); };
}

// Before opset 7 the second operand had to have the first one's shape, or, with broadcast=1, a run
// of its dimensions that begins at `axis` (by default the last ones).
Tensor placed_at(const Tensor& b, int64_t axis, int64_t rank) {
  std::vector<int64_t> sizes = b.sizes().vec();
  const int64_t behind = rank - axis - b.dim();
  if (behind < 0)
    throw Error(ErrorKind::kValue, "an operand does not fit at axis " + std::to_string(axis));
  sizes.insert(sizes.end(), behind, 1);
  return b.reshape(sizes);
}

Runner binary(Node& node, Binary op) {
  if (node.opset() >= 7) return [op](Call& call) { call.result(op(call, 0, 1)); };
  node.ignore("consumed_inputs");
  const bool placed = node.int_or("broadcast", 0) != 0 && node.has_attribute("axis");
  const int64_t axis = node.int_or("axis", 0);
  if (!placed) return [op](Call& call) { call.result(op(call, 0, 1)); };
  return [op, axis](Call& call) {
    const int64_t rank = call[0].dim();
    call.result(op.tensors(call[0], placed_at(call[1], wrap_axis(axis, rank), rank)));
  };
}

// The op over all inputs, from the first on.
Runner fold(Node& node, Binary op) {
  node.ignore("consumed_inputs");
  return [op](Call& call) {
    Tensor result = call[0];
    for (int i = 1; i < call.num_inputs(); ++i) result = op(result, call, i);
    call.result(std::move(result));
  };
}

// ONNX divides integers towards zero.
Tensor divide_tensors(const Tensor& a, const Tensor& b) {
  return a.is_floating_point() ? div(a, b) : trunc_divide(a, b);
}
Tensor divide_by_number(const Tensor& a, const Scalar& b) {
  return a.is_floating_point() ? div(a, b) : trunc_divide(a, b);
}
Tensor divide_number(const Scalar& a, const Tensor& b) {
  return b.is_floating_point() ? div(a, b) : trunc_divide(a, b);
}

// The result has the base's dtype, whatever the exponent's is.
Tensor pow_of(const Call& call) {
  const Tensor& base = call[0];
  return FRIT_ONNX_BINARY(pow)(call, 0, 1).to(base.dtype());
}

Tensor clip_low(const Tensor& x, const Call& call) {
  return call.has(1) ? FRIT_ONNX_BINARY(maximum)(x, call, 1) : x;
}

Tensor clip_high(const Tensor& x, const Call& call) {
  return call.has(2) ? FRIT_ONNX_BINARY(minimum)(x, call, 2) : x;
}

void clip(Call& call) {
  const Tensor& x = call[0];
  const auto low = call.number(1, x), high = call.number(2, x);
  call.result(low && high ? clamp(x, low, high) : clip_high(clip_low(x, call), call));
}

}  // namespace

Runner bind_abs(Node& node) { return unary(node, frit::abs); }
Runner bind_ceil(Node& node) { return unary(node, frit::ceil); }
Runner bind_cos(Node& node) { return unary(node, frit::cos); }
Runner bind_erf(Node& node) { return unary(node, frit::erf); }
Runner bind_exp(Node& node) { return unary(node, frit::exp); }
Runner bind_floor(Node& node) { return unary(node, frit::floor); }
Runner bind_is_nan(Node& node) { return unary(node, frit::isnan); }
Runner bind_log(Node& node) { return unary(node, frit::log); }
Runner bind_neg(Node& node) { return unary(node, frit::neg); }
Runner bind_not(Node& node) { return unary(node, frit::logical_not); }
Runner bind_reciprocal(Node& node) { return unary(node, frit::reciprocal); }
Runner bind_relu(Node& node) { return unary(node, frit::relu); }
Runner bind_round(Node& node) { return unary(node, frit::round); }
Runner bind_sigmoid(Node& node) { return unary(node, frit::sigmoid); }
Runner bind_sign(Node& node) { return unary(node, frit::sign); }
Runner bind_sin(Node& node) { return unary(node, frit::sin); }
Runner bind_sqrt(Node& node) { return unary(node, frit::sqrt); }
Runner bind_tan(Node& node) { return unary(node, frit::tan); }
Runner bind_tanh(Node& node) { return unary(node, frit::tanh); }
Runner bind_identity(Node&) {
  return [](Call& call) { call.result(call[0]); };
}

Runner bind_add(Node& node) { return binary(node, FRIT_ONNX_BINARY(add)); }
Runner bind_sub(Node& node) { return binary(node, FRIT_ONNX_BINARY(sub)); }
Runner bind_mul(Node& node) { return binary(node, FRIT_ONNX_BINARY(mul)); }
Runner bind_and(Node& node) { return binary(node, FRIT_ONNX_BINARY(logical_and)); }
Runner bind_or(Node& node) { return binary(node, FRIT_ONNX_BINARY(logical_or)); }
Runner bind_xor(Node& node) { return binary(node, FRIT_ONNX_BINARY(logical_xor)); }
Runner bind_equal(Node& node) { return binary(node, FRIT_ONNX_BINARY(eq)); }
Runner bind_greater(Node& node) { return binary(node, FRIT_ONNX_BINARY(gt)); }
Runner bind_greater_or_equal(Node& node) { return binary(node, FRIT_ONNX_BINARY(ge)); }
Runner bind_less(Node& node) { return binary(node, FRIT_ONNX_BINARY(lt)); }
Runner bind_less_or_equal(Node& node) { return binary(node, FRIT_ONNX_BINARY(le)); }
Runner bind_max(Node& node) { return fold(node, FRIT_ONNX_BINARY(maximum)); }
Runner bind_min(Node& node) { return fold(node, FRIT_ONNX_BINARY(minimum)); }
Runner bind_sum(Node& node) { return fold(node, FRIT_ONNX_BINARY(add)); }

Runner bind_div(Node& node) {
  return binary(node, Binary{divide_tensors, divide_by_number, divide_number});
}

Runner bind_bit_shift(Node& node) {
  const std::string direction = node.string_or("direction", "");
  if (direction == "LEFT") return binary(node, FRIT_ONNX_BINARY(bitwise_left_shift));
  if (direction == "RIGHT") return binary(node, FRIT_ONNX_BINARY(bitwise_right_shift));
  node.fail("direction is " + direction);
}

Runner bind_pow(Node& node) {
  if (node.opset() < 7) return binary(node, FRIT_ONNX_BINARY(pow));
  return [](Call& call) { call.result(pow_of(call)); };
}

Runner bind_where(Node&) {
  return [](Call& call) { call.result(where(call[0], call[1], call[2])); };
}

Runner bind_clip(Node& node) {
  if (node.opset() >= 11) return clip;
  std::optional<Scalar> low, high;
  if (node.has_attribute("min")) low = node.float_or("min", 0);
  if (node.has_attribute("max")) high = node.float_or("max", 0);
  return
      [low, high](Call& call) { call.result(low || high ? clamp(call[0], low, high) : call[0]); };
}

Runner bind_cast(Node& node) {
  node.required_int("to");
  return [dtype = node.dtype_or("to", kFloat32)](Call& call) { call.result(call[0].to(dtype)); };
}

Runner bind_cast_like(Node&) {
  return [](Call& call) { call.result(call[0].to(call[1].dtype())); };
}

Runner bind_is_inf(Node& node) {
  const bool positive = node.int_or("detect_positive", 1) != 0;
  const bool negative = node.int_or("detect_negative", 1) != 0;
  return [=](Call& call) {
    const Tensor found = isinf(call[0]);
    if (positive && negative) return call.result(found);
    const Tensor wanted = positive ? call[0] > 0 : call[0] < 0;
    call.result(positive || negative ? found & wanted : found ^ found);
  };
}

Runner bind_mean(Node& node) {
  node.ignore("consumed_inputs");
  const int count = node.num_inputs();
  return [=](Call& call) {
    Tensor total = call[0];
    for (int i = 1; i < count; ++i) total = total + call[i];
    call.result(total / count);
  };
}

// The sign is the divisor's, or, with fmod=1, the dividend's.
Runner bind_mod(Node& node) {
  const bool like_c = node.int_or("fmod", 0) != 0;
  const Binary op = like_c ? FRIT_ONNX_BINARY(fmod) : FRIT_ONNX_BINARY(remainder);
  return [op](Call& call) { call.result(op(call, 0, 1)); };
}

Runner bind_dropout(Node& node) {
  for (const char* name : {"ratio", "is_test", "seed"}) node.ignore(name);
  if (node.has_input(2)) {
    const Tensor* training = node.constant(2);
    if (!training || training->item<bool>()) node.fail_unsupported("training mode");
  }
  const bool wants_mask = node.has_output(1);
  if (wants_mask && node.opset() < 10) node.fail_unsupported("output 1");
  return [wants_mask](Call& call) {
    call.result(call[0]);
    if (wants_mask) call.result(full(call[0].sizes(), true, kBool), 1);
  };
}

#undef FRIT_ONNX_BINARY

}  // namespace frit::onnx::ops
