// Splits a block into what its loop repeats and what it does not, and orders both.
#include "src/codegen/plan.h"

#include <algorithm>

#include "src/base/check.h"

namespace frit::codegen {
namespace {

using math::Inst;
using math::Prim;

bool is_input(const Block& block, const Inst& inst, BlockInput::Kind kind) {
  return inst.prim == Prim::kInput && block.inputs[inst.imm].kind == kind;
}

// Whether what a block takes from outside is the same in every iteration over `dims`.
bool is_invariant(const BlockInput& input, uint32_t dims, const std::vector<bool>& moves) {
  switch (input.kind) {
    case BlockInput::Kind::kLoad:
    case BlockInput::Kind::kTake:
      return !moves[input.index] && input.epoch == 0;
    case BlockInput::Kind::kIndex:
      return (dims >> input.index & 1) == 0;
    case BlockInput::Kind::kSlot:
      return true;
    case BlockInput::Kind::kScan:
    case BlockInput::Kind::kCarry:
    case BlockInput::Kind::kAccumulator:
      return false;
  }
  __builtin_unreachable();
}

// Registers that a scan uses up beside what it scans: what it has come to, an element, and those of
// its program.
int temporaries_of(const BlockScan& scan) { return 2 + scan.program->registers(); }

// Likewise a put.
int temporaries_of(const BlockStore& store) {
  if (!store.in_turn) return 1;
  return kPutRegisters + (store.fold ? store.fold->registers() : 0);
}

}  // namespace

int lanes_of(const math::Program& program) {
  for (const Inst& inst : program.insts()) {
    if (byte_width(inst.type) == 8) return 4;
  }
  return 8;
}

BlockPlan::BlockPlan(const Block& block)
    : block_(&block),
      source_(block.program.size()),
      homes_(block.program.size()),
      live_(block.program.size()) {
  for (int32_t i = 0; i < block.program.size(); ++i) {
    const Inst& inst = block.program[i];
    source_[i] = inst.prim == Prim::kBitcast ? source_[inst.operands[0]] : i;
    if (inst.prim == Prim::kConst) homes_[i].kind = Home::Kind::kConstant;
    if (is_input(block, inst, BlockInput::Kind::kSlot)) {
      homes_[i] = {Home::Kind::kFrame, block.inputs[inst.imm].index};
    }
  }
}

BlockPlan BlockPlan::straight(const Block& block, Kept keep, Effects effects) {
  BlockPlan plan(block);
  plan.mark_live(keep, effects);
  plan.list_steps(keep, effects);
  plan.list_uses();
  plan.measure();
  return plan;
}

BlockPlan BlockPlan::loop(const Block& block, uint32_t dims, const std::vector<bool>& moves,
                          Assembly& assembly) {
  BlockPlan plan(block);
  plan.mark_live({}, Effects::kStores);
  plan.hoist(dims, moves, assembly);
  plan.mark_live({}, Effects::kStores);
  plan.list_steps({}, Effects::kStores);
  plan.list_uses();
  plan.measure();
  return plan;
}

// Values with a home need no instructions, so that what only they need is dead.
void BlockPlan::mark_live(Kept keep, Effects effects) {
  std::fill(live_.begin(), live_.end(), false);
  for (const auto& [inst, slot] : keep) live_[source_[inst]] = true;
  if (effects == Effects::kStores) {
    for (const BlockStore& store : block_->stores) {
      live_[source_[store.value]] = true;
      if (store.place >= 0) live_[source_[store.place]] = true;
    }
    if (block_->folded >= 0) live_[source_[block_->folded]] = true;
  }
  for (int32_t i = block_->program.size(); i-- > 0;) {
    if (!live_[i] || homes_[i].kind != Home::Kind::kNone) continue;
    for (int32_t operand : block_->operands(i)) live_[source_[operand]] = true;
  }
}

void BlockPlan::hoist(uint32_t dims, const std::vector<bool>& moves, Assembly& assembly) {
  const math::Program& program = block_->program;
  std::vector<bool> invariant(program.size());
  for (int32_t i = 0; i < program.size(); ++i) {
    const Inst& inst = program[i];
    invariant[i] = inst.prim != Prim::kInput || is_invariant(block_->inputs[inst.imm], dims, moves);
    for (int32_t operand : block_->operands(i)) invariant[i] = invariant[i] && invariant[operand];
  }
  const auto hoist_one = [&](int32_t i) {
    i = source_[i];
    if (!invariant[i] || homes_[i].kind != Home::Kind::kNone) return;
    homes_[i] = {Home::Kind::kFrame, assembly.allocate_frame(Emitter::kVectorBytes)};
    hoisted.emplace_back(i, homes_[i].slot);
  };
  for (int32_t i = 0; i < program.size(); ++i) {
    if (!live_[i] || invariant[i]) continue;
    for (int32_t operand : block_->operands(i)) hoist_one(operand);
  }
  for (const BlockStore& store : block_->stores) {
    hoist_one(store.value);
    if (store.place >= 0) hoist_one(store.place);
  }
  if (block_->folded >= 0) hoist_one(block_->folded);
}

// In the program's order, but for loads: they wait until their first use or the next store.
void BlockPlan::list_steps(Kept keep, Effects effects) {
  const math::Program& program = block_->program;
  std::vector<int32_t> waiting;
  const auto load_now = [&](int32_t inst) {
    const auto found = std::find(waiting.begin(), waiting.end(), inst);
    if (found == waiting.end()) return;
    waiting.erase(found);
    steps_.push_back({Step::Kind::kInst, inst});
  };
  size_t next_store = effects == Effects::kStores ? 0 : block_->stores.size();
  const auto store_until = [&](int32_t end) {
    for (; next_store < block_->stores.size() && block_->stores[next_store].after <= end;
         ++next_store) {
      while (!waiting.empty()) load_now(waiting.front());
      steps_.push_back({Step::Kind::kStore, static_cast<int32_t>(next_store)});
    }
  };
  const auto keep_made = [&](int32_t inst) {
    for (const auto& [kept, slot] : keep) {
      if (source_[kept] != inst) continue;
      load_now(inst);
      steps_.push_back({Step::Kind::kKeep, inst, slot});
    }
  };
  for (int32_t i = 0; i < program.size(); ++i) {
    store_until(i);
    if (!live_[i] || source_[i] != i) continue;
    if (homes_[i].kind != Home::Kind::kNone) {
      keep_made(i);
      continue;
    }
    if (is_input(*block_, program[i], BlockInput::Kind::kLoad)) {
      waiting.push_back(i);
    } else {
      for (int32_t operand : block_->operands(i)) load_now(source_[operand]);
      steps_.push_back({Step::Kind::kInst, i});
    }
    keep_made(i);
  }
  store_until(program.size());
  for (int32_t i = 0; i < static_cast<int32_t>(block_->scans.size()); ++i) {
    const int32_t next = block_->scans[i].next;
    if (next >= 0 && live_[source_[next]]) steps_.push_back({Step::Kind::kCarry, i});
  }
  if (effects == Effects::kStores && block_->folded >= 0) {
    load_now(source_[block_->folded]);
    steps_.push_back({Step::Kind::kFold, source_[block_->folded]});
  }
}

std::array<int32_t, 4> BlockPlan::operands(const Step& step) const {
  std::array<int32_t, 4> taken = {-1, -1, -1, -1};
  switch (step.kind) {
    case Step::Kind::kInst: {
      const std::span<const int32_t> operands = block_->operands(step.index);
      for (size_t k = 0; k < operands.size(); ++k) taken[k] = source_[operands[k]];
      const bool takes = is_input(*block_, block_->program[step.index], BlockInput::Kind::kTake);
      if (takes && home(taken[0]).kind != Home::Kind::kNone) taken[0] = -1;
      break;
    }
    case Step::Kind::kStore: {
      const BlockStore& store = block_->stores[step.index];
      taken[0] = source_[store.value];
      if (store.in_turn) taken[1] = source_[store.place];
      break;
    }
    case Step::Kind::kKeep:
      taken[0] = step.index;
      break;
    case Step::Kind::kCarry:
      taken[0] = source_[block_->scans[step.index].next];
      break;
    case Step::Kind::kFold:
      taken[0] = step.index;
      taken[1] = source_[block_->accumulator];
      break;
  }
  return taken;
}

void BlockPlan::list_uses() {
  const int32_t size = block_->program.size();
  first_use_.assign(size + 2, 0);
  for (const Step& step : steps_) {
    for (int32_t inst : operands(step)) {
      if (inst >= 0) ++first_use_[inst + 2];
    }
  }
  for (int32_t i = 2; i < size + 2; ++i) first_use_[i] += first_use_[i - 1];
  uses_.resize(first_use_[size + 1]);
  for (int32_t s = 0; s < static_cast<int32_t>(steps_.size()); ++s) {
    for (int32_t inst : operands(steps_[s])) {
      if (inst >= 0) uses_[first_use_[inst + 1]++] = s;
    }
  }
  for (int32_t i = 0; i < size; ++i) {
    if (homes_[i].kind != Home::Kind::kNone && !uses(i).empty()) invariants_.push_back(i);
  }
  std::stable_sort(invariants_.begin(), invariants_.end(),
                   [this](int32_t a, int32_t b) { return uses(a).size() > uses(b).size(); });
}

// Lanes by the widest type that occurs; pressure by walking the steps.
void BlockPlan::measure() {
  const math::Program& program = block_->program;
  const auto see = [&](int32_t inst) {
    if (byte_width(program[inst].type) == 8) lanes_ = 4;
  };
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kInst) see(step.index);
    for (int32_t inst : operands(step)) {
      if (inst >= 0) see(inst);
    }
  }
  int alive = 0;
  for (int32_t s = 0; s < static_cast<int32_t>(steps_.size()); ++s) {
    const std::array<int32_t, 4> taken = operands(steps_[s]);
    if (steps_[s].kind == Step::Kind::kStore)
      temporaries_ = std::max(temporaries_, temporaries_of(block_->stores[steps_[s].index]));
    if (steps_[s].kind == Step::Kind::kInst) {
      const Inst& inst = program[steps_[s].index];
      if (is_input(*block_, inst, BlockInput::Kind::kScan))
        temporaries_ =
            std::max(temporaries_, temporaries_of(block_->scans[block_->inputs[inst.imm].index]));
      if (taken[0] >= 0) {
        temporaries_ =
            std::max(temporaries_, Emitter::needs(inst, program[taken[0]].type).temporaries);
      }
      ++alive;
      pressure_ = std::max(pressure_, alive);
    }
    for (int k = 0; k < 4; ++k) {
      const int32_t inst = taken[k];
      if (inst < 0 || homes_[inst].kind != Home::Kind::kNone || uses(inst).back() != s) continue;
      if (std::find(taken.begin(), taken.begin() + k, inst) == taken.begin() + k) --alive;
    }
  }
}

}  // namespace frit::codegen
