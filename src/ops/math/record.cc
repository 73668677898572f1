// Records ops by instantiating their templates for the recording type.
#include "src/ops/math/record.h"

#include "src/base/check.h"
#include "src/ops/math/pointwise.h"
#include "src/ops/math/recorded_value.h"

namespace frit::math {

thread_local constinit Program* RecordScope::current_ = nullptr;

namespace {

using Result = std::optional<int32_t>;
using Ids = std::span<const int32_t>;

// Each op's meaning for V, where it has one.
#define FRIT_UNARY(name, ...)                                                              \
  struct name##_meaning {                                                                  \
    template <class V>                                                                     \
    static Result record(Ids ids) {                                                        \
      if constexpr (requires(V v) { math::name(v); }) return math::name(V::of(ids[0])).id; \
      return std::nullopt;                                                                 \
    }                                                                                      \
  };
#define FRIT_BINARY(name, ...)                              \
  struct name##_meaning {                                   \
    template <class V>                                      \
    static Result record(Ids ids) {                         \
      if constexpr (requires(V v) { math::name(v, v); })    \
        return math::name(V::of(ids[0]), V::of(ids[1])).id; \
      return std::nullopt;                                  \
    }                                                       \
  };
#define FRIT_TERNARY(name, ...)
#define FRIT_OP(name, ...)
#include "src/ops/ops.def"

// The condition may be a mask of either width.
template <int bytes>
RecordedMask<bytes> mask_operand(int32_t id) {
  if (RecordScope::current()[id].type == Type::kM32)
    return RecordedMask<4>::of(id).resized<bytes>();
  return RecordedMask<8>::of(id).resized<bytes>();
}

struct where_meaning {
  template <class V>
  static Result record(Ids ids) {
    constexpr int kBytes = byte_width(V::kType);
    return where(mask_operand<kBytes>(ids[0]), V::of(ids[1]), V::of(ids[2])).id;
  }
};

template <class Meaning>
Result record_as(Type type, Ids ids) {
  switch (type) {
    case Type::kF32:
      return Meaning::template record<Recorded<float>>(ids);
    case Type::kF64:
      return Meaning::template record<Recorded<double>>(ids);
    case Type::kI32:
      return Meaning::template record<Recorded<int32_t>>(ids);
    case Type::kI64:
      return Meaning::template record<Recorded<int64_t>>(ids);
    case Type::kM32:
      return Meaning::template record<RecordedMask<4>>(ids);
    case Type::kM64:
      return Meaning::template record<RecordedMask<8>>(ids);
  }
  __builtin_unreachable();
}

template <class V>
int32_t number_from(Type from, int32_t id) {
  using T = typename V::Element;
  constexpr int kBytes = sizeof(T);
  switch (from) {
    case Type::kF32:
      return Recorded<float>::of(id).to<T>().id;
    case Type::kF64:
      return Recorded<double>::of(id).to<T>().id;
    case Type::kI32:
      return Recorded<int32_t>::of(id).to<T>().id;
    case Type::kI64:
      return Recorded<int64_t>::of(id).to<T>().id;
    case Type::kM32:
    case Type::kM64:
      return from_mask<V>(mask_operand<kBytes>(id)).id;
  }
  __builtin_unreachable();
}

template <int bytes>
int32_t mask_from(Type from, int32_t id) {
  switch (from) {
    case Type::kF32:
      return truth(Recorded<float>::of(id)).resized<bytes>().id;
    case Type::kF64:
      return truth(Recorded<double>::of(id)).resized<bytes>().id;
    case Type::kI32:
      return truth(Recorded<int32_t>::of(id)).resized<bytes>().id;
    case Type::kI64:
      return truth(Recorded<int64_t>::of(id)).resized<bytes>().id;
    case Type::kM32:
    case Type::kM64:
      return mask_operand<bytes>(id).id;
  }
  __builtin_unreachable();
}

}  // namespace

std::optional<int32_t> record(Program& program, Op op, std::span<const int32_t> operands) {
  RecordScope scope(program);
  const Type type = program[operands.back()].type;
  switch (op) {
#define FRIT_UNARY(name, ...) \
  case Op::name:              \
    return record_as<name##_meaning>(type, operands);
#define FRIT_BINARY(name, ...) FRIT_UNARY(name)
#define FRIT_TERNARY(name, ...) FRIT_UNARY(name)
#define FRIT_OP(name, ...) \
  case Op::name:           \
    return std::nullopt;
#include "src/ops/ops.def"
  }
  __builtin_unreachable();
}

int32_t record_cast(Program& program, int32_t operand, Type to) {
  RecordScope scope(program);
  const Type from = program[operand].type;
  if (from == to) return operand;
  switch (to) {
    case Type::kF32:
      return number_from<Recorded<float>>(from, operand);
    case Type::kF64:
      return number_from<Recorded<double>>(from, operand);
    case Type::kI32:
      return number_from<Recorded<int32_t>>(from, operand);
    case Type::kI64:
      return number_from<Recorded<int64_t>>(from, operand);
    case Type::kM32:
      return mask_from<4>(from, operand);
    case Type::kM64:
      return mask_from<8>(from, operand);
  }
  __builtin_unreachable();
}

int32_t record_wrapped(Program& program, int32_t value, Dtype dtype) {
  if (!is_small_int(dtype)) return value;
  RecordScope scope(program);
  const auto x = Recorded<int32_t>::of(value);
  if (dtype == Dtype::kU8) return wrapped_unsigned<8>(x).id;
  return (dtype == Dtype::kI8 ? wrapped_signed<8>(x) : wrapped_signed<16>(x)).id;
}

int32_t record_from_bfloat16(Program& program, int32_t bits) {
  RecordScope scope(program);
  return from_bfloat16(Recorded<int32_t>::of(bits)).id;
}
int32_t record_to_bfloat16(Program& program, int32_t value) {
  RecordScope scope(program);
  return to_bfloat16(Recorded<float>::of(value)).id;
}
int32_t record_from_half(Program& program, int32_t bits) {
  RecordScope scope(program);
  return from_half(Recorded<int32_t>::of(bits)).id;
}
int32_t record_to_half(Program& program, int32_t value) {
  RecordScope scope(program);
  return to_half(Recorded<float>::of(value)).id;
}

}  // namespace frit::math
