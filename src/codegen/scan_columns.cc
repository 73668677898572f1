// Scans whose elements lie apart, as those of cumsum over another dimension than the contiguous
// one: the lanes of a vector are neighbouring columns, each of which goes down its own. A few
// vectors go side by side, so that a line of memory is read once; what they have come to is in the
// frame.
#include "src/codegen/function_emitter.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names

constexpr int kBytes = Emitter::kVectorBytes;

}  // namespace

bool FunctionEmitter::emit_scan_columns(const KernelStmt& stmt, const Range& range) {
  const KernelStmt& inner = stmt.body[0];
  BlockBuilder builder(env_, BlockBuilder::ScanLanes::kSideBySide);
  for (const KernelStmt& made : inner.body) {
    if (!builder.add(made)) return refuse(builder.reason());
  }
  Block block = builder.finish();
  for (BlockScan& scan : block.scans) scan.slot = assembly_.allocate_frame(kMaxVectors * kBytes);
  const BlockPlan plan = begin_loops(block, 1u << stmt.dim | 1u << inner.dim);
  const RegisterBudget budget = divide_registers(plan, 0);
  ScanColumns scan{
      plan, budget.pins, stmt.dim, inner.dim, assembly_.allocate_frame(8), sizes_[inner.param], {}};
  for (int stream : streams_of(block)) {
    if ((env_.streams[stream].dims >> inner.dim & 1) == 0) continue;
    scan.moved.push_back({stream, access_.address_slot(stream), assembly_.allocate_frame(8)});
    access_.set_address_slot(stream, scan.moved.back().slot);
  }
  access_.set_index_slot(inner.dim, scan.counter_slot);
  emitter_.set_lanes(plan.lanes());
  load_pins(assembly_, emitter_, plan, budget.pins);
  if (range.begin >= 0) {
    a().mov(rax, assembly_.frame(range.begin));
  } else {
    a().xor_(eax, eax);
  }
  if (budget.vectors > 1) emit_whole_columns(scan, range, budget.vectors);
  emit_whole_columns(scan, range, 1);
  const asmjit::Label done = a().newLabel();
  a().mov(rdx, assembly_.frame(range.end));
  a().sub(rdx, rax);
  a().jle(done);
  access_.make_masks(0);
  emit_down_columns(scan, {.extent = Extent::kPartial, .pins = &budget.pins});
  a().bind(done);
  for (const ScanColumns::Moved& m : scan.moved) access_.set_address_slot(m.stream, m.outer_slot);
  return true;
}

// while (index + n <= end) { n columns; index += n }
void FunctionEmitter::emit_whole_columns(const ScanColumns& scan, const Range& range, int vectors) {
  const int columns = vectors * scan.plan.lanes();
  const asmjit::Label next = a().newLabel(), done = a().newLabel();
  a().bind(next);
  a().lea(rcx, ptr(rax, columns));
  a().cmp(rcx, assembly_.frame(range.end));
  a().jg(done);
  emit_down_columns(scan, {.vectors = vectors, .pins = &scan.pins});
  a().add(rax, columns);
  a().jmp(next);
  a().bind(done);
}

// From rax on, all rows.
void FunctionEmitter::emit_down_columns(const ScanColumns& scan, const BodyShape& shape) {
  const Block& block = scan.plan.block();
  for (const BlockScan& s : block.scans) {
    a().vmovups(ymm0, assembly_.constant(s.first, byte_width(s.type)));
    for (int v = 0; v < shape.vectors; ++v) a().vmovups(assembly_.frame(s.slot + v * kBytes), ymm0);
  }
  for (const ScanColumns::Moved& m : scan.moved) {
    a().mov(rcx, assembly_.frame(m.outer_slot));
    a().mov(assembly_.frame(m.slot), rcx);
  }
  access_.enter_innermost(scan.dim, streams_of(block));
  const asmjit::Label next = a().newLabel(), done = a().newLabel();
  a().mov(assembly_.frame(scan.counter_slot, 8), 0);
  a().cmp(assembly_.frame(scan.end_slot, 8), 0);
  a().jle(done);
  a().align(asmjit::AlignMode::kCode, 16);
  a().bind(next);
  emit_body(scan.plan, shape);
  for (const ScanColumns::Moved& m : scan.moved) access_.advance(m.stream, scan.row_dim);
  a().mov(rcx, assembly_.frame(scan.counter_slot));
  a().inc(rcx);
  a().mov(assembly_.frame(scan.counter_slot), rcx);
  a().cmp(rcx, assembly_.frame(scan.end_slot));
  a().jl(next);
  a().bind(done);
}

}  // namespace frit::codegen
