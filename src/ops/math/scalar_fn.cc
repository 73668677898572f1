// Instantiates the templates for one plain lane.
#include "src/ops/math/scalar_fn.h"

#include "src/ops/math/pointwise.h"
#include "src/ops/math/scalar_value.h"

namespace frit::math {
namespace {

template <class T>
Scalar<T> operand(uint64_t bits, Scalar<T>*) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<T>(bits);
}
template <int bytes>
ScalarMask<bytes> operand(uint64_t bits, ScalarMask<bytes>*) {
  return ScalarMask<bytes>(bits != 0);
}
template <class V>
V operand(uint64_t bits) {
  return operand(bits, static_cast<V*>(nullptr));
}

template <class T>
uint64_t result(Scalar<T> v) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(v.value);
  else
    return std::bit_cast<uint64_t>(v.value);
}
template <int bytes>
uint64_t result(ScalarMask<bytes> m) {
  return !m.value ? 0 : bytes == 4 ? 0xffffffff : ~uint64_t{0};
}

template <class V>
struct MaskOf {
  using Type = typename V::Mask;
};
template <int bytes>
struct MaskOf<ScalarMask<bytes>> {
  using Type = ScalarMask<bytes>;
};

#define FRIT_UNARY(name, ...)                                                          \
  struct name##_meaning {                                                              \
    template <class V>                                                                 \
    static constexpr ScalarFn fn() {                                                   \
      if constexpr (requires(V v) { math::name(v); })                                  \
        return [](const uint64_t* x) { return result(math::name(operand<V>(x[0]))); }; \
      return nullptr;                                                                  \
    }                                                                                  \
  };
#define FRIT_BINARY(name, ...)                                           \
  struct name##_meaning {                                                \
    template <class V>                                                   \
    static constexpr ScalarFn fn() {                                     \
      if constexpr (requires(V v) { math::name(v, v); })                 \
        return [](const uint64_t* x) {                                   \
          return result(math::name(operand<V>(x[0]), operand<V>(x[1]))); \
        };                                                               \
      return nullptr;                                                    \
    }                                                                    \
  };
#define FRIT_TERNARY(name, ...)                                                             \
  struct name##_meaning {                                                                   \
    template <class V>                                                                      \
    static constexpr ScalarFn fn() {                                                        \
      return [](const uint64_t* x) {                                                        \
        return result(math::name(operand<typename MaskOf<V>::Type>(x[0]), operand<V>(x[1]), \
                                 operand<V>(x[2])));                                        \
      };                                                                                    \
    }                                                                                       \
  };
#define FRIT_OP(name, ...)
#include "src/ops/ops.def"

template <class Meaning>
ScalarFn fn_for(Type type) {
  switch (type) {
    case Type::kF32:
      return Meaning::template fn<Scalar<float>>();
    case Type::kF64:
      return Meaning::template fn<Scalar<double>>();
    case Type::kI32:
      return Meaning::template fn<Scalar<int32_t>>();
    case Type::kI64:
      return Meaning::template fn<Scalar<int64_t>>();
    case Type::kM32:
      return Meaning::template fn<ScalarMask<4>>();
    case Type::kM64:
      return Meaning::template fn<ScalarMask<8>>();
  }
  __builtin_unreachable();
}

}  // namespace

ScalarFn scalar_fn(Op op, Type type) {
  switch (op) {
#define FRIT_UNARY(name, ...) \
  case Op::name:              \
    return fn_for<name##_meaning>(type);
#define FRIT_BINARY(name, ...) FRIT_UNARY(name)
#define FRIT_TERNARY(name, ...) FRIT_UNARY(name)
#define FRIT_OP(name, ...) \
  case Op::name:           \
    return nullptr;
#include "src/ops/ops.def"
  }
  __builtin_unreachable();
}

}  // namespace frit::math
