// A value type (value.h) whose operations append instructions to a program instead of computing.
//
//   Program p;
//   RecordScope scope(p);
//   p.outputs = {exp(Recorded<float>::of(p.input(Type::kF32, 0))).id};
#pragma once

#include <bit>

#include "src/ops/math/slow.h"
#include "src/ops/math/value.h"

namespace frit::math {

// Where this thread's recorded values append, while the scope lives. Scopes nest.
class RecordScope {
 public:
  explicit RecordScope(Program& program) : outer_(current_) { current_ = &program; }
  ~RecordScope() { current_ = outer_; }
  RecordScope(const RecordScope&) = delete;
  RecordScope& operator=(const RecordScope&) = delete;

  static Program& current() { return *current_; }

 private:
  static thread_local constinit Program* current_;
  Program* outer_;
};

namespace internal {

inline int32_t append(Prim prim, Type type, std::array<int32_t, 4> operands, uint64_t imm = 0) {
  return RecordScope::current().append({prim, type, operands, imm});
}
inline int32_t append1(Prim prim, Type type, int32_t a, uint64_t imm = 0) {
  return append(prim, type, {a, -1, -1, -1}, imm);
}
inline int32_t append2(Prim prim, Type type, int32_t a, int32_t b) {
  return append(prim, type, {a, b, -1, -1});
}
inline int32_t append3(Prim prim, Type type, int32_t a, int32_t b, int32_t c) {
  return append(prim, type, {a, b, c, -1});
}

}  // namespace internal

template <int bytes>
struct RecordedMask {
  static constexpr bool kIsMask = true;
  static constexpr Type kType = bytes == 4 ? Type::kM32 : Type::kM64;
  template <class U>
  using As = RecordedMask<bytes>;
  int32_t id = -1;

  static RecordedMask of(int32_t id) { return RecordedMask(id, 0); }
  explicit RecordedMask(bool b)
      : id(RecordScope::current().constant(kType, !b           ? 0
                                                  : bytes == 4 ? 0xffffffff
                                                               : ~uint64_t{0})) {}
  template <int to>
  RecordedMask<to> resized() const {
    if constexpr (to == bytes)
      return *this;
    else
      return RecordedMask<to>::of(internal::append1(Prim::kConvert, RecordedMask<to>::kType, id));
  }
  friend RecordedMask operator&(RecordedMask a, RecordedMask b) { return two(Prim::kAnd, a, b); }
  friend RecordedMask operator|(RecordedMask a, RecordedMask b) { return two(Prim::kOr, a, b); }
  friend RecordedMask operator^(RecordedMask a, RecordedMask b) { return two(Prim::kXor, a, b); }
  friend RecordedMask and_not(RecordedMask a, RecordedMask b) { return two(Prim::kAndNot, a, b); }
  friend RecordedMask operator~(RecordedMask a) {
    return of(internal::append1(Prim::kNot, kType, a.id));
  }
  friend RecordedMask select(RecordedMask m, RecordedMask a, RecordedMask b) {
    return of(internal::append3(Prim::kSelect, kType, m.id, a.id, b.id));
  }

 private:
  RecordedMask(int32_t i, int) : id(i) {}
  static RecordedMask two(Prim prim, RecordedMask a, RecordedMask b) {
    return of(internal::append2(prim, kType, a.id, b.id));
  }
};

template <class T>
struct Recorded {
  using Element = T;
  static constexpr Type kType = type_of<T>;
  template <class U>
  using As = Recorded<U>;
  using Mask = RecordedMask<sizeof(T)>;
  using Int = Recorded<typename OfWidth<sizeof(T)>::Int>;
  using Float = Recorded<typename OfWidth<sizeof(T)>::Float>;

  int32_t id = -1;

  static Recorded of(int32_t id) { return Recorded(id, 0); }
  Recorded(T c) : id(RecordScope::current().constant(kType, element_bits(c))) {}

  friend Recorded operator+(Recorded a, Recorded b) { return two(Prim::kAdd, a, b); }
  friend Recorded operator-(Recorded a, Recorded b) { return two(Prim::kSub, a, b); }
  friend Recorded operator*(Recorded a, Recorded b) { return two(Prim::kMul, a, b); }
  friend Recorded operator/(Recorded a, Recorded b) requires std::floating_point<T> {
    return two(Prim::kDiv, a, b);
  }
  friend Recorded square_root(Recorded x) { return one(Prim::kSqrt, x); }
  friend Recorded fma(Recorded a, Recorded b, Recorded c) { return three(Prim::kFma, a, b, c); }
  friend Recorded fnma(Recorded a, Recorded b, Recorded c) { return three(Prim::kFnma, a, b, c); }
  friend Recorded min_lt(Recorded a, Recorded b) { return two(Prim::kMinLt, a, b); }
  friend Recorded max_gt(Recorded a, Recorded b) { return two(Prim::kMaxGt, a, b); }
  template <Rounding mode>
  Recorded rounded() const {
    return one(Prim::kRound, *this, static_cast<uint64_t>(mode));
  }

  friend Recorded operator&(Recorded a, Recorded b) requires std::integral<T> {
    return two(Prim::kAnd, a, b);
  }
  friend Recorded operator|(Recorded a, Recorded b) requires std::integral<T> {
    return two(Prim::kOr, a, b);
  }
  friend Recorded operator^(Recorded a, Recorded b) requires std::integral<T> {
    return two(Prim::kXor, a, b);
  }
  friend Recorded operator~(Recorded a) requires std::integral<T> { return one(Prim::kNot, a); }
  friend Recorded and_not(Recorded a, Recorded b) requires std::integral<T> {
    return two(Prim::kAndNot, a, b);
  }
  template <int n>
  Recorded shifted_left() const {
    return one(Prim::kShl, *this, n);
  }
  template <int n>
  Recorded shifted_right() const {
    return one(Prim::kShr, *this, n);
  }
  template <int n>
  Recorded shifted_right_signed() const {
    return one(Prim::kSar, *this, n);
  }

  friend Mask operator<(Recorded a, Recorded b) { return compare(Prim::kLt, a, b); }
  friend Mask operator<=(Recorded a, Recorded b) requires std::floating_point<T> {
    return compare(Prim::kLe, a, b);
  }
  friend Mask operator==(Recorded a, Recorded b) { return compare(Prim::kEq, a, b); }
  friend Recorded select(Mask m, Recorded a, Recorded b) {
    return of(internal::append3(Prim::kSelect, kType, m.id, a.id, b.id));
  }

  Int bits() const { return Int::of(internal::append1(Prim::kBitcast, Int::kType, id)); }
  friend Float as_float(Recorded i) requires std::integral<T> {
    return Float::of(internal::append1(Prim::kBitcast, Float::kType, i.id));
  }
  template <class U>
  Recorded<U> to() const {
    if constexpr (std::is_same_v<T, U>)
      return *this;
    else
      return Recorded<U>::of(internal::append1(Prim::kConvert, type_of<U>, id));
  }
  template <SlowFn fn>
  Recorded slow_lanes(Mask m, Recorded x, Recorded y) const {
    return of(
        internal::append(Prim::kSlow, kType, {m.id, id, x.id, y.id}, static_cast<uint64_t>(fn)));
  }

 private:
  Recorded(int32_t i, int) : id(i) {}
  static uint64_t element_bits(T c) {
    if constexpr (sizeof(T) == 4)
      return std::bit_cast<uint32_t>(c);
    else
      return std::bit_cast<uint64_t>(c);
  }
  static Recorded one(Prim prim, Recorded a, uint64_t imm = 0) {
    return of(internal::append1(prim, kType, a.id, imm));
  }
  static Recorded two(Prim prim, Recorded a, Recorded b) {
    return of(internal::append2(prim, kType, a.id, b.id));
  }
  static Recorded three(Prim prim, Recorded a, Recorded b, Recorded c) {
    return of(internal::append3(prim, kType, a.id, b.id, c.id));
  }
  static Mask compare(Prim prim, Recorded a, Recorded b) {
    return Mask::of(internal::append2(prim, Mask::kType, a.id, b.id));
  }
};

}  // namespace frit::math
