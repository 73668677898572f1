// The elementwise ops and casts on single elements given as bits: what interpreters and reference
// loops call.
//
//   ScalarFn fn = scalar_fn(Op::relu, kFloat32);          // null: relu has no meaning for the
//   dtype uint64_t y = fn(&x);                                   // bits in, bits out
//   apply_scalar(Op::add, kInt32, {{a, b}});               // looks the function up each time
//
// Bits are those of one element, zero-extended to 64; a bool is 0 or 1. The meaning is the op's
// template in src/ops/math. The narrow ints compute in i32 and wrap. The 16-bit floats have no
// functions: whoever has them casts to f32 and back. Nor has what ints do in scalar code only
// (division, remainders, powers).
#pragma once

#include <cstdint>
#include <span>

#include "frit/dtype.h"
#include "src/ops/op.h"

namespace frit::reference {

// Takes an element per operand, all of the compute dtype but for where's condition, which is a
// bool. The result is a bool where the op's dtype rule says Bool, else of the compute dtype.
using ScalarFn = uint64_t (*)(const uint64_t* operands);

ScalarFn scalar_fn(Op op, Dtype compute);
uint64_t apply_scalar(Op op, Dtype compute, std::span<const uint64_t> operands);

// The dtype of what scalar_fn's function returns.
Dtype scalar_result(Op op, Dtype compute);

// As `to(dtype)` converts: integers wrap, floats round to nearest even (f64 to the 16-bit floats by
// way of f32), floats to integers truncate, any non-zero is true.
uint64_t cast_scalar(Dtype from, Dtype to, uint64_t bits);

}  // namespace frit::reference
