// Operands for the tests of pointwise math: special values first, then bit patterns and numbers of
// ordinary size.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "src/ops/math/program.h"

namespace frit::math {

template <class T>
uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint64_t>(value);
}

template <class T>
std::vector<uint64_t> special_floats() {
  using L = std::numeric_limits<T>;
  std::vector<uint64_t> bits;
  for (T v : {T(0),
              T(1),
              T(0.5),
              T(2),
              T(3),
              T(1.5),
              T(2.5),
              T(10),
              T(88.5),
              T(104),
              T(709.5),
              T(745),
              T(1e5),
              T(1e10),
              L::min(),
              L::denorm_min(),
              L::min() / 2,
              L::max(),
              L::epsilon(),
              T(1) - L::epsilon() / 2,
              T(1) + L::epsilon(),
              T(0.7853981633974483),
              T(1.5707963267948966),
              T(8388607.5),
              T(2147483648.0),
              T(9223372036854775808.0),
              T(65519.996),
              T(65520),
              L::infinity(),
              L::quiet_NaN()}) {
    bits.push_back(bits_of(v));
    bits.push_back(bits_of(-v));
  }
  return bits;
}

inline std::vector<uint64_t> specials(Type type) {
  const uint64_t lowest = type == Type::kI32 ? 0x80000000 : uint64_t{1} << 63;
  const uint64_t ones = byte_width(type) == 4 ? 0xffffffff : ~uint64_t{0};
  switch (type) {
    case Type::kF32:
      return special_floats<float>();
    case Type::kF64:
      return special_floats<double>();
    case Type::kI32:
    case Type::kI64:
      return {0, 1, 2, 7, ones, ones - 1, ones - 6, lowest, lowest + 1, lowest - 1, 0x10001};
    case Type::kM32:
    case Type::kM64:
      return {0, ones};
  }
  return {};
}

// An operand that may be anything: half of them any bits, half numbers up to a power of ten.
inline uint64_t random_bits(Type type, std::mt19937_64& random) {
  const uint64_t bits = random();
  if (is_mask(type)) return bits & 1 ? (byte_width(type) == 4 ? 0xffffffff : ~uint64_t{0}) : 0;
  const double number = static_cast<double>(static_cast<int64_t>(random())) * 0x1p-63 *
                        std::pow(10.0, static_cast<int>(bits >> 8 & 7) - 2);
  const bool any = bits & 1;
  switch (type) {
    case Type::kF32:
      return any ? random() >> 32 : bits_of(static_cast<float>(number));
    case Type::kF64:
      return any ? random() : bits_of(number);
    case Type::kI32:
      return any ? random() >> 32 : static_cast<uint32_t>(static_cast<int32_t>(number));
    default:
      return any ? random() : static_cast<uint64_t>(static_cast<int64_t>(number));
  }
}

// n tuples of `arity` operands, one after the other: all tuples of specials while they last, then
// random ones.
inline std::vector<uint64_t> samples(Type type, int arity, int64_t n, uint64_t seed) {
  const std::vector<uint64_t> special = specials(type);
  std::mt19937_64 random(seed);
  std::vector<uint64_t> all;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t index = i;
    for (int k = 0; k < arity; ++k, index /= special.size())
      all.push_back(index < special.size() || k + 1 < arity ? special[index % special.size()]
                                                            : random_bits(type, random));
    if (index == 0) continue;
    for (int k = 0; k < arity; ++k) all[all.size() - 1 - k] = random_bits(type, random);
  }
  return all;
}

inline bool is_nan(Type type, uint64_t bits) {
  if (type == Type::kF32) return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return type == Type::kF64 && std::isnan(std::bit_cast<double>(bits));
}

}  // namespace frit::math
