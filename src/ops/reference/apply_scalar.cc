// Instantiates the elementwise templates for one lane, a function per op and dtype.
#include "src/ops/reference/apply_scalar.h"

#include <bit>
#include <type_traits>

#include "src/base/check.h"
#include "src/ops/math/pointwise.h"
#include "src/ops/math/scalar_value.h"
#include "src/tensor/convert.h"

namespace frit::reference {
namespace {

template <class T>
T from_bits(uint64_t bits) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else
    return static_cast<T>(bits);
}

template <class T>
uint64_t to_bits(T value) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

// An element of type T in a lane of type Lane, which is i32 for the narrow ints.
template <class T, class Lane>
struct Number {
  using Value = math::Scalar<Lane>;
  using Mask = typename Value::Mask;
  static Value load(uint64_t bits) { return Value(static_cast<Lane>(from_bits<T>(bits))); }
};

struct Bool {
  using Value = math::ScalarMask<4>;
  using Mask = Value;
  static Value load(uint64_t bits) { return Value(bits != 0); }
};

// T: what a lane becomes when it is stored.
template <class T, class V>
uint64_t store(V value) {
  if constexpr (math::Mask<V>)
    return value.value;
  else
    return to_bits(static_cast<T>(value.value));
}

// Each op's function for an element kind E stored as T, or null where it has no meaning.
#define FRIT_UNARY(name, ...)                                                         \
  struct name##_meaning {                                                             \
    template <class T, class E>                                                       \
    static constexpr ScalarFn fn() {                                                  \
      if constexpr (requires(typename E::Value v) { math::name(v); })                 \
        return [](const uint64_t* x) { return store<T>(math::name(E::load(x[0]))); }; \
      return nullptr;                                                                 \
    }                                                                                 \
  };
#define FRIT_BINARY(name, ...)                                                                    \
  struct name##_meaning {                                                                         \
    template <class T, class E>                                                                   \
    static constexpr ScalarFn fn() {                                                              \
      if constexpr (requires(typename E::Value v) { math::name(v, v); })                          \
        return                                                                                    \
            [](const uint64_t* x) { return store<T>(math::name(E::load(x[0]), E::load(x[1]))); }; \
      return nullptr;                                                                             \
    }                                                                                             \
  };
#define FRIT_TERNARY(name, ...)
#define FRIT_OP(name, ...)
#include "src/ops/ops.def"

struct where_meaning {
  template <class T, class E>
  static constexpr ScalarFn fn() {
    return [](const uint64_t* x) {
      return store<T>(math::where(typename E::Mask(x[0] != 0), E::load(x[1]), E::load(x[2])));
    };
  }
};

template <class Meaning>
ScalarFn fn_for(Dtype compute) {
  switch (compute) {
    case Dtype::kF64:
      return Meaning::template fn<double, Number<double, double>>();
    case Dtype::kF32:
      return Meaning::template fn<float, Number<float, float>>();
    case Dtype::kI64:
      return Meaning::template fn<int64_t, Number<int64_t, int64_t>>();
    case Dtype::kI32:
      return Meaning::template fn<int32_t, Number<int32_t, int32_t>>();
    case Dtype::kI16:
      return Meaning::template fn<int16_t, Number<int16_t, int32_t>>();
    case Dtype::kI8:
      return Meaning::template fn<int8_t, Number<int8_t, int32_t>>();
    case Dtype::kU8:
      return Meaning::template fn<uint8_t, Number<uint8_t, int32_t>>();
    case Dtype::kBool:
      return Meaning::template fn<uint8_t, Bool>();
    case Dtype::kBF16:
    case Dtype::kF16:
      return nullptr;
  }
  __builtin_unreachable();
}

template <class From>
uint64_t cast_from(Dtype to, From value) {
  const math::Scalar<From> x(value);
  switch (to) {
    case Dtype::kF64:
      return to_bits(x.template to<double>().value);
    case Dtype::kF32:
      return to_bits(x.template to<float>().value);
    case Dtype::kI64:
      return to_bits(x.template to<int64_t>().value);
    case Dtype::kI32:
      return to_bits(x.template to<int32_t>().value);
    case Dtype::kI16:
      return to_bits(static_cast<int16_t>(x.template to<int32_t>().value));
    case Dtype::kI8:
      return to_bits(static_cast<int8_t>(x.template to<int32_t>().value));
    case Dtype::kU8:
      return to_bits(static_cast<uint8_t>(x.template to<int32_t>().value));
    case Dtype::kBF16:
      return to_bfloat16(x.template to<float>().value).bits;
    case Dtype::kF16:
      return to_half(x.template to<float>().value).bits;
    case Dtype::kBool:
      return value != 0;
  }
  __builtin_unreachable();
}

}  // namespace

ScalarFn scalar_fn(Op op, Dtype compute) {
  switch (op) {
#define FRIT_UNARY(name, ...) \
  case Op::name:              \
    return fn_for<name##_meaning>(compute);
#define FRIT_BINARY(name, ...) FRIT_UNARY(name)
#define FRIT_TERNARY(name, ...) FRIT_UNARY(name)
#define FRIT_OP(name, ...) \
  case Op::name:           \
    return nullptr;
#include "src/ops/ops.def"
  }
  __builtin_unreachable();
}

uint64_t apply_scalar(Op op, Dtype compute, std::span<const uint64_t> operands) {
  const ScalarFn fn = scalar_fn(op, compute);
  FRIT_CHECK(fn != nullptr) << name(op) << " has no meaning for " << name(compute);
  FRIT_CHECK(static_cast<int>(operands.size()) == info(op).operands) << name(op);
  return fn(operands.data());
}

Dtype scalar_result(Op op, Dtype compute) {
  return info(op).dtype == DtypeRule::Bool ? Dtype::kBool : compute;
}

uint64_t cast_scalar(Dtype from, Dtype to, uint64_t bits) {
  switch (from) {
    case Dtype::kF64:
      return cast_from(to, from_bits<double>(bits));
    case Dtype::kF32:
      return cast_from(to, from_bits<float>(bits));
    case Dtype::kI64:
      return cast_from(to, from_bits<int64_t>(bits));
    case Dtype::kI32:
      return cast_from(to, from_bits<int32_t>(bits));
    case Dtype::kI16:
      return cast_from(to, static_cast<int32_t>(from_bits<int16_t>(bits)));
    case Dtype::kI8:
      return cast_from(to, static_cast<int32_t>(from_bits<int8_t>(bits)));
    case Dtype::kU8:
      return cast_from(to, static_cast<int32_t>(from_bits<uint8_t>(bits)));
    case Dtype::kBF16:
      return cast_from(to, to_float(BFloat16{static_cast<uint16_t>(bits)}));
    case Dtype::kF16:
      return cast_from(to, to_float(Half{static_cast<uint16_t>(bits)}));
    case Dtype::kBool:
      return cast_from(to, static_cast<int32_t>(bits != 0));
  }
  __builtin_unreachable();
}

}  // namespace frit::reference
