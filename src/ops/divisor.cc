// By the number as it is in the dtype that the op computes in.
#include "src/ops/divisor.h"

namespace frit {
namespace {

bool is_integral(const OperandType& operand) {
  return operand.layout != nullptr ? !is_floating_point(operand.layout->dtype)
                                   : !operand.scalar.is_float();
}

}  // namespace

bool is_zero_in(Dtype dtype, const Scalar& number) {
  const int bits = dtype == kBool ? 64 : byte_size(dtype) * 8;
  return static_cast<uint64_t>(number.to_int()) << (64 - bits) == 0;
}

bool second_operand_is_fine(Op op, const OperandType& a, const OperandType& b) {
  if (!is_integral(a) || !is_integral(b)) return true;
  if (b.layout != nullptr) return op == Op::pow;
  if (op == Op::pow) return b.scalar.to_int() >= 0;
  // A number takes the tensor's dtype.
  return !is_zero_in(a.layout != nullptr ? a.layout->dtype : kInt64, b.scalar);
}

bool second_operand_is_fine(const OpCall& call) {
  const auto type = [](const Operand& o) { return OperandType{o.layout(), o.scalar}; };
  return second_operand_is_fine(call.op, type(call.operands[0]), type(call.operands[1]));
}

}  // namespace frit
