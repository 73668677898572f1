// What scans do with what they have come to and the next element: plain numbers only.
#pragma once

#include <cmath>
#include <limits>

#include "src/base/wrapping.h"
#include "src/ops/math/pointwise.h"
#include "src/ops/math/scalar_value.h"

namespace frit::math {

// Sums and products of integers wrap.
template <class T>
struct RunningSum {
  using Type = T;
  static T first() { return T(0); }
  static T next(T sum, T x) { return wrapping_add(sum, x); }
};

template <class T>
struct RunningProduct {
  using Type = T;
  // Unknown to the compiler: where denormals are zero, 1 * x is not x.
  static T first() {
    T one = 1;
    asm("" : "+m"(one));
    return one;
  }
  static T next(T product, T x) { return wrapping_mul(product, x); }
};

// log(exp(a) + exp(x)): eager runs it as that op, many sums at once.
template <class T>
struct RunningLogSum {
  using Type = T;
  static T first() { return -std::numeric_limits<T>::infinity(); }
  static T next(T a, T x) { return logaddexp(Scalar<T>(a), Scalar<T>(x)).value; }
};

// Whether x takes the place of the extreme so far: the last one of equals, and any NaN, which only
// another one takes the place of.
template <class T>
bool takes_over_max(T best, T x) {
  return (x != x) | (x >= best);
}
template <class T>
bool takes_over_min(T best, T x) {
  return (x != x) | (x <= best);
}

// The extreme so far. What it begins with gives way to any x.
template <class T>
struct RunningMax {
  using Type = T;
  static T first() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  static T next(T best, T x) { return takes_over_max(best, x) ? x : best; }
};

template <class T>
struct RunningMin {
  using Type = T;
  static T first() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  static T next(T best, T x) { return takes_over_min(best, x) ? x : best; }
};

}  // namespace frit::math
