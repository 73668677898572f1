// Whether index tensors stay within what kernels take from.
#pragma once

#include <cstdint>

#include "src/tensor/layout.h"

namespace frit::runtime {

// Every element of an i64 or i32 tensor is at least `lowest` and below `size`.
bool indices_within(const Layout& layout, const std::byte* data, int64_t lowest, int64_t size);

}  // namespace frit::runtime
