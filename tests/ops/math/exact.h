// The true values of the transcendental ops, by MPFR.
#pragma once

#include "src/ops/op.h"

namespace frit::math {

// op(x, y) rounded to 64 bits, but for double rounding; y is ignored by ops of one operand. Zeros,
// infinities and NaN are for the operands that make them.
long double exact(Op op, double x, double y);

}  // namespace frit::math
