// What reductions need besides their loop: identities, joining of lanes in registers, and the
// partials of rows longer than one block. The order is that of src/ops/reference/reduce.h.
#pragma once

#include <optional>

#include "src/codegen/emitter.h"
#include "src/codegen/partials.h"
#include "src/codegen/short_program.h"
#include "src/ops/math/program.h"
#include "src/ops/op.h"

namespace frit::codegen {

class Fold {
 public:
  // Nothing where `op` is no reduction or its combination needs more than a few registers.
  static std::optional<Fold> make(Op op, math::Type type);

  uint64_t identity() const { return elements_.identity; }
  bool adds_zero_at_end() const { return adds_zero_; }

  // dst = combine(a, b) for registers below 8; uses up those from 8 on.
  void combine(Assembly& assembly, Emitter& emitter, int dst, int a, int b) const;

  // Joins vectors 0 .. count-1 (registers of those numbers) into lane 0 of register 0.
  void join(Assembly& assembly, Emitter& emitter, int count) const;

  // What folds the partials of blocks.
  const PartialFunctions& partials(PartialWidth width) const {
    return width == PartialWidth::kElement ? elements_ : vectors_;
  }

 private:
  ShortProgram program_;
  math::Type type_ = math::Type::kF32;
  bool adds_zero_ = false;
  PartialFunctions elements_, vectors_;
};

}  // namespace frit::codegen
