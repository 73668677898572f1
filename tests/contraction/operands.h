// Operands and comparisons for the tests of contractions.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "src/base/cpu.h"
#include "src/base/flags.h"

namespace frit::contraction {

// Numbers that look random, the same in every run.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 2654435761u + 1) {}
  uint64_t bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  template <class T>
  T next() {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(bits()) / T(1u << 30) - T(1);
    else
      return static_cast<T>(bits());
  }
  template <class T>
  std::vector<T> some(int64_t count) {
    std::vector<T> values(static_cast<size_t>(count));
    for (T& value : values) value = next<T>();
    return values;
  }

 private:
  uint64_t state_;
};

// Puts infinities, NaNs, zeros of both signs and tiny numbers among the values.
template <class T>
void sprinkle_specials(std::vector<T>& values, Numbers& numbers) {
  const T kSpecials[] = {std::numeric_limits<T>::infinity(),
                         -std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::quiet_NaN(),
                         T(0),
                         T(-0.0),
                         std::numeric_limits<T>::min(),
                         -std::numeric_limits<T>::denorm_min()};
  for (T& value : values)
    if (numbers.bits() % 16 == 0) value = kSpecials[numbers.bits() % 7];
}

// Equal bits, or both NaN.
template <class T>
bool same_value(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

// The first place where they differ, or -1.
template <class T>
int64_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!same_value<T>(a[i], b[i])) return static_cast<int64_t>(i);
  return -1;
}

// One way of running kernels: an instruction set, with or without generated code.
struct Way {
  Isa cap;
  bool no_exec;
};

// Caps the kernels while it lives.
class WithWay {
 public:
  explicit WithWay(const Way& way) {
    base::set_isa_cap(way.cap);
    base::mutable_flags().no_exec = way.no_exec;
  }
  ~WithWay() {
    base::set_isa_cap(Isa::kAvx512);
    base::mutable_flags().no_exec = false;
  }
};

inline std::vector<Way> all_ways() {
  std::vector<Way> ways{{Isa::kBaseline, false}};
  for (Isa cap : {Isa::kAvx2, Isa::kAvx512}) {
    if (base::detected_isa() < cap) continue;
    ways.push_back({cap, false});
    ways.push_back({cap, true});
  }
  return ways;
}

}  // namespace frit::contraction
