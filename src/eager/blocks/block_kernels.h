// The source of the block kernels, compiled once per ISA level with that level's flags.
//
// A source that includes it defines FRIT_BLOCK_ISA (a value of Isa) and FRIT_BLOCK_NAMESPACE first.
// All templates here and below depend on that ISA by their vector types, so the linker cannot take
// one level's code for another's: no inline function that does not depend on it may be called, only
// compiled ones.
#pragma once

#include <immintrin.h>

#include <cstring>
#include <type_traits>
#include <utility>

#include "src/eager/blocks/blocks.h"
#include "src/ops/math/pointwise.h"
#include "src/ops/math/vector_value.h"

namespace frit::eager::FRIT_BLOCK_NAMESPACE {

inline constexpr Isa kIsa = FRIT_BLOCK_ISA;
inline constexpr int kRegister = math::kRegisterBytes<kIsa>;

// Elements of type Storage in memory, as the value type V that computes on them.
template <class Storage, class V>
struct Lanes {
  using Element = Storage;
  using Value = V;
  static constexpr int kCount = V::kLanes;

  static FRIT_MATH_INLINE V load(const Storage* p) {
    if constexpr (std::is_same_v<Storage, typename V::Element>) {
      return V::load(p);
    } else {
      math::internal::Raw<Storage, kCount> narrow;
      std::memcpy(&narrow, p, sizeof narrow);
      return V::of(__builtin_convertvector(narrow, typename V::Raw));
    }
  }
  static FRIT_MATH_INLINE void store(Storage* p, V v) {
    if constexpr (std::is_same_v<Storage, typename V::Element>) {
      v.store(p);
    } else {
      const auto narrow = __builtin_convertvector(v.raw, math::internal::Raw<Storage, kCount>);
      std::memcpy(p, &narrow, sizeof narrow);
    }
  }
};
template <int bytes, int N>
struct Lanes<bool, math::VectorMask<bytes, N, kIsa>> {
  using Element = bool;
  using Value = math::VectorMask<bytes, N, kIsa>;
  static constexpr int kCount = N;
  static FRIT_MATH_INLINE Value load(const bool* p) { return Value::load(p); }
  static FRIT_MATH_INLINE void store(bool* p, Value v) { v.store(p); }
};
// Halves: their bits, computed on as f32.
template <int N>
struct Lanes<BFloat16, math::Vector<float, N, kIsa>> {
  using Element = BFloat16;
  using Value = math::Vector<float, N, kIsa>;
  using Bits = Lanes<uint16_t, math::Vector<int32_t, N, kIsa>>;
  static constexpr int kCount = N;
  static FRIT_MATH_INLINE Value load(const BFloat16* p) {
    return math::from_bfloat16(Bits::load(&p->bits));
  }
  static FRIT_MATH_INLINE void store(BFloat16* p, Value v) {
    Bits::store(&p->bits, math::to_bfloat16(v));
  }
};
template <int N>
struct Lanes<Half, math::Vector<float, N, kIsa>> {
  using Element = Half;
  using Value = math::Vector<float, N, kIsa>;
  using Bits = Lanes<uint16_t, math::Vector<int32_t, N, kIsa>>;
  static constexpr int kCount = N;
  static FRIT_MATH_INLINE Value load(const Half* p) {
    return math::from_half(Bits::load(&p->bits));
  }
  static FRIT_MATH_INLINE void store(Half* p, Value v) { Bits::store(&p->bits, math::to_half(v)); }
};

// The value type that computes on Storage: itself, or what holds it.
template <class Storage, int N>
struct Computes {
  using Value = math::Vector<Storage, N, kIsa>;
};
template <class Storage, int N>
requires(std::is_integral_v<Storage> && sizeof(Storage) < 4) struct Computes<Storage, N> {
  using Value = math::Vector<int32_t, N, kIsa>;
};
template <int N>
struct Computes<bool, N> {
  using Value = math::VectorMask<4, N, kIsa>;
};
template <int N>
struct Computes<BFloat16, N> {
  using Value = math::Vector<float, N, kIsa>;
};
template <int N>
struct Computes<Half, N> {
  using Value = math::Vector<float, N, kIsa>;
};
template <class Storage, int N>
using LanesOf = Lanes<Storage, typename Computes<Storage, N>::Value>;
// As many as fill a register.
template <class Storage>
using FullLanes = LanesOf<Storage, kRegister / (sizeof(Storage) == 8 ? 8 : 4)>;

// How a result value is stored: masks as bool.
template <class In, class Result>
struct StoredAs {
  using Type = In;
};
template <class In, math::Mask Result>
struct StoredAs<In, Result> {
  using Type = Lanes<bool, Result>;
};

// Copies the first n of N elements and touches nothing beyond them.
template <int N, class E>
FRIT_MATH_INLINE void copy_some(const E* from, E* to, int64_t n) {
  constexpr int kBytes = sizeof(E) * N;
  const auto mask = static_cast<uint16_t>((1u << n) - 1);
  if constexpr (kIsa == Isa::kAvx512 && kBytes == 64 && sizeof(E) == 4) {
    _mm512_mask_storeu_epi32(to, mask, _mm512_maskz_loadu_epi32(mask, from));
  } else if constexpr (kIsa == Isa::kAvx512 && kBytes == 64 && sizeof(E) == 8) {
    _mm512_mask_storeu_epi64(to, mask, _mm512_maskz_loadu_epi64(mask, from));
  } else if constexpr (kIsa == Isa::kAvx2 && kBytes == 32 && sizeof(E) == 4) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i some = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lanes);
    _mm256_maskstore_epi32(reinterpret_cast<int*>(to), some,
                           _mm256_maskload_epi32(reinterpret_cast<const int*>(from), some));
  } else {
    std::memcpy(static_cast<void*>(to), from, n * sizeof(E));
  }
}

// An operand, read vector by vector: a row of elements, or one that is repeated.
template <class L>
class Source {
 public:
  using Element = typename L::Element;
  // Where it lies, apart from the padding, so that loops hold it in registers.
  struct Cursor {
    const Element* data;
    int64_t mask;  // of a position: none of it counts for a repeated element
    FRIT_MATH_INLINE typename L::Value at(int64_t i) const { return L::load(data + (i & mask)); }
  };

  FRIT_MATH_INLINE Source(const void* p, bool broadcast)
      : cursor_{static_cast<const Element*>(p), broadcast ? 0 : -1} {
    if (!broadcast) return;
    for (Element& e : padded_) e = *cursor_.data;
    cursor_.data = padded_;
  }
  FRIT_MATH_INLINE Cursor cursor() const { return cursor_; }
  // Moves on to the last, partial vector, and copies it, so that nothing beyond it is touched.
  FRIT_MATH_INLINE void pad(int64_t begin, int64_t left) {
    if (cursor_.mask == 0) return;
    std::memset(static_cast<void*>(padded_), 0, sizeof padded_);
    copy_some<L::kCount>(cursor_.data + begin, padded_, left);
    cursor_.data = padded_;
  }

 private:
  Cursor cursor_;
  Element padded_[L::kCount];
};

// out[i] = fn(in[i]...), in two rounds of one loop: whole vectors, then what is left as one more.
template <class Out, class Fn, class... In>
FRIT_MATH_INLINE void for_vectors(void* out, int64_t n, Fn fn, Source<In>&&... in) {
  using Element = typename Out::Element;
  Element* to = static_cast<Element*>(out);
  static_assert((Out::kCount & (Out::kCount - 1)) == 0);
  Element last[Out::kCount];
  const int64_t left = n & (Out::kCount - 1), whole = n - left;
  int64_t end = whole;
  for (bool at_last = false;; at_last = true) {
    [&](auto... cursors) FRIT_MATH_LAMBDA {
      for (int64_t i = 0; i < end; i += Out::kCount) Out::store(to + i, fn(cursors.at(i)...));
    }(in.cursor()...);
    if (left == 0) return;
    if (at_last) break;
    (in.pad(whole, left), ...);
    to = last;
    end = Out::kCount;
  }
  copy_some<Out::kCount>(last, static_cast<Element*>(out) + whole, left);
}

template <class Meaning, class L>
void unary_kernel(const void* x, void* out, int64_t n) {
  using Result = decltype(Meaning()(std::declval<typename L::Value>()));
  for_vectors<typename StoredAs<L, Result>::Type>(out, n, Meaning(), Source<L>(x, false));
}

template <class Meaning, class L>
void binary_kernel(const void* a, const void* b, void* out, int64_t n, int mode) {
  using Result =
      decltype(Meaning()(std::declval<typename L::Value>(), std::declval<typename L::Value>()));
  for_vectors<typename StoredAs<L, Result>::Type>(
      out, n, Meaning(), Source<L>(a, mode & kBroadcast0), Source<L>(b, mode & kBroadcast1));
}

template <class Meaning, class L>
void ternary_kernel(const void* condition, const void* a, const void* b, void* out, int64_t n,
                    int mode) {
  using M = Lanes<bool, typename L::Value::Mask>;
  for_vectors<L>(out, n, Meaning(), Source<M>(condition, mode & kBroadcast0),
                 Source<L>(a, mode & kBroadcast1), Source<L>(b, mode & kBroadcast2));
}

// Halves go through the f32 kernel, a buffer at a time, so that there is one copy of each long
// sequence.
inline constexpr int kHalfBlock = 256;

struct Unchanged {
  template <class V>
  FRIT_MATH_INLINE V operator()(V x) const {
    return x;
  }
};

template <class L>
void widen(const void* x, float* out, int64_t n) {
  for_vectors<FullLanes<float>>(out, n, Unchanged(), Source<L>(x, false));
}
template <class L>
void narrow(const float* x, void* out, int64_t n) {
  for_vectors<L>(out, n, Unchanged(), Source<FullLanes<float>>(x, false));
}

template <class Meaning, class Storage, bool to_bool>
void half_unary_kernel(const void* x, void* out, int64_t n) {
  using L = FullLanes<Storage>;
  float wide[kHalfBlock];
  for (int64_t i = 0; i < n; i += kHalfBlock) {
    const int64_t count = n - i < kHalfBlock ? n - i : kHalfBlock;
    widen<L>(static_cast<const Storage*>(x) + i, wide, count);
    if constexpr (to_bool) {
      unary_kernel<Meaning, FullLanes<float>>(wide, static_cast<bool*>(out) + i, count);
    } else {
      unary_kernel<Meaning, FullLanes<float>>(wide, wide, count);
      narrow<L>(wide, static_cast<Storage*>(out) + i, count);
    }
  }
}

template <class Meaning, class Storage, bool to_bool>
void half_binary_kernel(const void* a, const void* b, void* out, int64_t n, int mode) {
  using L = FullLanes<Storage>;
  float wide_a[kHalfBlock], wide_b[kHalfBlock];
  const bool one_a = mode & kBroadcast0, one_b = mode & kBroadcast1;
  for (int64_t i = 0; i < n; i += kHalfBlock) {
    const int64_t count = n - i < kHalfBlock ? n - i : kHalfBlock;
    widen<L>(static_cast<const Storage*>(a) + (one_a ? 0 : i), wide_a, one_a ? 1 : count);
    widen<L>(static_cast<const Storage*>(b) + (one_b ? 0 : i), wide_b, one_b ? 1 : count);
    if constexpr (to_bool) {
      binary_kernel<Meaning, FullLanes<float>>(wide_a, wide_b, static_cast<bool*>(out) + i, count,
                                               mode);
    } else {
      float result[kHalfBlock];
      binary_kernel<Meaning, FullLanes<float>>(wide_a, wide_b, result, count, mode);
      narrow<L>(result, static_cast<Storage*>(out) + i, count);
    }
  }
}

}  // namespace frit::eager::FRIT_BLOCK_NAMESPACE
