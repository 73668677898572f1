// Scans along contiguous rows, four rows at a time: what a scan has come to must wait for the sum
// before it, so that one row alone leaves the processor idle. Vector i of a pass is of row i; a
// scan transposes the four vectors in registers, whose lanes then are the rows, and transposes them
// back (BodyEmitter::emit_scan_of_rows). The rows left over go one by one.
#include "src/codegen/function_emitter.h"
#include "src/codegen/scans.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names

constexpr int kRows = StreamAccess::kMaxRows;
constexpr int kBytes = Emitter::kVectorBytes;

// Registers for what scans have come to, where bodies and temporaries leave so many; then for what
// stays the same.
Pins pins_of_rows(const BlockPlan& plan) {
  Pins pins;
  const int scans = static_cast<int>(plan.block().scans.size());
  int spare = Emitter::kRegisters - plan.temporaries() - kRows * plan.pressure();
  int next = Emitter::kRegisters - 1;
  if (spare >= scans) {
    for (int i = 0; i < scans; ++i) pins.scans.push_back(next--);
    spare -= scans;
  }
  for (int32_t inst : plan.invariants()) {
    if (spare-- <= 0) break;
    pins.values.emplace_back(inst, next--);
  }
  return pins;
}

}  // namespace

bool FunctionEmitter::emit_scan_rows(const KernelStmt& stmt, const Range& range) {
  const KernelStmt& inner = stmt.body[0];
  BlockBuilder builder(env_);
  for (const KernelStmt& made : inner.body) {
    if (!builder.add(made)) return refuse(builder.reason());
  }
  Block block = builder.finish();
  for (BlockScan& scan : block.scans) scan.slot = assembly_.allocate_frame(kBytes);
  BlockPlan plan = begin_loops(block, 1u << stmt.dim | 1u << inner.dim);
  plan.set_lanes(kRows);
  const Pins pins = pins_of_rows(plan);
  const int counter = assembly_.allocate_frame(8);
  access_.set_index_slot(stmt.dim, counter);
  std::vector<ScanColumns::Moved> moved;
  for (int stream : streams_of(block)) {
    if ((env_.streams[stream].dims >> stmt.dim & 1) == 0) continue;
    moved.push_back({stream, access_.address_slot(stream), assembly_.allocate_frame(8 * kRows)});
  }
  emitter_.set_lanes(kRows);
  load_pins(assembly_, emitter_, plan, pins);
  const asmjit::Label next = a().newLabel(), rest = a().newLabel();
  if (range.begin >= 0) {
    a().mov(rax, assembly_.frame(range.begin));
  } else {
    a().xor_(eax, eax);
  }
  a().mov(assembly_.frame(counter), rax);
  a().bind(next);
  a().mov(rax, assembly_.frame(counter));
  a().lea(rcx, ptr(rax, kRows));
  a().cmp(rcx, assembly_.frame(range.end));
  a().jg(rest);
  for (const ScanColumns::Moved& m : moved) {
    place_rows(m, stmt.dim);
    access_.set_address_slot(m.stream, m.slot);
  }
  access_.enter_rows(inner.dim, stmt.dim, kRows, streams_of(block));
  begin_scans(block, pins);
  emit_along_rows(plan, pins, sizes_[inner.param]);
  for (const ScanColumns::Moved& m : moved) access_.set_address_slot(m.stream, m.outer_slot);
  a().add(assembly_.frame(counter, 8), kRows);
  a().jmp(next);
  a().bind(rest);
  return emit_row_loop(stmt, {counter, range.end});
}

// Where the rows from rax on begin.
void FunctionEmitter::place_rows(const ScanColumns::Moved& moved, int dim) {
  const Stream& stream = env_.streams[moved.stream];
  const KernelParam& param = kernel_.params[stream.param];
  if (param.access[dim] == Access::kUnit) {
    a().mov(ecx, byte_size(param.dtype));
  } else {
    a().mov(rcx, assembly_.frame(access_.stride_slot(stream.param, dim)));
  }
  a().mov(rsi, rcx);
  a().imul(rsi, rax);
  a().add(rsi, assembly_.frame(moved.outer_slot));
  for (int row = 0; row < kRows; ++row) {
    a().mov(assembly_.frame(moved.slot + 8 * row), rsi);
    if (row + 1 < kRows) a().add(rsi, rcx);
  }
}

// Of the rows that have been entered all elements.
void FunctionEmitter::emit_along_rows(const BlockPlan& plan, const Pins& pins, int end_slot) {
  const asmjit::Label next = a().newLabel(), rest = a().newLabel(), done = a().newLabel();
  a().xor_(eax, eax);
  a().mov(rdx, assembly_.frame(end_slot));
  a().cmp(rdx, kRows);
  a().jl(rest);
  a().align(asmjit::AlignMode::kCode, 16);
  a().bind(next);
  emit_body(plan, {.vectors = kRows, .pins = &pins, .of_rows = true});
  a().add(rax, kRows);
  a().lea(rcx, ptr(rax, kRows));
  a().cmp(rcx, rdx);
  a().jle(next);
  a().bind(rest);
  a().sub(rdx, rax);
  a().jle(done);
  access_.make_masks(0);
  emit_body(plan, {.vectors = kRows, .extent = Extent::kPartial, .pins = &pins, .of_rows = true});
  a().bind(done);
}

}  // namespace frit::codegen
