// N lanes as a value type (value.h), on GCC's vector extensions.
//
//   Vector<float, 8, Isa::kAvx2> y = exp(Vector<float, 8, Isa::kAvx2>::load(p));   y.store(q);
//
// Include it only in sources that are compiled with the flags of the ISA level, and let everything
// there depend on that Isa argument: then no code that a lower level must not run can be shared
// with it by the linker. Vectors wider than a register are worked on in halves
// (wide_vector_value.h), so that f32 and f64 with the same number of lanes can meet.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "src/base/cpu.h"
#include "src/ops/math/slow.h"
#include "src/ops/math/value.h"

namespace frit::math {

template <Isa isa>
inline constexpr int kRegisterBytes = isa == Isa::kBaseline ? 16
                                      : isa == Isa::kAvx2   ? 32
                                                            : 64;

namespace internal {

template <class T, int N>
struct RawVector {
  typedef T Type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using Raw = typename RawVector<T, N>::Type;

// Whether N lanes need more than one register (wide_vector_value.h).
template <class T, int N, Isa isa>
inline constexpr bool kIsWide = N * sizeof(T) > kRegisterBytes<isa>;

// Half of a vector or mask, and the whole from both.
template <class Half, class Whole>
FRIT_MATH_INLINE Half half_of(const Whole& v, int which) {
  typename Half::Raw half;
  std::memcpy(&half, reinterpret_cast<const char*>(&v.raw) + which * sizeof(half), sizeof(half));
  return Half::of(half);
}
template <class Whole, class Half>
FRIT_MATH_INLINE Whole joined(const Half& low, const Half& high) {
  typename Whole::Raw v;
  std::memcpy(&v, &low.raw, sizeof(low.raw));
  std::memcpy(reinterpret_cast<char*>(&v) + sizeof(low.raw), &high.raw, sizeof(high.raw));
  return Whole::of(v);
}

}  // namespace internal

template <int bytes, int N, Isa isa>
struct VectorMask {
  static constexpr bool kIsMask = true;
  static constexpr int kLanes = N;
  using Lane = typename OfWidth<bytes>::Int;
  using Raw = internal::Raw<Lane, N>;
  template <class U>
  using As = VectorMask;

  Raw raw;  // all ones or all zeros

  static FRIT_MATH_INLINE VectorMask of(Raw r) {
    VectorMask m(false);
    m.raw = r;
    return m;
  }
  FRIT_MATH_INLINE explicit VectorMask(bool b) : raw(Raw{} - Lane(b)) {}
  template <int to>
  FRIT_MATH_INLINE VectorMask<to, N, isa> resized() const {
    using To = VectorMask<to, N, isa>;
    if constexpr (internal::kIsWide<typename To::Lane, N, isa>) {
      using Narrow = VectorMask<bytes, N / 2, isa>;
      return {internal::half_of<Narrow>(*this, 0).template resized<to>(),
              internal::half_of<Narrow>(*this, 1).template resized<to>()};
    } else {
      return To::of(__builtin_convertvector(raw, typename To::Raw));
    }
  }
  FRIT_MATH_INLINE bool any() const {
    if constexpr (sizeof(Raw) > 16) {
      using Half = VectorMask<bytes, N / 2, isa>;
      return (internal::half_of<Half>(*this, 0) | internal::half_of<Half>(*this, 1)).any();
    } else {
      uint64_t words[2] = {};
      std::memcpy(words, &raw, sizeof raw);
      return (words[0] | words[1]) != 0;
    }
  }
  // N bytes of bools.
  FRIT_MATH_INLINE void store(bool* p) const {
    if constexpr (sizeof(Raw) == 16 || sizeof(Raw) == 32) {
      const __m128i bytes_of_lanes = packed();
      std::memcpy(p, &bytes_of_lanes, N);
    } else {
      const auto ones = __builtin_convertvector(raw, internal::Raw<int8_t, N>) & 1;
      std::memcpy(p, &ones, N);
    }
  }
  // Any byte but 0 is true.
  static FRIT_MATH_INLINE VectorMask load(const bool* p) {
    internal::Raw<int8_t, N> b;
    std::memcpy(&b, p, N);
    return of(__builtin_convertvector(b != 0, Raw));
  }
  friend FRIT_MATH_INLINE VectorMask operator&(VectorMask a, VectorMask b) {
    return of(a.raw & b.raw);
  }
  friend FRIT_MATH_INLINE VectorMask operator|(VectorMask a, VectorMask b) {
    return of(a.raw | b.raw);
  }
  friend FRIT_MATH_INLINE VectorMask operator^(VectorMask a, VectorMask b) {
    return of(a.raw ^ b.raw);
  }
  friend FRIT_MATH_INLINE VectorMask operator~(VectorMask a) { return of(~a.raw); }
  friend FRIT_MATH_INLINE VectorMask and_not(VectorMask a, VectorMask b) {
    return of(~a.raw & b.raw);
  }
  friend FRIT_MATH_INLINE VectorMask select(VectorMask m, VectorMask a, VectorMask b) {
    return of((m.raw & a.raw) | (~m.raw & b.raw));
  }

 private:
  // A byte of 0 or 1 per lane, in the low N bytes. (g++ 12 takes masks apart lane by lane
  // otherwise.)
  FRIT_MATH_INLINE __m128i packed() const {
    __m128i low, high;
    std::memcpy(&low, &raw, 16);
    std::memcpy(&high, reinterpret_cast<const char*>(&raw) + sizeof(Raw) - 16, 16);
    if constexpr (bytes == 8) {
      const __m128 even = _mm_shuffle_ps((__m128)low, (__m128)high, 0x88);
      low = high = (__m128i)even;
    }
    const __m128i words = _mm_packs_epi32(low, high);
    return _mm_and_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(1));
  }
};

template <class T, int N, Isa isa>
struct Vector {
  using Element = T;
  static constexpr int kLanes = N;
  static constexpr int kBytes = N * sizeof(T);
  using Raw = internal::Raw<T, N>;
  template <class U>
  using As = Vector<U, N, isa>;
  using Mask = VectorMask<sizeof(T), N, isa>;
  using Int = Vector<typename OfWidth<sizeof(T)>::Int, N, isa>;
  using Float = Vector<typename OfWidth<sizeof(T)>::Float, N, isa>;
  // Where ints wrap.
  using Wrapping = internal::Raw<
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<typename Int::Element>,
                                  std::type_identity<T>>::type,
      N>;

  Raw raw;

  static FRIT_MATH_INLINE Vector of(Raw r) {
    Vector v;
    v.raw = r;
    return v;
  }
  FRIT_MATH_INLINE Vector(T c) : raw(Raw{} + c) {
    if constexpr (std::is_floating_point_v<T>) {
      for (int i = 0; i < N; ++i) raw[i] = c;  // 0.0 + -0.0 is 0.0
    }
  }

  static FRIT_MATH_INLINE Vector load(const T* p) {
    Vector v;
    std::memcpy(&v.raw, p, sizeof(Raw));
    return v;
  }
  FRIT_MATH_INLINE void store(T* p) const { std::memcpy(p, &raw, sizeof(Raw)); }

  friend FRIT_MATH_INLINE Vector operator+(Vector a, Vector b) {
    return of((Raw)((Wrapping)a.raw + (Wrapping)b.raw));
  }
  friend FRIT_MATH_INLINE Vector operator-(Vector a, Vector b) {
    return of((Raw)((Wrapping)a.raw - (Wrapping)b.raw));
  }
  friend FRIT_MATH_INLINE Vector operator*(Vector a, Vector b) {
    return of((Raw)((Wrapping)a.raw * (Wrapping)b.raw));
  }
  friend FRIT_MATH_INLINE Vector operator/(Vector a, Vector b) requires std::floating_point<T> {
    return of(a.raw / b.raw);
  }
  friend FRIT_MATH_INLINE Vector square_root(Vector x) { return x.root(); }
  friend FRIT_MATH_INLINE Vector fma(Vector a, Vector b, Vector c) { return multiply_add(a, b, c); }
  friend FRIT_MATH_INLINE Vector fnma(Vector a, Vector b, Vector c) {
    return multiply_add(of(-a.raw), b, c);
  }
  friend FRIT_MATH_INLINE Vector min_lt(Vector a, Vector b) { return a.min_of(b); }
  friend FRIT_MATH_INLINE Vector max_gt(Vector a, Vector b) { return a.max_of(b); }
  template <Rounding mode>
  FRIT_MATH_INLINE Vector rounded() const;

  friend FRIT_MATH_INLINE Vector operator&(Vector a, Vector b) requires std::integral<T> {
    return of(a.raw & b.raw);
  }
  friend FRIT_MATH_INLINE Vector operator|(Vector a, Vector b) requires std::integral<T> {
    return of(a.raw | b.raw);
  }
  friend FRIT_MATH_INLINE Vector operator^(Vector a, Vector b) requires std::integral<T> {
    return of(a.raw ^ b.raw);
  }
  friend FRIT_MATH_INLINE Vector operator~(Vector a) requires std::integral<T> {
    return of(~a.raw);
  }
  friend FRIT_MATH_INLINE Vector and_not(Vector a, Vector b) requires std::integral<T> {
    return of(~a.raw & b.raw);
  }
  template <int n>
  FRIT_MATH_INLINE Vector shifted_left() const {
    return of((Raw)((Wrapping)raw << n));
  }
  template <int n>
  FRIT_MATH_INLINE Vector shifted_right() const {
    return of((Raw)((Wrapping)raw >> n));
  }
  template <int n>
  FRIT_MATH_INLINE Vector shifted_right_signed() const {
    return of(raw >> n);
  }

  friend FRIT_MATH_INLINE Mask operator<(Vector a, Vector b) {
    return Mask::of((typename Mask::Raw)(a.raw < b.raw));
  }
  friend FRIT_MATH_INLINE Mask operator<=(Vector a, Vector b) requires std::floating_point<T> {
    return Mask::of((typename Mask::Raw)(a.raw <= b.raw));
  }
  friend FRIT_MATH_INLINE Mask operator==(Vector a, Vector b) {
    return Mask::of((typename Mask::Raw)(a.raw == b.raw));
  }
  friend FRIT_MATH_INLINE Vector select(Mask m, Vector a, Vector b) {
    return of(m.raw ? a.raw : b.raw);
  }

  FRIT_MATH_INLINE Int bits() const { return Int::of((typename Int::Raw)raw); }
  friend FRIT_MATH_INLINE Float as_float(Vector i) requires std::integral<T> {
    return Float::of((typename Float::Raw)i.raw);
  }
  template <class U>
  FRIT_MATH_INLINE Vector<U, N, isa> to() const;
  template <SlowFn fn>
  FRIT_MATH_INLINE Vector slow_lanes(Mask m, Vector x, Vector y) const {
    if (__builtin_expect(!m.any(), 1)) return *this;
    return replace_lanes<fn>(m, x, y);
  }

 private:
  FRIT_MATH_INLINE Vector() {}
  template <class U, int M, Isa other>
  friend struct Vector;

  FRIT_MATH_INLINE Vector root() const;
  // x86's instructions: where denormals are zero, what they return is zero as well, and a
  // comparison with a blend would return the denormal.
  FRIT_MATH_INLINE Vector min_of(Vector b) const;
  FRIT_MATH_INLINE Vector max_of(Vector b) const;
  // Without the instruction: the library's fma, slow and right.
  static FRIT_MATH_INLINE Vector lane_by_lane(Vector a, Vector b, Vector c) {
    Vector v = a;
    for (int i = 0; i < N; ++i)
      v.raw[i] = sizeof(T) == 4 ? T(__builtin_fmaf(a.raw[i], b.raw[i], c.raw[i]))
                                : T(__builtin_fma(a.raw[i], b.raw[i], c.raw[i]));
    return v;
  }
  static FRIT_MATH_INLINE Vector multiply_add(Vector a, Vector b, Vector c);
  template <Rounding mode>
  FRIT_MATH_INLINE Vector rounded_lane_by_lane() const;
  template <SlowFn fn>
  [[gnu::noinline, gnu::cold]] Vector replace_lanes(Mask m, Vector x, Vector y) const {
    const SlowFunction<T> function = slow_function<T>(fn);
    Vector v = *this;
    for (int i = 0; i < N; ++i)
      if (m.raw[i]) v.raw[i] = function(x.raw[i], y.raw[i]);
    return v;
  }
};

template <class T, int N, Isa isa>
FRIT_MATH_INLINE Vector<T, N, isa> Vector<T, N, isa>::multiply_add(Vector a, Vector b, Vector c) {
  if constexpr (kBytes < 16) {
    return lane_by_lane(a, b, c);
  }
#ifdef __FMA__
  else if constexpr (kBytes == 16 && sizeof(T) == 4)
    return of((Raw)_mm_fmadd_ps((__m128)a.raw, (__m128)b.raw, (__m128)c.raw));
  else if constexpr (kBytes == 16)
    return of((Raw)_mm_fmadd_pd((__m128d)a.raw, (__m128d)b.raw, (__m128d)c.raw));
  else if constexpr (kBytes == 32 && sizeof(T) == 4)
    return of((Raw)_mm256_fmadd_ps((__m256)a.raw, (__m256)b.raw, (__m256)c.raw));
  else if constexpr (kBytes == 32)
    return of((Raw)_mm256_fmadd_pd((__m256d)a.raw, (__m256d)b.raw, (__m256d)c.raw));
#endif
#ifdef __AVX512F__
  else if constexpr (kBytes == 64 && sizeof(T) == 4)
    return of((Raw)_mm512_fmadd_ps((__m512)a.raw, (__m512)b.raw, (__m512)c.raw));
  else if constexpr (kBytes == 64)
    return of((Raw)_mm512_fmadd_pd((__m512d)a.raw, (__m512d)b.raw, (__m512d)c.raw));
#endif
  else {
    return lane_by_lane(a, b, c);
  }
}

template <class T, int N, Isa isa>
FRIT_MATH_INLINE Vector<T, N, isa> Vector<T, N, isa>::root() const {
  if constexpr (kBytes == 16 && sizeof(T) == 4)
    return of((Raw)_mm_sqrt_ps((__m128)raw));
  else if constexpr (kBytes == 16)
    return of((Raw)_mm_sqrt_pd((__m128d)raw));
#ifdef __AVX__
  else if constexpr (kBytes == 32 && sizeof(T) == 4)
    return of((Raw)_mm256_sqrt_ps((__m256)raw));
  else if constexpr (kBytes == 32)
    return of((Raw)_mm256_sqrt_pd((__m256d)raw));
#endif
#ifdef __AVX512F__
  else if constexpr (kBytes == 64 && sizeof(T) == 4)
    return of((Raw)_mm512_sqrt_ps((__m512)raw));
  else if constexpr (kBytes == 64)
    return of((Raw)_mm512_sqrt_pd((__m512d)raw));
#endif
  else {
    Vector v = *this;
    for (int i = 0; i < N; ++i)
      v.raw[i] = sizeof(T) == 4 ? T(__builtin_sqrtf(raw[i])) : T(__builtin_sqrt(raw[i]));
    return v;
  }
}

template <class T, int N, Isa isa>
FRIT_MATH_INLINE Vector<T, N, isa> Vector<T, N, isa>::min_of(Vector b) const {
  if constexpr (kBytes == 16 && sizeof(T) == 4)
    return of((Raw)_mm_min_ps((__m128)raw, (__m128)b.raw));
  else if constexpr (kBytes == 16)
    return of((Raw)_mm_min_pd((__m128d)raw, (__m128d)b.raw));
#ifdef __AVX__
  else if constexpr (kBytes == 32 && sizeof(T) == 4)
    return of((Raw)_mm256_min_ps((__m256)raw, (__m256)b.raw));
  else if constexpr (kBytes == 32)
    return of((Raw)_mm256_min_pd((__m256d)raw, (__m256d)b.raw));
#endif
#ifdef __AVX512F__
  else if constexpr (kBytes == 64 && sizeof(T) == 4)
    return of((Raw)_mm512_min_ps((__m512)raw, (__m512)b.raw));
  else if constexpr (kBytes == 64)
    return of((Raw)_mm512_min_pd((__m512d)raw, (__m512d)b.raw));
#endif
  else
    return of(raw < b.raw ? raw : b.raw);
}

template <class T, int N, Isa isa>
FRIT_MATH_INLINE Vector<T, N, isa> Vector<T, N, isa>::max_of(Vector b) const {
  if constexpr (kBytes == 16 && sizeof(T) == 4)
    return of((Raw)_mm_max_ps((__m128)raw, (__m128)b.raw));
  else if constexpr (kBytes == 16)
    return of((Raw)_mm_max_pd((__m128d)raw, (__m128d)b.raw));
#ifdef __AVX__
  else if constexpr (kBytes == 32 && sizeof(T) == 4)
    return of((Raw)_mm256_max_ps((__m256)raw, (__m256)b.raw));
  else if constexpr (kBytes == 32)
    return of((Raw)_mm256_max_pd((__m256d)raw, (__m256d)b.raw));
#endif
#ifdef __AVX512F__
  else if constexpr (kBytes == 64 && sizeof(T) == 4)
    return of((Raw)_mm512_max_ps((__m512)raw, (__m512)b.raw));
  else if constexpr (kBytes == 64)
    return of((Raw)_mm512_max_pd((__m512d)raw, (__m512d)b.raw));
#endif
  else
    return of(raw > b.raw ? raw : b.raw);
}

namespace internal {

template <Rounding mode>
FRIT_MATH_INLINE double round_lane(double x) {
  if constexpr (mode == Rounding::kNearestEven) return __builtin_nearbyint(x);
  if constexpr (mode == Rounding::kFloor) return __builtin_floor(x);
  if constexpr (mode == Rounding::kCeil) return __builtin_ceil(x);
  return __builtin_trunc(x);
}

}  // namespace internal

template <class T, int N, Isa isa>
template <Rounding mode>
FRIT_MATH_INLINE Vector<T, N, isa> Vector<T, N, isa>::rounded_lane_by_lane() const {
  Vector v = *this;
  for (int i = 0; i < N; ++i) v.raw[i] = static_cast<T>(internal::round_lane<mode>(raw[i]));
  return v;
}

template <class T, int N, Isa isa>
template <Rounding mode>
FRIT_MATH_INLINE Vector<T, N, isa> Vector<T, N, isa>::rounded() const {
  [[maybe_unused]] constexpr int kMode = static_cast<int>(mode) | _MM_FROUND_NO_EXC;
  if constexpr (kBytes < 16) return rounded_lane_by_lane<mode>();
#ifdef __AVX__
  else if constexpr (kBytes == 16 && sizeof(T) == 4)
    return of((Raw)_mm_round_ps((__m128)raw, kMode));
  else if constexpr (kBytes == 16)
    return of((Raw)_mm_round_pd((__m128d)raw, kMode));
  else if constexpr (kBytes == 32 && sizeof(T) == 4)
    return of((Raw)_mm256_round_ps((__m256)raw, kMode));
  else if constexpr (kBytes == 32)
    return of((Raw)_mm256_round_pd((__m256d)raw, kMode));
#endif
#ifdef __AVX512F__
  else if constexpr (kBytes == 64 && sizeof(T) == 4)
    return of((Raw)_mm512_roundscale_ps((__m512)raw, kMode));
  else if constexpr (kBytes == 64)
    return of((Raw)_mm512_roundscale_pd((__m512d)raw, kMode));
#endif
  else {
    return rounded_lane_by_lane<mode>();
  }
}

template <class T, int N, Isa isa>
template <class U>
FRIT_MATH_INLINE Vector<U, N, isa> Vector<T, N, isa>::to() const {
  using To = Vector<U, N, isa>;
  if constexpr (std::is_same_v<T, U>) {
    return *this;
  } else if constexpr (internal::kIsWide<U, N, isa>) {
    using Narrow = Vector<T, N / 2, isa>;
    return {internal::half_of<Narrow>(*this, 0).template to<U>(),
            internal::half_of<Narrow>(*this, 1).template to<U>()};
  } else {
    return To::of(__builtin_convertvector(raw, typename To::Raw));
  }
}

}  // namespace frit::math

#include "src/ops/math/wide_vector_value.h"
