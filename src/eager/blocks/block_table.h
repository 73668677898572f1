// Fills the block table of one ISA level from the op table. Included like block_kernels.h, by one
// source per level.
#pragma once

#include "src/eager/blocks/block_kernels.h"
#include "src/ops/math/box_muller.h"

namespace frit::eager::FRIT_BLOCK_NAMESPACE {

// Each op's meaning as a type.
#define FRIT_UNARY(name, ...)                                       \
  struct name##_meaning {                                           \
    template <class V>                                              \
    FRIT_MATH_INLINE auto operator()(V x) const requires requires { \
      math::name(x);                                                \
    }                                                               \
    { return math::name(x); }                                       \
  };
#define FRIT_BINARY(name, ...)                                           \
  struct name##_meaning {                                                \
    template <class V>                                                   \
    FRIT_MATH_INLINE auto operator()(V a, V b) const requires requires { \
      math::name(a, b);                                                  \
    }                                                                    \
    { return math::name(a, b); }                                         \
  };
#define FRIT_TERNARY(name, ...)                             \
  struct name##_meaning {                                   \
    template <class M, class V>                             \
    FRIT_MATH_INLINE auto operator()(M m, V a, V b) const { \
      return math::name(m, a, b);                           \
    }                                                       \
  };
#define FRIT_OP(name, ...)
#include "src/ops/ops.def"

template <class Meaning, class Storage>
constexpr UnaryBlock unary_of() {
  using L = FullLanes<Storage>;
  using V = typename L::Value;
  if constexpr (!std::is_invocable_v<Meaning, V>) {
    return nullptr;
  } else if constexpr (std::is_class_v<Storage>) {
    return half_unary_kernel<Meaning, Storage, math::Mask<std::invoke_result_t<Meaning, V>>>;
  } else {
    return unary_kernel<Meaning, L>;
  }
}

template <class Meaning, class Storage>
constexpr BinaryBlock binary_of() {
  using L = FullLanes<Storage>;
  using V = typename L::Value;
  if constexpr (!std::is_invocable_v<Meaning, V, V>) {
    return nullptr;
  } else if constexpr (std::is_class_v<Storage>) {
    return half_binary_kernel<Meaning, Storage, math::Mask<std::invoke_result_t<Meaning, V, V>>>;
  } else {
    return binary_kernel<Meaning, L>;
  }
}

// Choosing moves bits only, so the width is all that counts.
template <class Meaning, int bytes>
constexpr TernaryBlock ternary_of() {
  if constexpr (bytes == 8) return ternary_kernel<Meaning, FullLanes<int64_t>>;
  if constexpr (bytes == 4) return ternary_kernel<Meaning, FullLanes<int32_t>>;
  if constexpr (bytes == 2) return ternary_kernel<Meaning, FullLanes<int16_t>>;
  return ternary_kernel<Meaning, FullLanes<uint8_t>>;
}

#define FRIT_EACH_STORAGE(X) \
  X(double)                  \
  X(float) X(BFloat16) X(Half) X(int64_t) X(int32_t) X(int16_t) X(int8_t) X(uint8_t) X(bool)

template <class Meaning>
void fill_unary(UnaryBlock* row) {
#define FRIT_CELL(T) row[static_cast<int>(dtype_of<T>)] = unary_of<Meaning, T>();
  FRIT_EACH_STORAGE(FRIT_CELL)
#undef FRIT_CELL
}

template <class Meaning>
void fill_binary(BinaryBlock* row) {
#define FRIT_CELL(T) row[static_cast<int>(dtype_of<T>)] = binary_of<Meaning, T>();
  FRIT_EACH_STORAGE(FRIT_CELL)
#undef FRIT_CELL
}

template <class Meaning>
void fill_ternary(TernaryBlock* row) {
#define FRIT_CELL(T) row[static_cast<int>(dtype_of<T>)] = ternary_of<Meaning, sizeof(T)>();
  FRIT_EACH_STORAGE(FRIT_CELL)
#undef FRIT_CELL
}

// Casts.

template <class To, class V>
FRIT_MATH_INLINE To converted(V value) {
  if constexpr (math::Mask<To> && math::Mask<V>) {
    return value;
  } else if constexpr (math::Mask<To>) {
    return math::truth(value).template resized<4>();
  } else if constexpr (math::Mask<V>) {
    return math::from_mask<To>(value.template resized<sizeof(typename To::Element)>());
  } else {
    return value.template to<typename To::Element>();
  }
}

template <class From, class To>
void cast_kernel(const void* x, void* out, int64_t n) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(out, x, n * sizeof(From));
  } else {
    constexpr int kWidth = sizeof(From) == 8 || sizeof(To) == 8 ? 8 : 4;
    using In = LanesOf<From, kRegister / kWidth>;
    using Out = LanesOf<To, kRegister / kWidth>;
    const auto convert = [](typename In::Value value)
                             FRIT_MATH_LAMBDA { return converted<typename Out::Value>(value); };
    for_vectors<Out>(out, n, convert, Source<In>(x, false));
  }
}

template <class From>
void fill_casts(CastBlock* row) {
#define FRIT_CELL(T) row[static_cast<int>(dtype_of<T>)] = cast_kernel<From, T>;
  FRIT_EACH_STORAGE(FRIT_CELL)
#undef FRIT_CELL
}

inline void make_normal(float* numbers, int64_t groups) {
  constexpr int kHalfGroup = 8;
  using L = LanesOf<float, kRegister / 4 < kHalfGroup ? kRegister / 4 : kHalfGroup>;
  for (int64_t g = 0; g < groups; ++g, numbers += 2 * kHalfGroup)
    for (int i = 0; i < kHalfGroup; i += L::kCount) {
      float* const other = numbers + i + kHalfGroup;
      const auto [first, second] = math::box_muller(L::load(numbers + i), L::load(other));
      L::store(numbers + i, first);
      L::store(other, second);
    }
}

void fill(BlockTable& table) {
  table.make_normal = make_normal;
#define FRIT_UNARY(name, ...) fill_unary<name##_meaning>(table.unary[static_cast<int>(Op::name)]);
#define FRIT_BINARY(name, ...) \
  fill_binary<name##_meaning>(table.binary[static_cast<int>(Op::name)]);
#define FRIT_TERNARY(name, ...) \
  fill_ternary<name##_meaning>(table.ternary[static_cast<int>(Op::name)]);
#define FRIT_OP(name, ...)
#include "src/ops/ops.def"
#define FRIT_CELL(T) fill_casts<T>(table.cast[static_cast<int>(dtype_of<T>)]);
  FRIT_EACH_STORAGE(FRIT_CELL)
#undef FRIT_CELL
}

}  // namespace frit::eager::FRIT_BLOCK_NAMESPACE
