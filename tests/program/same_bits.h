// Whether two tensors are the same: dtype, sizes, and every bit, NaN equal to NaN.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "frit/ops.h"

namespace frit {

inline testing::AssertionResult same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes())
    return testing::AssertionFailure() << "other types:\n" << a << "\n" << b;
  const Tensor x = a.contiguous(), y = b.contiguous();
  const auto* p = static_cast<const char*>(x.const_data_ptr());
  const auto* q = static_cast<const char*>(y.const_data_ptr());
  const auto size = static_cast<size_t>(x.element_size());
  const Tensor nan = is_floating_point(x.dtype()) ? logical_and(isnan(x), isnan(y)) : Tensor();
  const bool* both_nan = nan.defined() ? nan.const_data_ptr<bool>() : nullptr;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const size_t at = static_cast<size_t>(i) * size;
    if (std::memcmp(p + at, q + at, size) != 0 && (both_nan == nullptr || !both_nan[i]))
      return testing::AssertionFailure() << "element " << i << " differs:\n" << a << "\n" << b;
  }
  return testing::AssertionSuccess();
}

// Numbers from -2 to 2 that look like none in particular.
inline Tensor noise(IntArrayRef sizes, int seed = 1) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  std::vector<float> values(static_cast<size_t>(n));
  auto state = static_cast<uint32_t>(seed) * 2654435761u + 12345u;
  for (float& v : values) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(static_cast<int32_t>(state >> 8) - (1 << 23)) / (1 << 22);
  }
  return from_host(values.data(), sizes);
}

}  // namespace frit
