// Element types of tensors.
//
//   frit::Dtype d = frit::kFloat32;
//   frit::byte_size(d);      // 4
//   frit::name(d);           // "f32"
//
// The short names (f32, i64, ...) are those of the text forms; PyTorch's names (kFloat, kLong, ...)
// are constants of the same type.
#pragma once

#include <cstdint>
#include <string_view>

namespace frit {

enum class Dtype : uint8_t { kF64, kF32, kBF16, kF16, kI64, kI32, kI16, kI8, kU8, kBool };

inline constexpr int kNumDtypes = 10;

inline constexpr Dtype kFloat64 = Dtype::kF64, kDouble = Dtype::kF64;
inline constexpr Dtype kFloat32 = Dtype::kF32, kFloat = Dtype::kF32;
inline constexpr Dtype kBFloat16 = Dtype::kBF16;
inline constexpr Dtype kFloat16 = Dtype::kF16, kHalf = Dtype::kF16;
inline constexpr Dtype kInt64 = Dtype::kI64, kLong = Dtype::kI64;
inline constexpr Dtype kInt32 = Dtype::kI32, kInt = Dtype::kI32;
inline constexpr Dtype kInt16 = Dtype::kI16, kShort = Dtype::kI16;
inline constexpr Dtype kInt8 = Dtype::kI8, kChar = Dtype::kI8;
inline constexpr Dtype kUInt8 = Dtype::kU8, kByte = Dtype::kU8;
inline constexpr Dtype kBool = Dtype::kBool;

// Size of one element in bytes.
namespace detail {
// Here and not in the functions, where compilers make them anew at each call.
inline constexpr int kByteSizes[kNumDtypes] = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1};
inline constexpr std::string_view kDtypeNames[kNumDtypes] = {"f64", "f32", "bf16", "f16", "i64",
                                                             "i32", "i16", "i8",   "u8",  "bool"};
}  // namespace detail

constexpr int byte_size(Dtype d) { return detail::kByteSizes[static_cast<int>(d)]; }

// The name in text forms and messages: "f32", "i64", "bool".
constexpr std::string_view name(Dtype d) { return detail::kDtypeNames[static_cast<int>(d)]; }

constexpr bool is_floating_point(Dtype d) { return d <= Dtype::kF16; }
constexpr bool is_integral(Dtype d) { return d >= Dtype::kI64 && d <= Dtype::kU8; }  // without bool
// Ints that are computed in i32 and wrapped after each op.
constexpr bool is_small_int(Dtype d) { return d >= Dtype::kI16 && d <= Dtype::kU8; }
constexpr bool is_half(Dtype d) { return d == Dtype::kBF16 || d == Dtype::kF16; }

// Storage types of the two 16-bit floats: bits only. Arithmetic happens in f32.
struct BFloat16 {
  uint16_t bits;
};
struct Half {
  uint16_t bits;
};

// The C++ type of an element, as a Dtype: dtype_of<float> is kF32.
template <class T>
inline constexpr Dtype dtype_of = T::unsupported_element_type;
template <>
inline constexpr Dtype dtype_of<double> = Dtype::kF64;
template <>
inline constexpr Dtype dtype_of<float> = Dtype::kF32;
template <>
inline constexpr Dtype dtype_of<BFloat16> = Dtype::kBF16;
template <>
inline constexpr Dtype dtype_of<Half> = Dtype::kF16;
template <>
inline constexpr Dtype dtype_of<int64_t> = Dtype::kI64;
template <>
inline constexpr Dtype dtype_of<int32_t> = Dtype::kI32;
template <>
inline constexpr Dtype dtype_of<int16_t> = Dtype::kI16;
template <>
inline constexpr Dtype dtype_of<int8_t> = Dtype::kI8;
template <>
inline constexpr Dtype dtype_of<uint8_t> = Dtype::kU8;
template <>
inline constexpr Dtype dtype_of<bool> = Dtype::kBool;

}  // namespace frit
