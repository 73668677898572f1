// The canonical fold: in registers within a block, in C++ across blocks.
#include "src/codegen/fold.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "src/base/check.h"
#include "src/codegen/block.h"
#include "src/ops/reference/reduce.h"

namespace frit::codegen {
namespace {

using math::Inst;
using math::Prim;
using math::Type;

constexpr int kFirstTemporary = 8;

// Masks as integers: any and all.
struct OrFold {
  using Type = uint32_t;
  static Type identity() { return 0; }
  static Type combine(Type a, Type b) { return a | b; }
};
struct AndFold {
  using Type = uint32_t;
  static Type identity() { return ~uint32_t{0}; }
  static Type combine(Type a, Type b) { return a & b; }
};

// One level holds the lanes of one block of partials; a full block becomes a partial of the next
// level. Levels of every type are equally long, so that generated code can find their counts.
template <class F>
struct Level {
  static constexpr size_t kElements =
      (Fold::kLevelBytes - sizeof(int64_t)) / sizeof(typename F::Type);
  int64_t count;
  std::array<typename F::Type, kElements> lanes;
};

template <class F>
void push_partial(Level<F>* level, typename F::Type partial) {
  if (level->count == reference::kBlock) {
    push_partial<F>(level + 1, reference::join_lanes<F>(level->lanes.data()));
    level->count = 0;
  }
  if (level->count == 0) level->lanes.fill(F::identity());
  auto& lane = level->lanes[static_cast<size_t>(level->count++ % reference::kLanes)];
  lane = F::combine(lane, partial);
}

constexpr int kLevels = 3;

template <class F>
using Levels = std::array<Level<F>, kLevels>;

template <class F>
void push(void* state, const void* partial) {
  static_assert(sizeof(Level<F>) == Fold::kLevelBytes);
  static_assert(sizeof(Levels<F>) == Fold::kStateBytes);
  typename F::Type value;
  std::memcpy(&value, partial, sizeof value);
  push_partial<F>(static_cast<Levels<F>*>(state)->data(), value);
}

template <class F>
void finish(void* result, const void* state) {
  Levels<F> levels;
  std::memcpy(&levels, state, sizeof levels);
  typename F::Type value = reference::join_lanes<F>(levels[0].lanes.data());
  for (int i = 1; i < kLevels && levels[i].count > 0; ++i) {
    push_partial<F>(&levels[i], value);
    value = reference::join_lanes<F>(levels[i].lanes.data());
  }
  std::memcpy(result, &value, sizeof value);
}

struct Functions {
  uint64_t identity = 0;
  FrameFunction push = nullptr, finish = nullptr;
};

template <class F>
Functions functions() {
  Functions made{0, &push<F>, &finish<F>};
  const typename F::Type identity = F::identity();
  std::memcpy(&made.identity, &identity, sizeof identity);
  return made;
}

template <class T>
Functions arithmetic(Op op) {
  if (op == Op::sum) return functions<reference::SumFold<T>>();
  if (op == Op::prod) return functions<reference::ProdFold<T>>();
  if (op == Op::amax) return functions<reference::MaxFold<T>>();
  return functions<reference::MinFold<T>>();
}

Functions functions_of(Op op, Type type) {
  switch (type) {
    case Type::kF32:
      return arithmetic<float>(op);
    case Type::kF64:
      return arithmetic<double>(op);
    case Type::kI32:
      return arithmetic<int32_t>(op);
    case Type::kI64:
      return arithmetic<int64_t>(op);
    case Type::kM32:
      return op == Op::sum || op == Op::amax ? functions<OrFold>() : functions<AndFold>();
    case Type::kM64:
      break;
  }
  return {};
}

// Whether every instruction is one that combine() can place without an allocator.
bool is_simple(const math::Program& program) {
  for (const Inst& inst : program.insts()) {
    if (inst.prim == Prim::kFma || inst.prim == Prim::kFnma || inst.prim == Prim::kSlow)
      return false;
  }
  return program.size() <= Emitter::kRegisters - kFirstTemporary - 2 + 2;  // two inputs take none
}

}  // namespace

std::optional<Fold> Fold::make(Op op, Type type) {
  std::optional<math::Program> program = fold_program(op, type);
  if (!program || !is_simple(*program)) return std::nullopt;
  const Functions functions = functions_of(op, type);
  if (functions.push == nullptr) return std::nullopt;
  Fold fold;
  fold.program_ = std::move(*program);
  fold.type_ = type;
  fold.identity_ = functions.identity;
  fold.adds_zero_ = op == Op::sum && is_float(type);
  fold.push_ = functions.push;
  fold.finish_ = functions.finish;
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
