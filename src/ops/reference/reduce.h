// The canonical order of reductions, as plain loops.
//
// Element i goes to lane i mod 32. Lanes start at the fold's true identity and are joined by a
// halving tree: lane i with lane i + 16, then 8, 4, 2, 1. A row longer than 4,096 is cut into
// blocks of 4,096 whose partials are folded in the same way. The result depends on nothing else:
// not on vector width, not on threads. "Element i" is the row-major index over the reduced
// dimensions.
//
//   float s = fold<SumFold<float>>(n, [&](int64_t i) { return x[i]; });
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/base/wrapping.h"

namespace frit::reference {

inline constexpr int kLanes = 32;
inline constexpr int64_t kBlock = 4096;

// -0.0 is what adding to changes nothing; the last + 0.0 turns a sum of nothing or of -0.0 into
// 0.0.
template <class T>
struct SumFold {
  using Type = T;
  static T identity() { return std::is_integral_v<T> ? T(0) : T(-0.0); }
  static T combine(T a, T b) { return wrapping_add(a, b); }
  static T finish(T sum) { return wrapping_add(sum, T(0)); }
};

template <class T>
struct ProdFold {
  using Type = T;
  static T identity() { return T(1); }
  static T combine(T a, T b) { return wrapping_mul(a, b); }
  static T finish(T product) { return product; }
};

// NaN wins from either side; on a tie the first.
template <class T>
struct MaxFold {
  using Type = T;
  static T identity() {
    return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::lowest();
  }
  static T combine(T a, T b) { return a >= b || a != a ? a : b; }
  static T finish(T largest) { return largest; }
};

template <class T>
struct MinFold {
  using Type = T;
  static T identity() {
    return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::max();
  }
  static T combine(T a, T b) { return a <= b || a != a ? a : b; }
  static T finish(T smallest) { return smallest; }
};

// Joins the lanes; lane 0 is the result.
template <class Fold>
typename Fold::Type join_lanes(typename Fold::Type* lanes) {
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] = Fold::combine(lanes[i], lanes[i + width]);
  return lanes[0];
}

// The partial of one block: no finish.
template <class Fold, class Get>
typename Fold::Type fold_block(int64_t n, Get&& get) {
  typename Fold::Type lanes[kLanes];
  std::fill_n(lanes, kLanes, Fold::identity());
  for (int64_t i = 0; i < n; ++i) lanes[i % kLanes] = Fold::combine(lanes[i % kLanes], get(i));
  return join_lanes<Fold>(lanes);
}

// Blocks of blocks until one is left; a loop, since recursion would make a type of getter per
// level.
template <class Fold, class Get>
typename Fold::Type fold_partial(int64_t n, Get&& get) {
  if (n <= kBlock) return fold_block<Fold>(n, get);
  std::vector<typename Fold::Type> partials;
  for (int64_t begin = 0; begin < n; begin += kBlock)
    partials.push_back(
        fold_block<Fold>(std::min(kBlock, n - begin), [&](int64_t i) { return get(begin + i); }));
  const auto block_of_partials = [&](int64_t begin) {
    const int64_t left = static_cast<int64_t>(partials.size()) - begin;
    return fold_block<Fold>(std::min(kBlock, left),
                            [&](int64_t i) { return partials[static_cast<size_t>(begin + i)]; });
  };
  while (static_cast<int64_t>(partials.size()) > kBlock) {
    std::vector<typename Fold::Type> next;
    for (int64_t begin = 0; begin < static_cast<int64_t>(partials.size()); begin += kBlock)
      next.push_back(block_of_partials(begin));
    partials = std::move(next);
  }
  return block_of_partials(0);
}

// The whole: get(0), ..., get(n - 1).
template <class Fold, class Get>
typename Fold::Type fold(int64_t n, Get&& get) {
  return Fold::finish(fold_partial<Fold>(n, get));
}

}  // namespace frit::reference
