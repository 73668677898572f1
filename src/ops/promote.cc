// PyTorch's type promotion.
//
// Operands fall into three groups: tensors with dimensions, 0-dim tensors, scalars. Within a group
// the dtypes meet in the lattice. A later group only counts where it brings a higher category (bool
// < integer < float) than the earlier ones; a float scalar then counts as the default dtype.
#include "src/base/check.h"
#include "src/ops/rules.h"

namespace frit {
namespace {

// The smallest signed integer that holds both an integer of `a` and one of `b`.
Dtype meet_integers(Dtype a, Dtype b) {
  const bool unsigned_differs = (a == kUInt8) != (b == kUInt8);
  const Dtype widest = byte_size(a) >= byte_size(b) ? a : b;
  if (!unsigned_differs) return widest;
  return byte_size(widest) == 1 ? kInt16 : widest;
}

Dtype meet_floats(Dtype a, Dtype b) {
  if (is_half(a) && is_half(b)) return kFloat32;
  return byte_size(a) >= byte_size(b) ? a : b;
}

// What a group has come to; `any` is false while it is empty.
struct Group {
  bool any = false;
  Dtype dtype = kBool;

  void add(Dtype d) {
    dtype = any ? promote_dtypes(dtype, d) : d;
    any = true;
  }
};

Group combine(const Group& higher, const Group& lower) {
  if (!higher.any) return lower;
  if (!lower.any || is_floating_point(higher.dtype)) return higher;
  if (higher.dtype == kBool || is_floating_point(lower.dtype))
    return {true, promote_dtypes(higher.dtype, lower.dtype)};
  return higher;
}

Dtype scalar_dtype(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::kBool:
      return kBool;
    case Scalar::Kind::kInt:
      return kInt64;
    case Scalar::Kind::kFloat:
      return kFloat32;
  }
  __builtin_unreachable();
}

Dtype promoted(std::span<const OperandType> operands) {
  Group tensors, numbers, scalars;
  for (const OperandType& operand : operands) {
    if (operand.layout == nullptr) {
      scalars.add(scalar_dtype(operand.scalar));
    } else {
      (operand.layout->rank > 0 ? tensors : numbers).add(operand.layout->dtype);
    }
  }
  return combine(tensors, combine(numbers, scalars)).dtype;
}

bool has_bool(std::span<const OperandType> operands) {
  for (const OperandType& operand : operands) {
    if (operand.layout != nullptr ? operand.layout->dtype == kBool
                                  : operand.scalar.kind() == Scalar::Kind::kBool)
      return true;
  }
  return false;
}

// PyTorch checks these by name, the others refuse by having no kernel.
ErrorKind bool_refusal(Op op) {
  return op == Op::neg || op == Op::sub || op == Op::relu ? ErrorKind::kRuntime
                                                          : ErrorKind::kNotImplemented;
}

bool is_negative_int(const OperandType& operand) {
  return operand.layout == nullptr && !operand.scalar.is_float() && operand.scalar.to_int() < 0;
}

// What single ops refuse beyond their row's rule.
void check_special(const rules::Call& call, Dtype compute) {
  if (call.op == Op::sub && has_bool(call.operands))
    rules::fail(call, ErrorKind::kRuntime, "bool is not supported: use logical_xor or logical_not");
  if ((call.op == Op::bitwise_left_shift || call.op == Op::bitwise_right_shift) && compute == kBool)
    rules::fail(call, ErrorKind::kNotImplemented, "bool is not supported");
  if (call.op != Op::pow) return;
  if (compute == kBool) rules::fail(call, ErrorKind::kNotImplemented, "bool is not supported");
  if (is_integral(compute) && is_negative_int(call.operands[1]))
    rules::fail(call, ErrorKind::kRuntime, "integers to negative integer powers are not allowed");
}

Promotion apply_rule(const rules::Call& call, Dtype d) {
  switch (info(call.op).dtype) {
    case DtypeRule::Same:
      return {d, d};
    case DtypeRule::Number:
      if (d == kBool) rules::fail(call, bool_refusal(call.op), "bool is not supported");
      return {d, d};
    case DtypeRule::Float:
      return is_floating_point(d) ? Promotion{d, d} : Promotion{kFloat32, kFloat32};
    case DtypeRule::FloatOnly:
      if (!is_floating_point(d))
        rules::fail(call, ErrorKind::kNotImplemented,
                    rules::text("only floating point is supported: not ", name(d)));
      return {d, d};
    case DtypeRule::Bool:
      return {d, kBool};
    case DtypeRule::Integral:
      if (is_floating_point(d))
        rules::fail(call, ErrorKind::kNotImplemented,
                    rules::text("only integers and bool are supported: not ", name(d)));
      return {d, d};
    case DtypeRule::Sum:
    case DtypeRule::First:
    case DtypeRule::Index:
    case DtypeRule::Attr:
      break;
  }
  FRIT_CHECK(false) << name(call.op) << ": not the dtype rule of an elementwise op";
  __builtin_unreachable();
}

}  // namespace

Dtype promote_dtypes(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_floating_point(a) && is_floating_point(b)) return meet_floats(a, b);
  if (is_floating_point(a)) return a;
  if (is_floating_point(b)) return b;
  if (a == kBool) return b;
  if (b == kBool) return a;
  return meet_integers(a, b);
}

Promotion promote(Op op, std::span<const OperandType> operands) {
  static const Attrs kNone;
  const rules::Call call{op, operands, kNone};
  // where's condition takes no part.
  const Dtype dtype = promoted(op == Op::where ? operands.subspan(1) : operands);
  check_special(call, dtype);
  return apply_rule(call, dtype);
}

}  // namespace frit
