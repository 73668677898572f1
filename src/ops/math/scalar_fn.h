// The meaning of an op for one element, as a function: what interpreters, folding and tests call.
//
//   ScalarFn fn = scalar_fn(Op::exp, Type::kF32);
//   uint64_t operands[] = {bits_of_x};
//   fn(operands);                              // bits of exp(x)
//
// Elements are bits, 32-bit ones zero-extended; a bool (mask type) is zero or not, and true comes
// back as all ones of its width. The result has the operands' type, or is a mask of their width
// where ops.def says bool. where's condition may be a mask of any width.
#pragma once

#include <cstdint>

#include "src/ops/math/program.h"
#include "src/ops/op.h"

namespace frit::math {

using ScalarFn = uint64_t (*)(const uint64_t* operands);

// Null where record() has no sequence either.
ScalarFn scalar_fn(Op op, Type type);

}  // namespace frit::math
