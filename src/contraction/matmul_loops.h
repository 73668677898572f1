// The loops of matrix products that no tile serves: integers and bool, and the reference.
#pragma once

#include "src/contraction/matmul.h"

namespace frit::contraction {

// Products of integers and bool, alpha, beta and bias included.
void multiply_integers(const MatmulArgs& args);

// alpha and beta of a floating-point product, on a region of the output that holds finished chains.
void scale_and_add_bias(const MatmulArgs& args, int64_t batch, int64_t row, int64_t col,
                        int64_t rows, int64_t cols);

}  // namespace frit::contraction
