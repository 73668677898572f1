// By family, but for the ops that differ from their kin.
#include "src/schedule/lowering.h"

namespace frit {

OpLowering lowering_of(Op op) {
  if (op == Op::nonzero) return {Lowering::kEager, "its size depends on data"};
  switch (info(op).family) {
    case Family::kUnary:
    case Family::kBinary:
    case Family::kTernary:
    case Family::kCast:
    case Family::kReduce:
    case Family::kArgReduce:
    case Family::kMove:
    case Family::kCopy:
    case Family::kIndex:
    case Family::kScan:
    case Family::kCreate:
    case Family::kScatter:
    case Family::kComposite:
      return {Lowering::kKernel, {}};
    case Family::kContract:
    case Family::kPool:
    case Family::kCat:
    case Family::kPad:
    case Family::kResample:
    case Family::kFft:
    case Family::kLinalg:
    case Family::kRecurrent:
    case Family::kCustom:
      return {Lowering::kLibrary, {}};
    case Family::kSort:
      return {Lowering::kEager, "orders elements"};
    case Family::kStore:
      return {Lowering::kEager, "writes to memory"};
  }
  __builtin_unreachable();
}

}  // namespace frit
