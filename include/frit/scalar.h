// A host number as an operand: a bool, an integer or a float, as PyTorch's Scalar.
//
//   x + 2       // int scalar: an i32 tensor stays i32
//   x + 2.5     // float scalar: an i32 tensor becomes f32, an f16 tensor stays f16
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace frit {

class Scalar {
 public:
  enum class Kind : uint8_t { kBool, kInt, kFloat };

  constexpr Scalar() : kind_(Kind::kInt), int_(0) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Scalar(T value)  // NOLINT: implicit on purpose, as numbers are operands
      : kind_(std::is_same_v<T, bool> ? Kind::kBool
              : std::is_integral_v<T> ? Kind::kInt
                                      : Kind::kFloat) {
    if constexpr (std::is_floating_point_v<T>) {
      float_ = static_cast<double>(value);
    } else {
      int_ = static_cast<int64_t>(value);
    }
  }

  constexpr Kind kind() const { return kind_; }
  constexpr bool is_float() const { return kind_ == Kind::kFloat; }
  constexpr double to_double() const { return is_float() ? float_ : static_cast<double>(int_); }
  // A float is truncated; NaN and values out of range give INT64_MIN, as a cast does on x86.
  constexpr int64_t to_int() const {
    if (!is_float()) return int_;
    return float_ >= -0x1p63 && float_ < 0x1p63 ? static_cast<int64_t>(float_) : INT64_MIN;
  }
  constexpr bool to_bool() const { return is_float() ? float_ != 0 : int_ != 0; }
  // The 64 bits of the value, for comparing and hashing: 0.0 and -0.0 differ.
  uint64_t bits() const {
    return is_float() ? __builtin_bit_cast(uint64_t, float_) : static_cast<uint64_t>(int_);
  }
  // Same kind and same bits.
  bool identical(const Scalar& other) const {
    return kind_ == other.kind_ && bits() == other.bits();
  }

 private:
  Kind kind_;
  union {
    int64_t int_;
    double float_;
  };
};

}  // namespace frit
