// Division, remainders and powers of integers, one at a time: what integer_division.h does in
// lanes.
//
// A zero divisor gives 0 here, so that no kernel traps; PyTorch's error is the caller's to raise.
#pragma once

#include <concepts>
#include <type_traits>

namespace frit::math {

// Rounds towards minus infinity. The smallest integer over -1 wraps.
template <std::integral T>
constexpr T floor_divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
  }
  const T quotient = static_cast<T>(a / b);
  const bool inexact = quotient * b != a;
  return static_cast<T>(quotient - (inexact && (a < 0) != (b < 0)));
}

// Rounds towards 0. The smallest integer over -1 wraps.
template <std::integral T>
constexpr T trunc_divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
  }
  return static_cast<T>(a / b);
}

// The remainder with the sign of a.
template <std::integral T>
constexpr T fmod(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// The remainder with the sign of b.
template <std::integral T>
constexpr T remainder(T a, T b) {
  const T r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

// Wraps. A negative power is 0, but for those of 1 and -1.
template <std::integral T>
constexpr T pow(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b < 0) {
      if (a == 1) return 1;
      if (a == -1) return b & 1 ? -1 : 1;
      return 0;
    }
  }
  // At least 32 bits wide, since narrower factors would be promoted to int and overflow there.
  using U = std::conditional_t<(sizeof(T) < 4), unsigned, std::make_unsigned_t<T>>;
  U result = 1, base = static_cast<U>(a);
  for (U n = static_cast<U>(b); n != 0; n >>= 1) {
    if (n & 1) result *= base;
    base *= base;
  }
  return static_cast<T>(result);
}

}  // namespace frit::math
