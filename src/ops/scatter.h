// What scatters and scans do with two values, once for eager kernels and reference loops.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "src/base/wrapping.h"
#include "src/ops/call.h"

namespace frit {

// How a written element meets the one that is there. The numbers are the attribute `reduce` of
// scatter_reduce.
enum class Write : uint8_t { kSet, kAdd, kProd, kAmax, kAmin, kMean };

// "sum", "prod", "amax", "amin" or "mean"; throws kRuntime, naming `op`, where it is none of them.
Write write_named(std::string_view op, std::string_view reduce);
// That of a scattering op.
Write write_of(Op op, const Attrs& attrs);
inline Write write_of(const OpCall& call) { return write_of(call.op, call.attrs); }
// Whether it begins with what is in the operand, and not with the operation's identity.
bool includes_self(Op op, const Attrs& attrs);
inline bool includes_self(const OpCall& call) { return includes_self(call.op, call.attrs); }

// In which dtype elements are combined: the 16-bit floats in f32, bool as 0 and 1 in u8.
Dtype write_dtype(Write write, Dtype dtype);
// The operation on elements of that dtype: the sum of bools is their largest.
Write write_in_dtype(Write write, Dtype dtype);

namespace writing {

// maximum and minimum, written as one instruction and a branch that is rarely taken.
template <class T>
T largest_of(T a, T b) {
  return b != b ? b : (b > a ? b : a);
}
template <class T>
T smallest_of(T a, T b) {
  return b != b ? b : (b < a ? b : a);
}

template <Write write, class T>
T combine(T there, T written) {
  if constexpr (write == Write::kAdd || write == Write::kMean) return wrapping_add(there, written);
  if constexpr (write == Write::kProd) return wrapping_mul(there, written);
  if constexpr (write == Write::kAmax) return largest_of(there, written);
  if constexpr (write == Write::kAmin) return smallest_of(there, written);
  return written;
}

template <class T>
T identity(Write write) {
  using Limits = std::numeric_limits<T>;
  switch (write) {
    case Write::kProd:
      return T(1);
    case Write::kAmax:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Write::kAmin:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Write::kSet:
    case Write::kAdd:
    case Write::kMean:
      return T(0);
  }
  __builtin_unreachable();
}

// sum / count; of integers rounded down.
template <class T>
T mean_of(T sum, int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    const int64_t wide = static_cast<int64_t>(sum);
    return static_cast<T>(wide / count - (wide % count < 0));
  } else {
    return sum / static_cast<T>(count);
  }
}

}  // namespace writing
}  // namespace frit
