// One lane as a value type (value.h).
//
//   float y = exp(Scalar<float>(x)).value;
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "src/ops/math/slow.h"
#include "src/ops/math/value.h"

namespace frit::math {

template <int bytes>
struct ScalarMask {
  static constexpr bool kIsMask = true;
  bool value;

  FRIT_MATH_INLINE explicit ScalarMask(bool b) : value(b) {}
  template <int to>
  FRIT_MATH_INLINE ScalarMask<to> resized() const {
    return ScalarMask<to>(value);
  }
  template <class U>
  using As = ScalarMask<bytes>;
  friend ScalarMask operator&(ScalarMask a, ScalarMask b) { return ScalarMask(a.value && b.value); }
  friend ScalarMask operator|(ScalarMask a, ScalarMask b) { return ScalarMask(a.value || b.value); }
  friend ScalarMask operator^(ScalarMask a, ScalarMask b) { return ScalarMask(a.value != b.value); }
  friend ScalarMask operator~(ScalarMask a) { return ScalarMask(!a.value); }
  friend ScalarMask and_not(ScalarMask a, ScalarMask b) { return ScalarMask(!a.value && b.value); }
  friend ScalarMask select(ScalarMask m, ScalarMask a, ScalarMask b) { return m.value ? a : b; }
};

template <class T>
struct Scalar {
  using Element = T;
  template <class U>
  using As = Scalar<U>;
  using Mask = ScalarMask<sizeof(T)>;
  using Int = Scalar<typename OfWidth<sizeof(T)>::Int>;
  using Float = Scalar<typename OfWidth<sizeof(T)>::Float>;
  // Where ints wrap.
  using Wrapping = typename std::conditional_t<std::is_integral_v<T>,
                                               std::make_unsigned<typename OfWidth<sizeof(T)>::Int>,
                                               std::type_identity<T>>::type;

  T value;

  FRIT_MATH_INLINE Scalar(T v) : value(v) {}

  friend Scalar operator+(Scalar a, Scalar b) {
    return wrap(Wrapping(a.value) + Wrapping(b.value));
  }
  friend Scalar operator-(Scalar a, Scalar b) {
    return wrap(Wrapping(a.value) - Wrapping(b.value));
  }
  friend Scalar operator*(Scalar a, Scalar b) {
    return wrap(Wrapping(a.value) * Wrapping(b.value));
  }
  friend Scalar operator/(Scalar a, Scalar b) requires std::floating_point<T> {
    return a.value / b.value;
  }
  friend Scalar square_root(Scalar x) { return std::sqrt(x.value); }
  friend Scalar fma(Scalar a, Scalar b, Scalar c) { return std::fma(a.value, b.value, c.value); }
  friend Scalar fnma(Scalar a, Scalar b, Scalar c) { return std::fma(-a.value, b.value, c.value); }
  friend Scalar min_lt(Scalar a, Scalar b) { return a.value < b.value ? a : b; }
  friend Scalar max_gt(Scalar a, Scalar b) { return a.value > b.value ? a : b; }
  template <Rounding mode>
  Scalar rounded() const {
    if constexpr (mode == Rounding::kNearestEven) return std::nearbyint(value);
    if constexpr (mode == Rounding::kFloor) return std::floor(value);
    if constexpr (mode == Rounding::kCeil) return std::ceil(value);
    if constexpr (mode == Rounding::kTrunc) return std::trunc(value);
  }

  friend Scalar operator&(Scalar a, Scalar b) requires std::integral<T> {
    return a.value & b.value;
  }
  friend Scalar operator|(Scalar a, Scalar b) requires std::integral<T> {
    return a.value | b.value;
  }
  friend Scalar operator^(Scalar a, Scalar b) requires std::integral<T> {
    return a.value ^ b.value;
  }
  friend Scalar operator~(Scalar a) requires std::integral<T> { return ~a.value; }
  friend Scalar and_not(Scalar a, Scalar b) requires std::integral<T> { return ~a.value & b.value; }
  template <int n>
  Scalar shifted_left() const {
    return wrap(Wrapping(value) << n);
  }
  template <int n>
  Scalar shifted_right() const {
    return wrap(Wrapping(value) >> n);
  }
  template <int n>
  Scalar shifted_right_signed() const {
    return value >> n;
  }

  friend Mask operator<(Scalar a, Scalar b) { return Mask(a.value < b.value); }
  friend Mask operator<=(Scalar a, Scalar b) requires std::floating_point<T> {
    return Mask(a.value <= b.value);
  }
  friend Mask operator==(Scalar a, Scalar b) { return Mask(a.value == b.value); }
  friend Scalar select(Mask m, Scalar a, Scalar b) { return m.value ? a : b; }

  Int bits() const { return std::bit_cast<typename Int::Element>(value); }
  friend Float as_float(Scalar i) requires std::integral<T> {
    return std::bit_cast<typename Float::Element>(i.value);
  }
  template <class U>
  Scalar<U> to() const {
    if constexpr (std::is_floating_point_v<T> && std::is_integral_v<U>) {
      constexpr T kLimit = T(uint64_t{1} << (sizeof(U) * 8 - 1));
      const bool fits = value > -kLimit - 1 && value < kLimit;
      return fits ? static_cast<U>(value) : std::numeric_limits<U>::min();
    } else {
      return static_cast<U>(value);
    }
  }
  template <SlowFn fn>
  Scalar slow_lanes(Mask m, Scalar x, Scalar y) const {
    if (!m.value) return *this;
    return slow_function<T>(fn)(x.value, y.value);
  }

 private:
  static Scalar wrap(Wrapping v) { return static_cast<T>(v); }
};

}  // namespace frit::math
