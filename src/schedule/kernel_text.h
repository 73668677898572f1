// The text of a constant in a kernel, shared by printer and parser.
//
//   print_constant(kFloat32, 0x3f800000)   // "1.0"
#pragma once

#include <cstdint>
#include <string>

#include "frit/dtype.h"
#include "src/base/lexer.h"

namespace frit {

// Floats with a point, integers without, bools as true and false. NaN is the canonical one.
std::string print_constant(Dtype dtype, uint64_t bits);
uint64_t parse_constant(base::Lexer& lexer, Dtype dtype);

// Whether kernels have constants, and compute, in this dtype: all but the 16-bit floats.
bool is_kernel_dtype(Dtype dtype);
// The bits of the one NaN that constants have.
uint64_t canonical_nan(Dtype dtype);
bool is_nan(Dtype dtype, uint64_t bits);

}  // namespace frit
