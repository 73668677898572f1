// The canonical fold within a block, in registers.
#include "src/codegen/fold.h"

#include <algorithm>
#include <numeric>

#include "src/base/check.h"
#include "src/codegen/block.h"

namespace frit::codegen {
namespace {

using math::Type;

constexpr int kFirstTemporary = 8;

}  // namespace

std::optional<Fold> Fold::make(Op op, Type type) {
  std::optional<math::Program> program = fold_program(op, type);
  std::optional<ShortProgram> made =
      program ? ShortProgram::make(std::move(*program)) : std::nullopt;
  if (!made || made->registers() > Emitter::kRegisters - kFirstTemporary) return std::nullopt;
  const PartialFunctions elements = partial_functions(op, type, PartialWidth::kElement);
  if (elements.push == nullptr) return std::nullopt;
  Fold fold;
  fold.program_ = std::move(*made);
  fold.type_ = type;
  fold.elements_ = elements;
  fold.vectors_ = partial_functions(op, type, PartialWidth::kVector);
  fold.adds_zero_ = op == Op::sum && is_float(type);
  return fold;
}

void Fold::combine(Assembly& assembly, Emitter& emitter, int dst, int a, int b) const {
  std::array<int, Emitter::kRegisters - kFirstTemporary> free;
  std::iota(free.begin(), free.end(), kFirstTemporary);
  program_.emit(assembly, emitter, dst, {a, b}, free);
}

void Fold::join(Assembly& assembly, Emitter& emitter, int count) const {
  for (int width = count / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) combine(assembly, emitter, i, i, i + width);
  }
  for (int lanes = emitter.lanes(); lanes > 1; lanes /= 2) {
    emitter.fold_half(type_, 1, 0, lanes);
    combine(assembly, emitter, 0, 0, 1);
  }
}

}  // namespace frit::codegen
