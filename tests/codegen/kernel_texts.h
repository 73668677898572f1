// Texts of kernels that tests of writers share.
#pragma once

#include <string>

#include "frit/dtype.h"
#include "src/ops/op.h"

namespace frit::codegen {

// y[i] = op(x0[i], ...), each operand of its access class; a letter each: u unit, b broadcast, s
// strided.
std::string pointwise(Op op, Dtype dtype, const std::string& classes);

// y = f(x0, x1, ...) of `count` operands, with every value used again at the very end.
std::string many_live_values(int count, const std::string& type);

}  // namespace frit::codegen
