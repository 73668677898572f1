// What a written sequence is a template over: a value type V, one or many lanes of one element
// type.
//
//   template <Float V> V reciprocal(V x) { return V(1) / x; }
//
// Scalar<T> (scalar_value.h) is one lane, for reference loops and folding. Vector<T, N, Isa>
// (vector_value.h) is N lanes, for eager kernels. Recorded<T> (recorded_value.h) appends
// instructions to a Program, for emitters. The three give the same bits, because each operation
// below is one primitive instruction (prims.def) and a sequence consists of nothing else: no branch
// on a value, no libm.
//
// V, of element type V::Element (float, double, int32_t, int64_t):
//   V(c)                           c, an Element, in every lane
//   a + b, a - b, a * b            ints wrap
//   a / b, square_root(x)          floats
//   fma(a, b, c), fnma(a, b, c)    floats: a*b + c, c - a*b, rounded once
//   min_lt(a, b), max_gt(a, b)     floats: a < b ? a : b, a > b ? a : b
//   x.rounded<mode>()              floats: to an integer
//   a & b, a | b, a ^ b, ~a        ints; and_not(a, b) is ~a & b
//   x.shifted_left<n>()            ints; also shifted_right, and for i32 shifted_right_signed
//   a < b, a <= b, a == b          V::Mask; false on NaN; a <= b floats only
//   select(m, a, b)                m ? a : b
//   x.bits(), as_float(i)          the same bits as V::Int, V::Float: types of the same width
//   x.to<U>()                      converted to V::As<U>, which has as many lanes (kConvert)
//   v.slow_lanes<fn>(m, x, y)      m ? fn(x, y) : v, where m is rarely set anywhere
// V::Mask has & | ^ ~ and_not and select too, Mask(b) for a bool b in every lane, and
// m.resized<bytes>() for lanes of another width.
#pragma once

#include <concepts>
#include <cstdint>

#include "src/ops/math/program.h"
#include "src/ops/math/slow.h"

// Sequences are long, used in few places, and pass vectors by value.
#define FRIT_MATH_INLINE __attribute__((always_inline)) inline
#define FRIT_MATH_LAMBDA __attribute__((always_inline))

namespace frit::math {

template <int bytes>
struct OfWidth;
template <>
struct OfWidth<4> {
  using Int = int32_t;
  using Float = float;
};
template <>
struct OfWidth<8> {
  using Int = int64_t;
  using Float = double;
};

template <class V>
concept Float = std::floating_point<typename V::Element>;
template <class V>
concept Integer = std::signed_integral<typename V::Element>;
template <class V>
concept Number = Float<V> || Integer<V>;
// A mask type stands for bool: it has no Element.
template <class V>
concept Mask = requires {
  V::kIsMask;
};

template <class T>
inline constexpr Type type_of = T::no_such_type;
template <>
inline constexpr Type type_of<float> = Type::kF32;
template <>
inline constexpr Type type_of<double> = Type::kF64;
template <>
inline constexpr Type type_of<int32_t> = Type::kI32;
template <>
inline constexpr Type type_of<int64_t> = Type::kI64;

// Whether V's elements are 32 bits wide: sequences choose their coefficients by it.
template <class V>
inline constexpr bool kIsSingle = sizeof(typename V::Element) == 4;

}  // namespace frit::math
