// Innermost loops: several vectors at a time, then one, then the part of one that is left.
#include <algorithm>

#include "src/codegen/function_emitter.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names

}  // namespace

void FunctionEmitter::emit_body(const BlockPlan& plan, const BodyShape& shape) {
  BodyEmitter(assembly_, emitter_, access_, plan, shape).run();
}

std::vector<bool> FunctionEmitter::streams_moved_by(uint32_t dims) const {
  std::vector<bool> moves;
  for (const Stream& stream : env_.streams) moves.push_back((stream.dims & dims) != 0);
  return moves;
}

// Does before the loops over `dims` what need not be in them.
BlockPlan FunctionEmitter::begin_loops(const Block& block, uint32_t dims) {
  BlockPlan plan = BlockPlan::loop(block, dims, streams_moved_by(dims), assembly_);
  if (plan.hoisted.empty()) return plan;
  access_.enter_innermost(-1, {});
  emit_body(BlockPlan::straight(block, plan.hoisted, BlockPlan::Effects::kNone), {});
  return plan;
}

// The same of one loop. The loop's addresses are in their registers then.
BlockPlan FunctionEmitter::begin_innermost(const Block& block, int dim) {
  BlockPlan plan = begin_loops(block, 1u << dim);
  access_.enter_innermost(dim, streams_of(block));
  emitter_.set_lanes(plan.lanes());
  return plan;
}

// while (index + n <= end) { n elements; index += n }
void FunctionEmitter::emit_whole_vectors(const BlockPlan& plan, const Pins& pins, int vectors) {
  const asmjit::Label next = a().newLabel(), done = a().newLabel();
  const int elements = vectors * plan.lanes();
  a().lea(rcx, ptr(rax, elements));
  a().cmp(rcx, rdx);
  a().jg(done);
  a().align(asmjit::AlignMode::kCode, 16);
  a().bind(next);
  emit_body(plan, {.vectors = vectors, .pins = &pins});
  a().add(rax, elements);
  a().lea(rcx, ptr(rax, elements));
  a().cmp(rcx, rdx);
  a().jle(next);
  a().bind(done);
}

void FunctionEmitter::begin_scans(const Block& block, const Pins& pins) {
  for (size_t i = 0; i < block.scans.size(); ++i) {
    const BlockScan& scan = block.scans[i];
    const Ymm first(pins.scans.empty() ? 0 : pins.scans[i]);
    a().vmovups(first, assembly_.constant(scan.first, byte_width(scan.type)));
    if (pins.scans.empty()) a().vmovups(assembly_.frame(scan.slot), first);
  }
}

bool FunctionEmitter::emit_vector_loop(const KernelStmt& stmt, const Range& range) {
  BlockBuilder builder(env_, BlockBuilder::ScanLanes::kInTurn, stmt.dim);
  for (const KernelStmt& inner : stmt.body) {
    if (!builder.add(inner)) return refuse(builder.reason());
  }
  Block block = builder.finish();
  for (BlockScan& scan : block.scans) scan.slot = assembly_.allocate_frame(Emitter::kVectorBytes);
  begin_scans(block, {});
  for (const BlockStore& store : block.stores) {
    if (store.place < 0 && (env_.streams[store.stream].dims >> stmt.dim & 1) == 0)
      return refuse("a store that its loop does not move");
  }
  const BlockPlan plan = begin_innermost(block, stmt.dim);
  const RegisterBudget budget = divide_registers(plan, 0);
  load_pins(assembly_, emitter_, plan, budget.pins);
  if (range.begin >= 0) {
    a().mov(rax, assembly_.frame(range.begin));
  } else {
    a().xor_(eax, eax);
  }
  a().mov(rdx, assembly_.frame(range.end));
  if (budget.vectors > 1) emit_whole_vectors(plan, budget.pins, budget.vectors);
  emit_whole_vectors(plan, budget.pins, 1);
  const asmjit::Label done = a().newLabel();
  a().sub(rdx, rax);
  a().jle(done);
  access_.make_masks(0);
  emit_body(plan, {.extent = Extent::kPartial, .pins = &budget.pins});
  a().bind(done);
  return true;
}

}  // namespace frit::codegen
