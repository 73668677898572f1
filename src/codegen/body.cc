// Emission and register assignment in one walk.
#include "src/codegen/body.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "src/base/check.h"
#include "src/codegen/slow_call.h"
#include "src/ops/op.h"

namespace frit::codegen {
namespace {

using math::Inst;
using math::Prim;
using math::Type;

// Longer bodies than this are bound by their instructions; two chains hide the latencies.
constexpr size_t kLongBody = 48;

Mem home_of(Assembly& assembly, const BlockPlan& plan, int32_t inst) {
  const Inst& made = plan.block().program[inst];
  if (plan.home(inst).kind == Home::Kind::kFrame) return assembly.frame(plan.home(inst).slot);
  return assembly.constant(made.imm, byte_width(made.type));
}

}  // namespace

RegisterBudget divide_registers(const BlockPlan& plan, int accumulators) {
  RegisterBudget budget;
  const int temporaries = std::max(plan.temporaries(), 1);
  const int pressure = std::max(plan.pressure(), 1);
  int available = Emitter::kRegisters - temporaries;
  int next = Emitter::kRegisters - 1;
  if (accumulators > 0 && available - accumulators >= pressure) {
    for (int i = 0; i < accumulators; ++i) budget.pins.accumulators.push_back(next--);
    available -= accumulators;
  }
  const int wanted = plan.steps().size() > kLongBody ? 2 : kMaxVectors;
  const int invariants = static_cast<int>(plan.invariants().size());
  budget.vectors = std::clamp((available - std::min(invariants, 2)) / pressure, 1, wanted);
  if (accumulators > 0) budget.vectors = std::min(budget.vectors, accumulators);
  if (budget.vectors == 3) budget.vectors = 2;
  const int spare = available - budget.vectors * pressure;
  for (int i = 0; i < std::min(spare, invariants); ++i) {
    budget.pins.values.emplace_back(plan.invariants()[i], next--);
  }
  return budget;
}

void load_pins(Assembly& assembly, Emitter& emitter, const BlockPlan& plan, const Pins& pins) {
  for (const auto& [inst, reg] : pins.values) {
    emitter.load(plan.block().program[inst].type, reg, home_of(assembly, plan, inst));
  }
}

BodyEmitter::BodyEmitter(Assembly& assembly, Emitter& emitter, StreamAccess& access,
                         const BlockPlan& plan, const BodyShape& shape)
    : as_(assembly),
      emitter_(emitter),
      access_(access),
      plan_(plan),
      shape_(shape),
      locations_(static_cast<size_t>(plan.block().program.size()) * shape.vectors) {
  owner_.fill(kFree);
  if (shape.pins == nullptr) return;
  for (int reg : shape.pins->accumulators) owner_[reg] = kPinned;
  for (int reg : shape.pins->scans) owner_[reg] = kPinned;
  for (const auto& [inst, reg] : shape.pins->values) {
    owner_[reg] = kPinned;
    at(inst, 0).reg = reg;
  }
}

void BodyEmitter::run() {
  emitter_.set_lanes(plan_.lanes());
  for (step_ = 0; step_ < static_cast<int>(plan_.steps().size()); ++step_) {
    for (int vector = 0; vector < shape_.vectors; ++vector) {
      locked_ = 0;
      // Only now: what is evicted for a step must not go where the step still reads an operand.
      free_spills_.insert(free_spills_.end(), read_spills_.begin(), read_spills_.end());
      read_spills_.clear();
      emit(plan_.steps()[step_], vector);
    }
  }
}

// Values with a home are the same for all vectors.
int BodyEmitter::key(int32_t inst, int vector) const {
  if (plan_.home(inst).kind != Home::Kind::kNone) vector = 0;
  return inst * shape_.vectors + vector;
}

BodyEmitter::Location& BodyEmitter::at(int32_t inst, int vector) {
  return locations_[key(inst, vector)];
}

int BodyEmitter::next_use(int key) {
  const std::span<const int32_t> uses = plan_.uses(key / shape_.vectors);
  int& next = locations_[key].next_use;
  while (next < static_cast<int>(uses.size()) && uses[next] < step_) ++next;
  return next < static_cast<int>(uses.size()) ? uses[next] : std::numeric_limits<int>::max();
}

int BodyEmitter::take_register() {
  int best = -1, furthest = -1;
  for (int reg = 0; reg < Emitter::kRegisters; ++reg) {
    if (owner_[reg] == kFree) {
      locked_ |= 1u << reg;
      return reg;
    }
    if (owner_[reg] < 0 || (locked_ >> reg & 1) != 0) continue;
    const int use = next_use(owner_[reg]);
    if (use > furthest) {
      furthest = use;
      best = reg;
    }
  }
  FRIT_CHECK(best >= 0) << "one instruction needs more registers than there are";
  evict(best);
  locked_ |= 1u << best;
  return best;
}

void BodyEmitter::evict(int reg) {
  const int key = owner_[reg];
  Location& location = locations_[key];
  const int32_t inst = key / shape_.vectors;
  if (plan_.home(inst).kind == Home::Kind::kNone && location.spill < 0) {
    if (free_spills_.empty()) free_spills_.push_back(as_.allocate_frame(Emitter::kVectorBytes));
    location.spill = free_spills_.back();
    free_spills_.pop_back();
    emitter_.store(type(inst), as_.frame(location.spill), reg);
  }
  location.reg = -1;
  owner_[reg] = kFree;
}

int BodyEmitter::take_temporary() {
  const int reg = take_register();
  owner_[reg] = kTemporary;
  return reg;
}

void BodyEmitter::drop_temporaries() {
  for (int& owner : owner_) {
    if (owner == kTemporary) owner = kFree;
  }
}

Mem BodyEmitter::home(int32_t inst) const { return home_of(as_, plan_, inst); }

int BodyEmitter::in_register(int32_t inst, int vector) {
  Location& location = at(inst, vector);
  if (location.reg < 0) {
    const int reg = take_register();
    const bool spilled = plan_.home(inst).kind == Home::Kind::kNone;
    FRIT_CHECK(!spilled || location.spill >= 0) << "value " << inst << " is used before it is made";
    emitter_.load(type(inst), reg, spilled ? as_.frame(location.spill) : home(inst));
    location.reg = reg;
    owner_[reg] = key(inst, vector);
  }
  locked_ |= 1u << location.reg;
  return location.reg;
}

Place BodyEmitter::place(int32_t inst, int vector, bool memory_allowed) {
  const Location& location = at(inst, vector);
  if (location.reg < 0 && memory_allowed) {
    if (plan_.home(inst).kind != Home::Kind::kNone) return home(inst);
    return as_.frame(location.spill);
  }
  return emitter_.reg(type(inst), in_register(inst, vector));
}

void BodyEmitter::define(int32_t inst, int vector, int reg) {
  at(inst, vector).reg = reg;
  if (owner_[reg] != kPinned) owner_[reg] = key(inst, vector);
}

// The accumulator's own register, for the value that it becomes.
int BodyEmitter::take_result(int32_t inst, int vector, int preferred) {
  const Block& block = plan_.block();
  if (block.folded >= 0 && inst == plan_.source(block.folded) && shape_.pins != nullptr &&
      !shape_.pins->accumulators.empty() && shape_.extent == Extent::kWhole) {
    const int32_t accumulator = plan_.source(block.accumulator);
    const std::span<const int32_t> uses = plan_.uses(accumulator);
    // Its last use is the fold itself, which no longer needs the old value.
    if (uses.size() < 2 || uses[uses.size() - 2] <= step_) {
      return shape_.pins->accumulators[shape_.first + vector];
    }
  }
  if (preferred >= 0 && owner_[preferred] == kFree) return preferred;
  return take_register();
}

bool BodyEmitter::dies(int32_t inst, int vector) {
  const int reg = at(inst, vector).reg;
  return reg >= 0 && plan_.home(inst).kind == Home::Kind::kNone &&
         plan_.uses(inst).back() == step_ && owner_[reg] != kPinned;
}

// So that loading one operand does not evict another.
void BodyEmitter::lock_present(const std::array<int32_t, 4>& taken, int vector) {
  for (int32_t inst : taken) {
    if (inst >= 0 && at(inst, vector).reg >= 0) locked_ |= 1u << at(inst, vector).reg;
  }
}

void BodyEmitter::release_operands(const Step& step, int vector) {
  for (int32_t inst : plan_.operands(step)) {
    if (inst < 0 || plan_.home(inst).kind != Home::Kind::kNone || plan_.uses(inst).back() != step_)
      continue;
    Location& location = at(inst, vector);
    if (location.reg >= 0 && owner_[location.reg] == key(inst, vector))
      owner_[location.reg] = kFree;
    if (location.spill >= 0) read_spills_.push_back(location.spill);
    location = {};
  }
}

void BodyEmitter::emit(const Step& step, int vector) {
  switch (step.kind) {
    case Step::Kind::kInst: {
      const Prim prim = plan_.block().program[step.index].prim;
      if (prim == Prim::kInput && (emit_take(step, vector) || emit_scan(step, vector))) return;
      if (prim == Prim::kInput) return emit_input(step.index, vector);
      if (prim == Prim::kFma || prim == Prim::kFnma) return emit_fma(step, vector);
      if (prim == Prim::kSlow) return emit_slow(step, vector);
      return emit_op(step, vector);
    }
    case Step::Kind::kStore:
      emit_store(plan_.block().stores[step.index], vector);
      break;
    case Step::Kind::kKeep:
      emitter_.store_splat(type(step.index), as_.frame(step.slot), in_register(step.index, vector));
      break;
    case Step::Kind::kCarry: {
      const BlockScan& scan = plan_.block().scans[step.index];
      emitter_.store(scan.type, carried(scan, vector),
                     in_register(plan_.source(scan.next), vector));
      break;
    }
    case Step::Kind::kFold:
      emit_fold(step, vector);
      break;
  }
  release_operands(step, vector);
}

void BodyEmitter::emit_store(const BlockStore& store, int vector) {
  const int value = in_register(plan_.source(store.value), vector);
  const int number = shape_.first + vector;
  if (store.in_turn) {
    const int each = in_register(plan_.source(store.place), vector);
    const std::vector<int> free =
        take_temporaries(kPutRegisters + (store.fold ? store.fold->registers() : 0));
    access_.put_each(store, {value, each}, free, number, shape_.extent);
  } else if (store.place >= 0) {
    access_.put_at(store, home(plan_.source(store.place)), {value, take_temporary()}, number,
                   shape_.extent);
  } else {
    access_.store(store, value, take_temporary(), number, shape_.extent);
  }
  drop_temporaries();
}

Mem BodyEmitter::accumulator(int vector) const {
  const int offset = shape_.accumulator_slot + (shape_.first + vector) * Emitter::kVectorBytes;
  if (shape_.accumulator_indexed)
    return asmjit::x86::ptr(asmjit::x86::rsp, asmjit::x86::r8, 0, offset);
  return as_.frame(offset);
}

Mem BodyEmitter::carried(const BlockScan& scan, int vector) const {
  return as_.frame(scan.slot + (shape_.first + vector) * Emitter::kVectorBytes);
}

void BodyEmitter::emit_input(int32_t inst, int vector) {
  const BlockInput& input = plan_.block().inputs[plan_.block().program[inst].imm];
  if (input.kind == BlockInput::Kind::kCarry) {
    const int reg = take_register();
    emitter_.load(type(inst), reg, carried(plan_.block().scans[input.index], vector));
    return define(inst, vector, reg);
  }
  if (input.kind == BlockInput::Kind::kAccumulator) {
    if (shape_.pins != nullptr && !shape_.pins->accumulators.empty()) {
      return define(inst, vector, shape_.pins->accumulators[shape_.first + vector]);
    }
    const int reg = take_register();
    emitter_.load(type(inst), reg, accumulator(vector));
    return define(inst, vector, reg);
  }
  const int temporary = take_temporary(), reg = take_register();
  if (input.kind == BlockInput::Kind::kIndex) {
    access_.load_index(input, reg, temporary, shape_.first + vector);
  } else {
    access_.load(input, reg, temporary, shape_.first + vector, shape_.extent);
  }
  drop_temporaries();
  define(inst, vector, reg);
}

// False where the step is no take. One place for all lanes is read where it is kept.
bool BodyEmitter::emit_take(const Step& step, int vector) {
  const BlockInput& input = plan_.block().inputs[plan_.block().program[step.index].imm];
  if (input.kind != BlockInput::Kind::kTake) return false;
  const int32_t place = plan_.source(input.of);
  const bool one = plan_.home(place).kind != Home::Kind::kNone;
  const int each = one ? -1 : in_register(place, vector);
  const int temporary = take_temporary();
  release_operands(step, vector);
  const int reg = take_register();
  if (one) {
    access_.take_at(input, home(place), reg, temporary, shape_.first + vector, shape_.extent);
  } else {
    access_.take_each(input, each, reg, temporary, shape_.first + vector, shape_.extent);
  }
  drop_temporaries();
  define(step.index, vector, reg);
  return true;
}

std::vector<int> BodyEmitter::take_temporaries(int count) {
  std::vector<int> taken;
  for (int i = 0; i < count; ++i) taken.push_back(take_temporary());
  return taken;
}

// False where the step is no scan. One lane after the other: what the scan has come to is in all
// lanes of a register, meets one element in all lanes of another, and goes to its lane of the
// result.
bool BodyEmitter::emit_scan(const Step& step, int vector) {
  const BlockInput& input = plan_.block().inputs[plan_.block().program[step.index].imm];
  if (input.kind != BlockInput::Kind::kScan) return false;
  const BlockScan& scan = plan_.block().scans[input.index];
  if (shape_.of_rows) {
    if (vector == 0) emit_scan_of_rows(step, scan);
    return true;
  }
  const int x = in_register(plan_.source(input.of), vector);
  const int so_far = take_temporary(), element = take_temporary();
  const std::vector<int> free = take_temporaries(scan.program->registers());
  const int result = take_register();
  emitter_.store(scan.type, access_.scratch(), x);
  emitter_.load(scan.type, so_far, as_.frame(scan.slot));
  for (int lane = 0; lane < emitter_.lanes(); ++lane) {
    emitter_.load_lane(scan.type, element, access_.scratch(), lane);
    scan.program->emit(as_, emitter_, so_far, {so_far, element}, free);
    emitter_.put_lane(scan.type, result, so_far, lane);
  }
  emitter_.store_splat(scan.type, as_.frame(scan.slot), so_far);
  drop_temporaries();
  release_operands(step, vector);
  define(step.index, vector, result);
  return true;
}

// Four rows at once: transposed, vector i holds element i of each row.
void BodyEmitter::emit_scan_of_rows(const Step& step, const BlockScan& scan) {
  const int number = static_cast<int>(&scan - plan_.block().scans.data());
  const int32_t x = plan_.operands(step)[0];
  std::array<int, 4> rows;
  for (int i = 0; i < 4; ++i) {
    const int reg = in_register(x, i);
    rows[i] = dies(x, i) ? reg : take_register();
    if (rows[i] != reg) emitter_.move(scan.type, rows[i], reg);
    release_operands(step, i);
    owner_[rows[i]] = kTemporary;
  }
  int spare = take_temporary();
  const std::vector<int> free = take_temporaries(scan.program->registers());
  const std::vector<int>& pinned = shape_.pins->scans;
  emitter_.transpose(scan.type, &rows, &spare);
  int so_far = pinned.empty() ? spare : pinned[number];
  if (pinned.empty()) emitter_.load(scan.type, so_far, as_.frame(scan.slot));
  for (int element : rows) {
    scan.program->emit(as_, emitter_, element, {so_far, element}, free);
    so_far = element;
  }
  if (pinned.empty())
    emitter_.store(scan.type, as_.frame(scan.slot), so_far);
  else
    emitter_.move(scan.type, pinned[number], so_far);
  emitter_.transpose(scan.type, &rows, &spare);
  drop_temporaries();
  for (int i = 0; i < 4; ++i) define(step.index, i, rows[i]);
}

void BodyEmitter::emit_op(const Step& step, int vector) {
  const Inst& inst = plan_.block().program[step.index];
  std::array<int32_t, 4> taken = plan_.operands(step);
  const int count = num_operands(inst.prim);
  const Type operand = plan_.block().program[inst.operands[0]].type;
  const Needs needs = Emitter::needs(inst, operand);
  if (needs.commutes && at(taken[0], vector).reg < 0) std::swap(taken[0], taken[1]);
  lock_present(taken, vector);
  std::array<Place, 3> places;
  for (int k = 0; k < count; ++k) {
    places[k] =
        place(taken[k], vector, needs.last_in_memory && k == count - 1 && taken[k] != taken[0]);
  }
  std::array<int, 2> temporaries = {};
  for (int k = 0; k < needs.temporaries; ++k) temporaries[k] = take_temporary();
  release_operands(step, vector);
  const int result = take_result(step.index, vector, -1);
  emitter_.op(inst, operand, result, {places.data(), static_cast<size_t>(count)},
              {temporaries.data(), static_cast<size_t>(needs.temporaries)});
  drop_temporaries();
  define(step.index, vector, result);
}

// a*b + c overwrites one operand: one that dies here, or else a copy of a.
void BodyEmitter::emit_fma(const Step& step, int vector) {
  const Inst& inst = plan_.block().program[step.index];
  std::array<int32_t, 4> taken = plan_.operands(step);
  const auto in_reg = [&](int k) { return at(taken[k], vector).reg >= 0; };
  if (!in_reg(0) && in_reg(1)) std::swap(taken[0], taken[1]);
  // At most one operand stays in memory: c, or else b.
  const bool distinct = taken[0] != taken[1] && taken[1] != taken[2] && taken[0] != taken[2];
  const bool c_in_memory = distinct && !in_reg(2);
  const bool b_in_memory = distinct && !c_in_memory && !in_reg(1);
  lock_present(taken, vector);
  const int a = in_register(taken[0], vector);
  const Place b = place(taken[1], vector, b_in_memory), c = place(taken[2], vector, c_in_memory);
  const int b_reg = b.isReg() ? static_cast<int>(b.id()) : -1;
  const int c_reg = c.isReg() ? static_cast<int>(c.id()) : -1;
  int preferred = -1;
  if (dies(taken[1], vector) && b_reg >= 0) preferred = b_reg;
  if (dies(taken[0], vector)) preferred = a;
  if (dies(taken[2], vector) && c_reg >= 0) preferred = c_reg;
  release_operands(step, vector);
  const int result = take_result(step.index, vector, preferred);
  using Form = Emitter::FmaForm;
  if (result == c_reg) {
    emitter_.fma(inst, Form::k231, result, a, b);
  } else if (result == b_reg) {
    emitter_.fma(inst, Form::k213, result, a, c);
  } else {
    emitter_.move(inst.type, result, a);
    if (b_reg < 0) {
      emitter_.fma(inst, Form::k132, result, c_reg, b);
    } else {
      emitter_.fma(inst, Form::k213, result, b_reg, c);
    }
  }
  define(step.index, vector, result);
}

void BodyEmitter::emit_slow(const Step& step, int vector) {
  const Inst& inst = plan_.block().program[step.index];
  const std::array<int32_t, 4> taken = plan_.operands(step);
  lock_present(taken, vector);
  SlowSite site;
  site.fn = static_cast<math::SlowFn>(inst.imm);
  site.type = inst.type;
  site.lanes = emitter_.lanes();
  const int mask = in_register(taken[0], vector);
  site.otherwise = in_register(taken[1], vector);
  site.x = in_register(taken[2], vector);
  site.y = in_register(taken[3], vector);
  release_operands(step, vector);
  site.result = take_result(step.index, vector, site.otherwise);
  emit_slow_call(as_, emitter_, mask, site);
  define(step.index, vector, site.result);
}

void BodyEmitter::emit_fold(const Step& step, int vector) {
  const int folded = in_register(step.index, vector);
  if (shape_.pins != nullptr && !shape_.pins->accumulators.empty()) {
    emitter_.move(type(step.index), shape_.pins->accumulators[shape_.first + vector], folded);
    return;
  }
  if (shape_.extent == Extent::kWhole) {
    emitter_.store(type(step.index), accumulator(vector), folded);
    return;
  }
  const int old = in_register(plan_.source(plan_.block().accumulator), vector);
  const int mask = take_temporary();
  emitter_.load(type(step.index), mask, access_.mask(type(step.index)));
  emitter_.blend(type(step.index), mask, mask, folded, old);
  emitter_.store(type(step.index), accumulator(vector), mask);
  drop_temporaries();
}

}  // namespace frit::codegen
