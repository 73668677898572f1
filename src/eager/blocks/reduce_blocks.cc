// Chooses the reduction kernels of the instruction set in use.
#include "src/eager/blocks/reduce_blocks.h"

#include "src/base/check.h"
#include "src/base/cpu.h"

namespace frit::eager {
namespace {

const ReduceTable& table() {
  switch (base::isa()) {
    case Isa::kBaseline:
      return baseline::reduce_table();
    case Isa::kAvx2:
      return avx2::reduce_table();
    case Isa::kAvx512:
      return avx512::reduce_table();
  }
  __builtin_unreachable();
}

}  // namespace

Fold fold_of(Op op) {
  if (op == Op::sum) return Fold::kSum;
  if (op == Op::prod) return Fold::kProd;
  if (op == Op::amax) return Fold::kMax;
  FRIT_CHECK(op == Op::amin) << name(op);
  return Fold::kMin;
}

Dtype fold_dtype(Fold fold, Dtype dtype) {
  const bool widens = fold == Fold::kSum || fold == Fold::kProd;
  return widens && !is_floating_point(dtype) ? Dtype::kI64 : dtype;
}

const ReduceBlocks& reduce_blocks(Fold fold, Dtype dtype) {
  return table().folds[static_cast<int>(fold)][static_cast<int>(dtype)];
}

FindBlock find_block(Dtype dtype) { return table().find[static_cast<int>(dtype)]; }

}  // namespace frit::eager
