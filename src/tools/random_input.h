// Inputs that nobody gave: the same values in every run.
#pragma once

#include <cstdint>

#include "frit/tensor.h"

namespace frit::tools {

// Floats between -1 and 1, integers from 0 to 3, truth values, by a generator that starts at
// `seed`. Row-major. Throws where memory does not hold the sizes.
Tensor random_tensor(IntArrayRef sizes, Dtype dtype, uint32_t seed);

}  // namespace frit::tools
