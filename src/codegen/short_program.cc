// Instructions in their order, every value in a register of its own.
#include "src/codegen/short_program.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace frit::codegen {
namespace {

using math::Inst;
using math::Prim;

constexpr int kTemporariesOfOneInst = 2;

}  // namespace

std::optional<ShortProgram> ShortProgram::make(math::Program program) {
  for (const Inst& inst : program.insts()) {
    if (inst.prim == Prim::kFma || inst.prim == Prim::kFnma || inst.prim == Prim::kSlow)
      return std::nullopt;
  }
  ShortProgram made;
  made.program_ = std::move(program);
  return made;
}

// One for each instruction but inputs, bitcasts and the result; and what one instruction uses up.
int ShortProgram::registers() const {
  int values = 0;
  for (const Inst& inst : program_.insts())
    if (inst.prim != Prim::kInput && inst.prim != Prim::kBitcast) ++values;
  return std::max(values - 1, 0) + kTemporariesOfOneInst;
}

void ShortProgram::emit(Assembly& assembly, Emitter& emitter, int dst, std::array<int, 2> inputs,
                        std::span<const int> free) const {
  std::vector<int> regs(program_.size());
  const auto temporaries = free.first<kTemporariesOfOneInst>();
  size_t next = kTemporariesOfOneInst;
  const int32_t result = program_.outputs[0];
  for (int32_t i = 0; i < program_.size(); ++i) {
    const Inst& inst = program_[i];
    if (inst.prim == Prim::kInput) {
      regs[i] = inputs[inst.imm];
      continue;
    }
    if (inst.prim == Prim::kBitcast) {
      regs[i] = regs[inst.operands[0]];
      continue;
    }
    regs[i] = i == result ? dst : free[next++];
    if (inst.prim == Prim::kConst) {
      emitter.load(inst.type, regs[i], assembly.constant(inst.imm, byte_width(inst.type)));
      continue;
    }
    std::array<Place, 3> operands;
    for (int k = 0; k < num_operands(inst.prim); ++k) {
      operands[k] = emitter.reg(program_[inst.operands[k]].type, regs[inst.operands[k]]);
    }
    emitter.op(inst, program_[inst.operands[0]].type, regs[i], operands, temporaries);
  }
  if (regs[result] != dst) emitter.move(program_[result].type, dst, regs[result]);
}

}  // namespace frit::codegen
