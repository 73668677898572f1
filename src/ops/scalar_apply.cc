// Runs the op templates of src/ops/math on one lane.
//
// Only five dtypes are instantiated: the 16-bit floats go through f32, small integers through i32.
#include "src/ops/scalar_apply.h"

#include <bit>
#include <cstring>

#include "src/base/check.h"
#include "src/ops/math/integer.h"
#include "src/ops/math/pointwise.h"
#include "src/ops/math/scalar_value.h"
#include "src/tensor/convert.h"

namespace frit {
namespace {

// A dtype's value type, from and to bits.
template <class T>
struct Number {
  using Value = math::Scalar<T>;
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static Value load(uint64_t bits) { return std::bit_cast<T>(static_cast<Bits>(bits)); }
  static uint64_t store(Value v) { return std::bit_cast<Bits>(v.value); }
};

struct Truth {
  using Value = math::ScalarMask<4>;
  static Value load(uint64_t bits) { return Value(bits != 0); }
  static uint64_t store(Value v) { return v.value; }
};

template <class N>
uint64_t store(typename N::Value v) {
  return N::store(v);
}
// Comparisons give masks whatever they compare.
template <class N, int bytes>
requires(!std::is_same_v<N, Truth>) uint64_t store(math::ScalarMask<bytes> m) { return m.value; }

using ScalarFunction = uint64_t (*)(const uint64_t* bits);

// Those have functions of plain integers.
template <class N, Op op>
constexpr bool divides_integers() {
  if constexpr (requires { typename N::Value::Element; })
    return std::is_integral_v<typename N::Value::Element> &&
           (op == Op::floor_divide || op == Op::fmod || op == Op::remainder || op == Op::pow);
  return false;
}

// The function of an op for a dtype, or null.
#define FRIT_UNARY(name, ...)                                                                   \
  template <class N>                                                                            \
  ScalarFunction name##_function() {                                                            \
    if constexpr (requires(typename N::Value v) { math::name(v); })                             \
      return [](const uint64_t* b) -> uint64_t { return store<N>(math::name(N::load(b[0]))); }; \
    return nullptr;                                                                             \
  }
#define FRIT_BINARY(name, ...)                                                 \
  template <class N>                                                           \
  ScalarFunction name##_function() {                                           \
    if constexpr (divides_integers<N, Op::name>())                             \
      return [](const uint64_t* b) -> uint64_t {                               \
        return N::store(math::name(N::load(b[0]).value, N::load(b[1]).value)); \
      };                                                                       \
    else if constexpr (requires(typename N::Value v) { math::name(v, v); })    \
      return [](const uint64_t* b) -> uint64_t {                               \
        return store<N>(math::name(N::load(b[0]), N::load(b[1])));             \
      };                                                                       \
    return nullptr;                                                            \
  }
#define FRIT_TERNARY(name, ...)                                     \
  template <class N>                                                \
  ScalarFunction name##_function() {                                \
    return [](const uint64_t* b) -> uint64_t {                      \
      const typename N::Value x = N::load(b[1]), y = N::load(b[2]); \
      return store<N>(b[0] != 0 ? x : y);                           \
    };                                                              \
  }
#define FRIT_OP(name, ...)
#include "src/ops/ops.def"

template <class N>
ScalarFunction function_for(Op op) {
  switch (op) {
#define FRIT_UNARY(name, ...) \
  case Op::name:              \
    return name##_function<N>();
#define FRIT_BINARY(name, ...) FRIT_UNARY(name)
#define FRIT_TERNARY(name, ...) FRIT_UNARY(name)
#define FRIT_OP(name, ...) \
  case Op::name:           \
    return nullptr;
#include "src/ops/ops.def"
  }
  __builtin_unreachable();
}

// The dtype whose function serves.
Dtype wide_dtype(Dtype dtype) {
  if (is_half(dtype)) return kFloat32;
  if (is_integral(dtype) && byte_size(dtype) < 4) return kInt32;
  return dtype;
}

ScalarFunction find_function(Op op, Dtype compute) {
  switch (wide_dtype(compute)) {
    case Dtype::kF64:
      return function_for<Number<double>>(op);
    case Dtype::kF32:
      return function_for<Number<float>>(op);
    case Dtype::kI64:
      return function_for<Number<int64_t>>(op);
    case Dtype::kI32:
      return function_for<Number<int32_t>>(op);
    default:
      return function_for<Truth>(op);
  }
}

uint64_t float_bits(float v) { return std::bit_cast<uint32_t>(v); }
float as_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

double to_double(Dtype dtype, uint64_t bits) {
  switch (dtype) {
    case Dtype::kF64:
      return std::bit_cast<double>(bits);
    case Dtype::kBF16:
      return to_float(BFloat16{static_cast<uint16_t>(bits)});
    case Dtype::kF16:
      return to_float(Half{static_cast<uint16_t>(bits)});
    default:
      return as_float(bits);
  }
}

int64_t to_integer(Dtype dtype, uint64_t bits) {
  switch (dtype) {
    case Dtype::kI32:
      return static_cast<int32_t>(bits);
    case Dtype::kI16:
      return static_cast<int16_t>(bits);
    case Dtype::kI8:
      return static_cast<int8_t>(bits);
    default:
      return static_cast<int64_t>(bits);  // i64, u8, bool
  }
}

uint64_t from_integer(Dtype dtype, int64_t v) {
  switch (dtype) {
    case Dtype::kF64:
      return std::bit_cast<uint64_t>(static_cast<double>(v));
    case Dtype::kF32:
      return float_bits(static_cast<float>(v));
    case Dtype::kBF16:
      return to_bfloat16(static_cast<float>(v)).bits;
    case Dtype::kF16:
      return to_half(static_cast<float>(v)).bits;
    case Dtype::kI64:
      return static_cast<uint64_t>(v);
    case Dtype::kI32:
      return static_cast<uint32_t>(v);
    case Dtype::kI16:
      return static_cast<uint16_t>(v);
    case Dtype::kI8:
    case Dtype::kU8:
      return static_cast<uint8_t>(v);
    case Dtype::kBool:
      return v != 0;
  }
  __builtin_unreachable();
}

// f64 reaches the 16-bit floats through f32, as in PyTorch.
uint64_t from_double(Dtype dtype, double v) {
  const math::Scalar<double> value = v;
  switch (dtype) {
    case Dtype::kF64:
      return std::bit_cast<uint64_t>(v);
    case Dtype::kF32:
      return float_bits(static_cast<float>(v));
    case Dtype::kBF16:
      return to_bfloat16(static_cast<float>(v)).bits;
    case Dtype::kF16:
      return to_half(static_cast<float>(v)).bits;
    case Dtype::kI64:
      return static_cast<uint64_t>(value.to<int64_t>().value);
    case Dtype::kBool:
      return v != 0;
    default:
      return from_integer(dtype, value.to<int32_t>().value);
  }
}

}  // namespace

bool has_scalar_meaning(Op op, Dtype compute) { return find_function(op, compute) != nullptr; }

uint64_t apply_scalar(Op op, Dtype compute, std::span<const uint64_t> bits) {
  const ScalarFunction function = find_function(op, compute);
  FRIT_CHECK(function != nullptr) << name(op) << " has no meaning for " << name(compute);
  const Dtype wide = wide_dtype(compute);
  if (wide == compute) return function(bits.data());
  FRIT_CHECK(bits.size() <= 3);
  uint64_t operands[3];
  for (size_t i = 0; i < bits.size(); ++i)
    operands[i] = op == Op::where && i == 0 ? bits[0] : cast_scalar(compute, wide, bits[i]);
  const uint64_t result = function(operands);
  return info(op).dtype == DtypeRule::Bool ? result : cast_scalar(wide, compute, result);
}

uint64_t cast_scalar(Dtype from, Dtype to, uint64_t bits) {
  if (from == to) return bits;
  if (is_floating_point(from)) return from_double(to, to_double(from, bits));
  return from_integer(to, to_integer(from, bits));
}

uint64_t scalar_bits(Dtype dtype, const Scalar& scalar) {
  uint64_t bits = 0;
  store_element(dtype, &bits, scalar);
  return bits;
}

}  // namespace frit
