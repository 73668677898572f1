// Reductions over the innermost dimension, in the canonical order: element i of a block of 4,096
// belongs to lane i mod 32. The lanes are 4 (or, of 64-bit types, 8) accumulators, and each pass of
// the main loop takes 32 elements. The accumulators then go to the frame, where up to 31 elements
// left are folded a vector at a time, and are joined. Rows of one block, which most are, stop
// there.
#include "src/codegen/function_emitter.h"
#include "src/ops/reference/reduce.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names
using reference::kBlock;
using reference::kLanes;

}  // namespace

FunctionEmitter::Reduction FunctionEmitter::begin_reduction(const Fold& fold, math::Type type,
                                                            int lanes, const Range& range) {
  Reduction r{};
  r.fold = &fold;
  r.type = type;
  r.vectors = kLanes / lanes;
  r.lanes_slot = assembly_.allocate_frame(r.vectors * Emitter::kVectorBytes);
  r.partial_slot = assembly_.allocate_frame(8);
  r.state_slot = assembly_.allocate_frame(state_bytes(PartialWidth::kElement));
  r.end_slot = range.end;
  r.block_end_slot = assembly_.allocate_frame(8);
  r.rest_slot = assembly_.allocate_frame(8);
  return r;
}

bool FunctionEmitter::emit_reduce(const KernelStmt& stmt, const Range& range) {
  BlockBuilder builder(env_);
  for (const KernelStmt& inner : stmt.body) {
    if (!builder.add(inner)) return refuse(builder.reason());
  }
  if (!builder.add_fold(stmt.op, stmt.dtype)) return refuse(builder.reason());
  const Block block = builder.finish();
  const math::Type type = block.program[block.folded].type;
  const std::optional<Fold> fold = Fold::make(stmt.op, type);
  if (!fold)
    return refuse(std::string(name(stmt.op)) + ": no fold for " + std::string(name(stmt.dtype)));
  const BlockPlan plan = begin_innermost(block, stmt.dim);
  const Reduction reduction = begin_reduction(*fold, type, plan.lanes(), range);
  const RegisterBudget budget = divide_registers(plan, reduction.vectors);
  clear_partials(reduction.state_slot, PartialWidth::kElement);
  const PartialFunctions& partials = fold->partials(PartialWidth::kElement);
  const asmjit::Label next_block = a().newLabel(), one_block = a().newLabel();
  a().xor_(eax, eax);
  a().bind(next_block);
  emit_block_of_reduction(plan, budget, reduction);
  a().mov(rdx, assembly_.frame(range.end));
  a().cmp(rdx, static_cast<int>(kBlock));
  a().jle(one_block);
  emit_frame_call(assembly_, partials.push, reduction.state_slot, reduction.partial_slot);
  a().cmp(rax, rdx);
  a().jl(next_block);
  emit_frame_call(assembly_, partials.finish, reduction.partial_slot, reduction.state_slot);
  a().bind(one_block);
  const int slot = assembly_.allocate_frame(Emitter::kVectorBytes);
  emit_result(reduction, slot);
  env_.values[stmt.id] = OuterValue{.slot = slot, .type = type};
  return true;
}

void FunctionEmitter::clear_partials(int state_slot, PartialWidth width) {
  for (int level = 0; level < kPartialLevels; ++level) {
    a().mov(assembly_.frame(state_slot + level * level_bytes(width), 8), 0);
  }
}

// From rax to the end of its block, where it leaves rax; the partial goes to its slot.
void FunctionEmitter::emit_block_of_reduction(const BlockPlan& plan, const RegisterBudget& budget,
                                              const Reduction& reduction) {
  const asmjit::Label next = a().newLabel(), rest = a().newLabel();
  a().lea(rcx, ptr(rax, static_cast<int>(kBlock)));
  a().mov(rdx, assembly_.frame(reduction.end_slot));
  a().cmp(rcx, rdx);
  a().cmovl(rdx, rcx);
  a().mov(assembly_.frame(reduction.block_end_slot), rdx);
  load_pins(assembly_, emitter_, plan, budget.pins);
  const Mem identity = assembly_.constant(reduction.fold->identity(), byte_width(reduction.type));
  const bool pinned = !budget.pins.accumulators.empty();
  const auto slot = [&](int i) {
    return assembly_.frame(reduction.lanes_slot + i * Emitter::kVectorBytes);
  };
  if (!pinned) emitter_.load(reduction.type, 0, identity);
  for (int i = 0; i < reduction.vectors; ++i) {
    if (pinned) {
      emitter_.load(reduction.type, budget.pins.accumulators[i], identity);
    } else {
      emitter_.store(reduction.type, slot(i), 0);
    }
  }
  a().lea(rcx, ptr(rax, kLanes));
  a().cmp(rcx, rdx);
  a().jg(rest);
  a().align(asmjit::AlignMode::kCode, 16);
  a().bind(next);
  for (int first = 0; first < reduction.vectors; first += budget.vectors) {
    emit_body(plan, {.vectors = budget.vectors,
                     .first = first,
                     .pins = &budget.pins,
                     .accumulator_slot = reduction.lanes_slot});
  }
  a().add(rax, kLanes);
  a().lea(rcx, ptr(rax, kLanes));
  a().cmp(rcx, rdx);
  a().jle(next);
  a().bind(rest);
  if (pinned) {
    for (int i = 0; i < reduction.vectors; ++i) {
      emitter_.store(reduction.type, slot(i), budget.pins.accumulators[i]);
    }
  }
  emit_rest_of_block(plan, reduction);
  emit_join(reduction);
  a().mov(rax, assembly_.frame(reduction.block_end_slot));
}

// Up to 31 elements, a vector at a time, r8 being the offset of its accumulator.
void FunctionEmitter::emit_rest_of_block(const BlockPlan& plan, const Reduction& reduction) {
  const asmjit::Label next = a().newLabel(), done = a().newLabel();
  a().sub(rdx, rax);
  a().jle(done);
  a().xor_(r8d, r8d);
  a().bind(next);
  a().mov(assembly_.frame(reduction.rest_slot), rdx);
  a().mov(ecx, plan.lanes());
  a().cmp(rdx, rcx);
  a().cmovg(rdx, rcx);
  emitter_.set_lanes(plan.lanes());
  access_.make_masks(0);
  emit_body(plan, {.extent = Extent::kPartial,
                   .accumulator_slot = reduction.lanes_slot,
                   .accumulator_indexed = true});
  a().add(rax, plan.lanes());
  a().add(r8, Emitter::kVectorBytes);
  a().mov(rdx, assembly_.frame(reduction.rest_slot));
  a().sub(rdx, plan.lanes());
  a().jg(next);
  a().bind(done);
}

void FunctionEmitter::emit_join(const Reduction& reduction) {
  for (int i = 0; i < reduction.vectors; ++i) {
    emitter_.load(reduction.type, i,
                  assembly_.frame(reduction.lanes_slot + i * Emitter::kVectorBytes));
  }
  reduction.fold->join(assembly_, emitter_, reduction.vectors);
  if (byte_width(reduction.type) == 4) {
    a().vmovss(assembly_.frame(reduction.partial_slot), Xmm(0));
  } else {
    a().vmovsd(assembly_.frame(reduction.partial_slot), Xmm(0));
  }
}

// Register 0 + 0.0, for sums of floats.
void FunctionEmitter::emit_end_of_sum(const Fold& fold, math::Type type) {
  if (!fold.adds_zero_at_end()) return;
  a().vxorps(Ymm(1), Ymm(1), Ymm(1));
  if (byte_width(type) == 8) {
    a().vaddpd(Ymm(0), Ymm(0), Ymm(1));
  } else {
    a().vaddps(Ymm(0), Ymm(0), Ymm(1));
  }
}

// The partial in all lanes of a slot.
void FunctionEmitter::emit_result(const Reduction& reduction, int slot) {
  const bool wide = byte_width(reduction.type) == 8;
  emitter_.set_lanes(wide ? 4 : 8);
  if (wide) {
    a().vbroadcastsd(Ymm(0), assembly_.frame(reduction.partial_slot));
  } else {
    a().vbroadcastss(Ymm(0), assembly_.frame(reduction.partial_slot));
  }
  emit_end_of_sum(*reduction.fold, reduction.type);
  emitter_.store(reduction.type, assembly_.frame(slot), 0);
}

}  // namespace frit::codegen
