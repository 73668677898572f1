// Vectors and masks of more lanes than a register has: two halves, each operation done to both. So
// f32 of a full register can become f64 with as many lanes. Part of vector_value.h.
#pragma once

#include "src/ops/math/vector_value.h"

namespace frit::math {

template <int bytes, int N, Isa isa>
requires internal::kIsWide<typename OfWidth<bytes>::Int, N, isa>
struct VectorMask<bytes, N, isa> {
  static constexpr bool kIsMask = true;
  static constexpr int kLanes = N;
  using Lane = typename OfWidth<bytes>::Int;
  template <class U>
  using As = VectorMask;
  using Half = VectorMask<bytes, N / 2, isa>;

  Half low, high;

  FRIT_MATH_INLINE VectorMask(Half l, Half h) : low(l), high(h) {}
  FRIT_MATH_INLINE explicit VectorMask(bool b) : low(b), high(b) {}
  template <int to>
  FRIT_MATH_INLINE VectorMask<to, N, isa> resized() const {
    if constexpr (to == bytes)
      return *this;
    else
      return internal::joined<VectorMask<to, N, isa>>(low.template resized<to>(),
                                                      high.template resized<to>());
  }
  FRIT_MATH_INLINE bool any() const { return (low | high).any(); }
  friend FRIT_MATH_INLINE VectorMask operator&(VectorMask a, VectorMask b) {
    return {a.low & b.low, a.high & b.high};
  }
  friend FRIT_MATH_INLINE VectorMask operator|(VectorMask a, VectorMask b) {
    return {a.low | b.low, a.high | b.high};
  }
  friend FRIT_MATH_INLINE VectorMask operator^(VectorMask a, VectorMask b) {
    return {a.low ^ b.low, a.high ^ b.high};
  }
  friend FRIT_MATH_INLINE VectorMask operator~(VectorMask a) { return {~a.low, ~a.high}; }
  friend FRIT_MATH_INLINE VectorMask and_not(VectorMask a, VectorMask b) {
    return {and_not(a.low, b.low), and_not(a.high, b.high)};
  }
  friend FRIT_MATH_INLINE VectorMask select(VectorMask m, VectorMask a, VectorMask b) {
    return {select(m.low, a.low, b.low), select(m.high, a.high, b.high)};
  }
};

template <class T, int N, Isa isa>
requires internal::kIsWide<T, N, isa>
struct Vector<T, N, isa> {
  using Element = T;
  static constexpr int kLanes = N;
  template <class U>
  using As = Vector<U, N, isa>;
  using Mask = VectorMask<sizeof(T), N, isa>;
  using Int = Vector<typename OfWidth<sizeof(T)>::Int, N, isa>;
  using Float = Vector<typename OfWidth<sizeof(T)>::Float, N, isa>;
  using Half = Vector<T, N / 2, isa>;

  Half low, high;

  FRIT_MATH_INLINE Vector(Half l, Half h) : low(l), high(h) {}
  FRIT_MATH_INLINE Vector(T c) : low(c), high(c) {}

  friend FRIT_MATH_INLINE Vector operator+(Vector a, Vector b) {
    return {a.low + b.low, a.high + b.high};
  }
  friend FRIT_MATH_INLINE Vector operator-(Vector a, Vector b) {
    return {a.low - b.low, a.high - b.high};
  }
  friend FRIT_MATH_INLINE Vector operator*(Vector a, Vector b) {
    return {a.low * b.low, a.high * b.high};
  }
  friend FRIT_MATH_INLINE Vector operator/(Vector a, Vector b) requires std::floating_point<T> {
    return {a.low / b.low, a.high / b.high};
  }
  friend FRIT_MATH_INLINE Vector square_root(Vector x) {
    return {square_root(x.low), square_root(x.high)};
  }
  friend FRIT_MATH_INLINE Vector fma(Vector a, Vector b, Vector c) {
    return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
  }
  friend FRIT_MATH_INLINE Vector fnma(Vector a, Vector b, Vector c) {
    return {fnma(a.low, b.low, c.low), fnma(a.high, b.high, c.high)};
  }
  friend FRIT_MATH_INLINE Vector min_lt(Vector a, Vector b) {
    return {min_lt(a.low, b.low), min_lt(a.high, b.high)};
  }
  friend FRIT_MATH_INLINE Vector max_gt(Vector a, Vector b) {
    return {max_gt(a.low, b.low), max_gt(a.high, b.high)};
  }
  template <Rounding mode>
  FRIT_MATH_INLINE Vector rounded() const {
    return {low.template rounded<mode>(), high.template rounded<mode>()};
  }

  friend FRIT_MATH_INLINE Vector operator&(Vector a, Vector b) requires std::integral<T> {
    return {a.low & b.low, a.high & b.high};
  }
  friend FRIT_MATH_INLINE Vector operator|(Vector a, Vector b) requires std::integral<T> {
    return {a.low | b.low, a.high | b.high};
  }
  friend FRIT_MATH_INLINE Vector operator^(Vector a, Vector b) requires std::integral<T> {
    return {a.low ^ b.low, a.high ^ b.high};
  }
  friend FRIT_MATH_INLINE Vector operator~(Vector a) requires std::integral<T> {
    return {~a.low, ~a.high};
  }
  friend FRIT_MATH_INLINE Vector and_not(Vector a, Vector b) requires std::integral<T> {
    return {and_not(a.low, b.low), and_not(a.high, b.high)};
  }
  template <int n>
  FRIT_MATH_INLINE Vector shifted_left() const {
    return {low.template shifted_left<n>(), high.template shifted_left<n>()};
  }
  template <int n>
  FRIT_MATH_INLINE Vector shifted_right() const {
    return {low.template shifted_right<n>(), high.template shifted_right<n>()};
  }
  friend FRIT_MATH_INLINE Mask operator<(Vector a, Vector b) {
    return {a.low < b.low, a.high < b.high};
  }
  friend FRIT_MATH_INLINE Mask operator<=(Vector a, Vector b) requires std::floating_point<T> {
    return {a.low <= b.low, a.high <= b.high};
  }
  friend FRIT_MATH_INLINE Mask operator==(Vector a, Vector b) {
    return {a.low == b.low, a.high == b.high};
  }
  friend FRIT_MATH_INLINE Vector select(Mask m, Vector a, Vector b) {
    return {select(m.low, a.low, b.low), select(m.high, a.high, b.high)};
  }

  FRIT_MATH_INLINE Int bits() const { return {low.bits(), high.bits()}; }
  friend FRIT_MATH_INLINE Float as_float(Vector i) requires std::integral<T> {
    return {as_float(i.low), as_float(i.high)};
  }
  template <class U>
  FRIT_MATH_INLINE Vector<U, N, isa> to() const {
    if constexpr (std::is_same_v<T, U>)
      return *this;
    else if constexpr (internal::kIsWide<U, N, isa>)
      return {low.template to<U>(), high.template to<U>()};
    else
      return internal::joined<Vector<U, N, isa>>(low.template to<U>(), high.template to<U>());
  }
  template <SlowFn fn>
  FRIT_MATH_INLINE Vector slow_lanes(Mask m, Vector x, Vector y) const {
    return {low.template slow_lanes<fn>(m.low, x.low, y.low),
            high.template slow_lanes<fn>(m.high, x.high, y.high)};
  }
};

}  // namespace frit::math
