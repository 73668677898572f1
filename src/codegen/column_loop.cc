// Reductions over another dimension than the contiguous one: sums of columns, and the like. The
// lanes of a vector are neighbouring columns, each of which folds its elements in the canonical
// order by itself: 32 vectors of accumulators in the frame, of which element i takes number i
// mod 32.
//
// Straight code between the reductions runs on vectors too, and what it keeps in the frame is a
// value for each column rather than a splat. The rest of the emitter does not see the difference.
#include <algorithm>

#include "src/codegen/function_emitter.h"
#include "src/ops/reference/reduce.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names
using reference::kBlock;
using reference::kLanes;

constexpr int kBytes = Emitter::kVectorBytes;

bool is_wide(const std::vector<KernelStmt>& body) {
  return std::any_of(body.begin(), body.end(), [](const KernelStmt& stmt) {
    return (stmt.id >= 0 && byte_size(stmt.dtype) == 8) || is_wide(stmt.body);
  });
}

bool has_takes(const KernelStmt& stmt) {
  return stmt.kind == KernelStmt::Kind::kTake || stmt.kind == KernelStmt::Kind::kIndex ||
         stmt.kind == KernelStmt::Kind::kScan || stmt.kind == KernelStmt::Kind::kPut ||
         std::any_of(stmt.body.begin(), stmt.body.end(), has_takes);
}

}  // namespace

// No other loops than reductions inside, none of which has a contiguous operand, while what they
// read is contiguous here. What takes, puts or counts goes by rows.
bool FunctionEmitter::is_column_loop(const KernelStmt& stmt) const {
  if (column_loops_ == ColumnLoops::kNever || columns_.dim >= 0) return false;
  if (has_takes(stmt)) return false;
  bool contiguous = false;
  for (const KernelStmt& reduce : stmt.body) {
    if (reduce.kind == KernelStmt::Kind::kLoop) return false;
    for (const KernelStmt& inner : reduce.body) {
      if (inner.kind != KernelStmt::Kind::kLoad && inner.kind != KernelStmt::Kind::kStore) continue;
      const std::vector<Access>& access = kernel_.params[inner.param].access;
      const auto indexed = [&](int dim) {
        return std::find(inner.dims.begin(), inner.dims.end(), dim) != inner.dims.end();
      };
      if (!indexed(reduce.dim) || access[reduce.dim] == Access::kBroadcast) continue;
      if (access[reduce.dim] == Access::kUnit) return false;
      if (!indexed(stmt.dim) || access[stmt.dim] == Access::kBroadcast) continue;
      if (access[stmt.dim] != Access::kUnit) return false;
      contiguous = true;
    }
  }
  return contiguous;
}

bool FunctionEmitter::emit_column_loop(const KernelStmt& stmt, const Range& range) {
  columns_ = {stmt.dim, is_wide(stmt.body) ? 4 : 8, Extent::kWhole};
  const asmjit::Label next = a().newLabel(), rest = a().newLabel(), done = a().newLabel();
  if (range.begin >= 0) {
    a().mov(rax, assembly_.frame(range.begin));
  } else {
    a().xor_(eax, eax);
  }
  a().bind(next);
  a().lea(rcx, ptr(rax, columns_.lanes));
  a().cmp(rcx, assembly_.frame(range.end));
  a().jg(rest);
  if (!emit_statements(stmt.body, false)) return false;
  a().add(rax, columns_.lanes);
  a().jmp(next);
  a().bind(rest);
  a().mov(rdx, assembly_.frame(range.end));
  a().sub(rdx, rax);
  a().jle(done);
  emitter_.set_lanes(columns_.lanes);
  access_.make_masks(0);
  columns_.extent = Extent::kPartial;
  if (!emit_statements(stmt.body, false)) return false;
  a().bind(done);
  columns_ = {};
  return true;
}

// All vectors of a column loop have as many lanes. False: a sequence needs 64-bit lanes where no
// value has them; the kernel does without column loops then.
bool FunctionEmitter::take_column_lanes(BlockPlan* plan) {
  if (columns_.dim < 0) return true;
  if (plan->lanes() < columns_.lanes) {
    failed_in_columns_ = true;
    return refuse("vectors of different lengths in a column loop");
  }
  plan->set_lanes(columns_.lanes);
  return true;
}

void FunctionEmitter::emit_column_body(const Block& block, const BlockPlan& plan,
                                       const BodyShape& shape) {
  access_.enter_innermost(columns_.dim, streams_of(block));
  emit_body(plan, shape);
}

bool FunctionEmitter::emit_column_reduce(const KernelStmt& stmt, const Range& range) {
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
  BlockPlan plan =
      BlockPlan::loop(block, 1u << stmt.dim, streams_moved_by(1u << stmt.dim), assembly_);
  BlockPlan before = BlockPlan::straight(block, plan.hoisted, BlockPlan::Effects::kNone);
  if (!take_column_lanes(&plan) || !take_column_lanes(&before)) return false;
  emit_column_body(block, before, {.extent = columns_.extent});

  const std::vector<int> streams = streams_of(block);
  std::vector<int> moved, outer_slots;
  for (int stream : streams) {
    if ((env_.streams[stream].dims >> stmt.dim & 1) == 0) continue;
    moved.push_back(stream);
    outer_slots.push_back(access_.address_slot(stream));
    const int slot = assembly_.allocate_frame(8);
    a().mov(rcx, assembly_.frame(outer_slots.back()));
    a().mov(assembly_.frame(slot), rcx);
    access_.set_address_slot(stream, slot);
  }
  access_.enter_innermost(columns_.dim, streams);
  RegisterBudget budget = divide_registers(plan, 0);
  const ColumnReduction reduction{assembly_.allocate_frame(kLanes * kBytes),
                                  assembly_.allocate_frame(state_bytes(PartialWidth::kVector)),
                                  assembly_.allocate_frame(8),
                                  &budget.pins,
                                  &moved,
                                  stmt.dim};
  const PartialFunctions& partials = fold->partials(PartialWidth::kVector);
  const asmjit::Label next_block = a().newLabel(), one_block = a().newLabel();
  clear_partials(reduction.state_slot, PartialWidth::kVector);
  a().mov(rcx, assembly_.frame(range.end));
  a().mov(assembly_.frame(reduction.left_slot), rcx);
  a().bind(next_block);
  emit_column_block(plan, *fold, reduction);
  a().cmp(assembly_.frame(range.end, 8), static_cast<int>(kBlock));
  a().jle(one_block);
  emit_frame_call(assembly_, partials.push, reduction.state_slot, reduction.lanes_slot);
  a().cmp(assembly_.frame(reduction.left_slot, 8), 0);
  a().jg(next_block);
  emit_frame_call(assembly_, partials.finish, reduction.lanes_slot, reduction.state_slot);
  a().bind(one_block);
  const int slot = assembly_.allocate_frame(kBytes);
  a().vmovups(ymm0, assembly_.frame(reduction.lanes_slot));
  emit_end_of_sum(*fold, type);
  a().vmovups(assembly_.frame(slot), ymm0);
  env_.values[stmt.id] = OuterValue{.slot = slot, .type = type};
  for (size_t i = 0; i < moved.size(); ++i) access_.set_address_slot(moved[i], outer_slots[i]);
  return true;
}

// Folds up to 4,096 elements of each column, and joins their lanes in the first accumulator.
void FunctionEmitter::emit_column_block(const BlockPlan& plan, const Fold& fold,
                                        const ColumnReduction& reduction) {
  const math::Type type = plan.block().program[plan.block().folded].type;
  const asmjit::Label next = a().newLabel(), done = a().newLabel();
  emitter_.set_lanes(plan.lanes());
  a().vmovups(ymm0, assembly_.constant(fold.identity(), byte_width(type)));
  for (int i = 0; i < kLanes; ++i)
    a().vmovups(assembly_.frame(reduction.lanes_slot + i * kBytes), ymm0);
  load_pins(assembly_, emitter_, plan, *reduction.pins);
  a().mov(r15d, static_cast<int>(kBlock));
  a().mov(rcx, assembly_.frame(reduction.left_slot));
  a().cmp(rcx, r15);
  a().cmovl(r15, rcx);
  a().sub(assembly_.frame(reduction.left_slot), r15);
  a().xor_(r8d, r8d);
  a().test(r15, r15);
  a().jle(done);
  a().align(asmjit::AlignMode::kCode, 16);
  a().bind(next);
  emit_body(plan, {.extent = columns_.extent,
                   .pins = reduction.pins,
                   .accumulator_slot = reduction.lanes_slot,
                   .accumulator_indexed = true});
  for (int stream : *reduction.streams) access_.advance(stream, reduction.dim);
  a().add(r8, kBytes);
  a().and_(r8, kLanes * kBytes - 1);
  a().dec(r15);
  a().jnz(next);
  a().bind(done);
  join_columns(fold, type, reduction.lanes_slot);
}

// The halving tree over 32 vectors in the frame.
void FunctionEmitter::join_columns(const Fold& fold, math::Type type, int lanes_slot) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    const asmjit::Label next = a().newLabel();
    a().xor_(ecx, ecx);
    a().bind(next);
    const Mem low = ptr(rsp, rcx, 0, lanes_slot),
              high = ptr(rsp, rcx, 0, lanes_slot + width * kBytes);
    emitter_.load(type, 0, low);
    emitter_.load(type, 1, high);
    fold.combine(assembly_, emitter_, 0, 0, 1);
    emitter_.store(type, low, 0);
    a().add(ecx, kBytes);
    a().cmp(ecx, width * kBytes);
    a().jb(next);
  }
}

}  // namespace frit::codegen
