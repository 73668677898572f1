// Whether an integer op is known not to raise for its second operand's sake.
#pragma once

#include "src/ops/call.h"
#include "src/ops/infer.h"

namespace frit {

// Ops that are errors for some second operands when all operands are integers: divisions by 0, and
// powers to a negative number.
inline bool minds_second_operand(Op op) { return divides(op) || op == Op::pow; }

// Whether a number is 0 as an integer of this dtype, where it may wrap; bool counts as i64.
bool is_zero_in(Dtype dtype, const Scalar& number);

// Whether such a call is none of these errors. A divisor must be a number for that: the elements
// of a tensor are not looked at.
bool second_operand_is_fine(Op op, const OperandType& a, const OperandType& b);
bool second_operand_is_fine(const OpCall& call);

}  // namespace frit
