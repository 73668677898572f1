// The canonical fold within a block, in registers.
#include "src/codegen/fold.h"

#include <algorithm>
#include <array>

#include "src/base/check.h"
#include "src/codegen/block.h"

namespace frit::codegen {
namespace {

using math::Inst;
using math::Prim;
using math::Type;

constexpr int kFirstTemporary = 8;
constexpr int kTemporariesOfOneInst = 2;
// Two inputs, and one register for each of the others.
constexpr int kMostInsts = 2 + Emitter::kRegisters - kFirstTemporary - kTemporariesOfOneInst;

// Whether every instruction is one that combine() can place without an allocator.
bool is_simple(const math::Program& program) {
  for (const Inst& inst : program.insts()) {
    if (inst.prim == Prim::kFma || inst.prim == Prim::kFnma || inst.prim == Prim::kSlow)
      return false;
  }
  return program.size() <= kMostInsts;
}

}  // namespace

std::optional<Fold> Fold::make(Op op, Type type) {
  std::optional<math::Program> program = fold_program(op, type);
  if (!program || !is_simple(*program)) return std::nullopt;
  const PartialFunctions elements = partial_functions(op, type, PartialWidth::kElement);
  if (elements.push == nullptr) return std::nullopt;
  Fold fold;
  fold.program_ = std::move(*program);
  fold.type_ = type;
  fold.elements_ = elements;
  fold.vectors_ = partial_functions(op, type, PartialWidth::kVector);
  fold.adds_zero_ = op == Op::sum && is_float(type);
  return fold;
}

void Fold::combine(Assembly& assembly, Emitter& emitter, int dst, int a, int b) const {
  std::vector<int> regs(program_.size());
  int next = kFirstTemporary;
  const int32_t result = program_.outputs[0];
  for (int32_t i = 0; i < program_.size(); ++i) {
    const Inst& inst = program_[i];
    if (inst.prim == Prim::kInput) {
      regs[i] = inst.imm == 0 ? a : b;
      continue;
    }
    if (inst.prim == Prim::kBitcast) {
      regs[i] = regs[inst.operands[0]];
      continue;
    }
    regs[i] = i == result ? dst : next++;
    if (inst.prim == Prim::kConst) {
      emitter.load(inst.type, regs[i], assembly.constant(inst.imm, byte_width(inst.type)));
      continue;
    }
    std::array<Place, 3> operands;
    for (int k = 0; k < num_operands(inst.prim); ++k) {
      operands[k] = emitter.reg(program_[inst.operands[k]].type, regs[inst.operands[k]]);
    }
    const std::array<int, 2> temporaries = {Emitter::kRegisters - 2, Emitter::kRegisters - 1};
    emitter.op(inst, program_[inst.operands[0]].type, regs[i], operands, temporaries);
  }
  if (regs[result] != dst) emitter.move(type_, dst, regs[result]);
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
