// Entry, straight code and outer loops of a kernel's function.
#include "src/codegen/function_emitter.h"

#include <bit>

#include "src/base/check.h"
#include "src/codegen/scans.h"
#include "src/schedule/kernel_walk.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names

int words_of(const KernelParam& param) {
  return param.kind == KernelParam::Kind::kBuffer ? 1 + static_cast<int>(param.access.size()) : 1;
}

}  // namespace

FunctionEmitter::FunctionEmitter(const Kernel& kernel, Assembly::Validation validation,
                                 ColumnLoops column_loops)
    : kernel_(kernel),
      assembly_(validation),
      emitter_(assembly_),
      env_(kernel),
      access_(assembly_, emitter_, env_),
      use_counts_(env_.dtypes.size()),
      sizes_(kernel.params.size(), -1),
      column_loops_(column_loops) {
  count_uses(kernel.body, &use_counts_);
}

std::string FunctionEmitter::emit() {
  assembly_.begin_function();
  emit_entry();
  if (!emit_statements(kernel_.body, true)) return reason_;
  assembly_.end_function();
  const std::string error = assembly_.finish();
  return error.empty() ? error : "encoder: " + error;
}

bool FunctionEmitter::refuse(const std::string& reason) {
  if (reason_.empty()) reason_ = reason;
  return false;
}

// rdi, rsi, rdx are args, begin and end. Everything in args goes to the frame, ready for use.
void FunctionEmitter::emit_entry() {
  outermost_ = {assembly_.allocate_frame(8), assembly_.allocate_frame(8)};
  a().mov(assembly_.frame(outermost_.begin), rsi);
  a().mov(assembly_.frame(outermost_.end), rdx);
  int word = 0;
  for (int p = 0; p < static_cast<int>(kernel_.params.size()); ++p) {
    const KernelParam& param = kernel_.params[p];
    if (param.kind == KernelParam::Kind::kSize) {
      sizes_[p] = assembly_.allocate_frame(8);
      a().mov(rax, ptr(rdi, 8 * word));
      a().mov(assembly_.frame(sizes_[p]), rax);
    } else if (param.kind == KernelParam::Kind::kScalar) {
      emit_scalar(p, word);
    } else {
      const int slot = assembly_.allocate_frame(8);
      a().mov(rax, ptr(rdi, 8 * word));
      a().mov(assembly_.frame(slot), rax);
      uint32_t dims = 0;
      for (int s = 0; s < static_cast<int>(env_.streams.size()); ++s) {
        if (env_.streams[s].param != p) continue;
        access_.set_address_slot(s, slot);
        dims |= env_.streams[s].dims;
      }
      for (int d = 0; d < static_cast<int>(param.access.size()); ++d) {
        const bool strided =
            param.access[d] == Access::kStrided || param.access[d] == Access::kReversed;
        if ((dims >> d & 1) == 0 || !strided) continue;
        a().mov(rax, ptr(rdi, 8 * (word + 1 + d)));
        const int shift = std::countr_zero(static_cast<unsigned>(byte_size(param.dtype)));
        if (shift != 0) a().shl(rax, shift);
        a().mov(assembly_.frame(access_.stride_slot(p, d)), rax);
      }
    }
    word += words_of(param);
  }
}

void FunctionEmitter::emit_scalar(int param, int word) {
  const Dtype dtype = kernel_.params[param].dtype;
  const math::Type type = type_of(dtype);
  const int slot = assembly_.allocate_frame(Emitter::kVectorBytes);
  emitter_.set_lanes(byte_width(type) == 8 ? 4 : 8);
  emitter_.load_broadcast(dtype, 0, ptr(rdi, 8 * word), rax);
  emitter_.store(type, assembly_.frame(slot), 0);
  env_.scalars[param] = OuterValue{.slot = slot, .type = type};
}

bool FunctionEmitter::emit_statements(const std::vector<KernelStmt>& body, bool outermost) {
  BlockBuilder builder(env_);
  std::vector<const KernelStmt*> straight;
  for (const KernelStmt& stmt : body) {
    if (!is_loop(stmt)) {
      if (!builder.add(stmt)) return refuse(builder.reason());
      straight.push_back(&stmt);
      continue;
    }
    if (!flush(&builder, straight)) return false;
    straight.clear();
    const Range range = range_of(stmt, outermost);
    const bool innermost = is_innermost(stmt);
    if (stmt.kind == KernelStmt::Kind::kReduce && !innermost)
      return refuse("a loop inside a reduction");
    if (stmt.kind == KernelStmt::Kind::kReduce) {
      if (!(columns_.dim < 0 ? emit_reduce(stmt, range) : emit_column_reduce(stmt, range)))
        return false;
    } else if (!(innermost ? emit_vector_loop(stmt, range) : emit_outer_loop(stmt, range))) {
      return false;
    }
  }
  return flush(&builder, straight);
}

// Emits the straight code gathered so far, and notes where its values are.
bool FunctionEmitter::flush(BlockBuilder* builder,
                            const std::vector<const KernelStmt*>& statements) {
  const Block block = builder->finish();
  if (statements.empty()) return true;
  std::vector<int> inside(use_counts_.size());
  for (const KernelStmt* stmt : statements) {
    for (int operand : stmt->operands) {
      if (operand >= 0) ++inside[operand];
    }
  }
  std::vector<std::pair<int32_t, int>> keep;
  for (const auto& [value, inst] : block.values) {
    if (use_counts_[value] == inside[value]) continue;
    const math::Inst& made = block.program[inst];
    if (made.prim == math::Prim::kConst) {
      env_.values[value] = OuterValue{.is_constant = true, .bits = made.imm, .type = made.type};
      continue;
    }
    const int slot = assembly_.allocate_frame(Emitter::kVectorBytes);
    keep.emplace_back(inst, slot);
    env_.values[value] = OuterValue{.slot = slot, .type = made.type};
  }
  BlockPlan plan = BlockPlan::straight(block, keep, BlockPlan::Effects::kStores);
  if (!take_column_lanes(&plan)) return false;
  if (columns_.dim < 0) {
    access_.enter_innermost(-1, {});
    emit_body(plan, {});
  } else {
    emit_column_body(block, plan, {.extent = columns_.extent});
  }
  return true;
}

FunctionEmitter::Range FunctionEmitter::range_of(const KernelStmt& stmt, bool outermost) const {
  if (outermost) return outermost_;
  return {-1, sizes_[stmt.param]};
}

bool FunctionEmitter::emit_outer_loop(const KernelStmt& stmt, const Range& range) {
  if (is_column_loop(stmt)) return emit_column_loop(stmt, range);
  switch (columns_.dim < 0 ? way_of_scans(stmt, kernel_) : WayOfScans::kInTurn) {
    case WayOfScans::kColumns:
      return emit_scan_columns(stmt, range);
    case WayOfScans::kRows:
      return emit_scan_rows(stmt, range);
    case WayOfScans::kInTurn:
      return emit_row_loop(stmt, range);
  }
  __builtin_unreachable();
}

bool FunctionEmitter::emit_row_loop(const KernelStmt& stmt, const Range& range) {
  const int counter = assembly_.allocate_frame(8);
  const asmjit::Label next = a().newLabel(), done = a().newLabel();
  if (range.begin >= 0) {
    a().mov(rax, assembly_.frame(range.begin));
  } else {
    a().xor_(eax, eax);
  }
  access_.set_index_slot(stmt.dim, counter);
  a().mov(assembly_.frame(counter), rax);
  a().cmp(rax, assembly_.frame(range.end));
  a().jge(done);
  struct Moved {
    int stream, outer_slot, slot, stride_slot, stride;  // stride in bytes, where it is known
  };
  std::vector<Moved> moved;
  for (int s = 0; s < static_cast<int>(env_.streams.size()); ++s) {
    const Stream& stream = env_.streams[s];
    if ((stream.dims >> stmt.dim & 1) == 0) continue;
    const KernelParam& param = kernel_.params[stream.param];
    const bool unit = param.access[stmt.dim] == Access::kUnit;
    Moved m{s, access_.address_slot(s), assembly_.allocate_frame(8),
            unit ? -1 : access_.stride_slot(stream.param, stmt.dim), byte_size(param.dtype)};
    if (unit) {
      a().imul(rcx, rax, m.stride);
    } else {
      a().mov(rcx, assembly_.frame(m.stride_slot));
      a().imul(rcx, rax);
    }
    a().add(rcx, assembly_.frame(m.outer_slot));
    a().mov(assembly_.frame(m.slot), rcx);
    access_.set_address_slot(s, m.slot);
    moved.push_back(m);
  }
  a().bind(next);
  if (!emit_statements(stmt.body, false)) return false;
  for (const Moved& m : moved) {
    if (m.stride_slot < 0) {
      a().add(assembly_.frame(m.slot, 8), m.stride);
    } else {
      a().mov(rcx, assembly_.frame(m.stride_slot));
      a().add(assembly_.frame(m.slot), rcx);
    }
    access_.set_address_slot(m.stream, m.outer_slot);
  }
  a().mov(rax, assembly_.frame(counter));
  a().inc(rax);
  a().mov(assembly_.frame(counter), rax);
  a().cmp(rax, assembly_.frame(range.end));
  a().jl(next);
  a().bind(done);
  return true;
}

}  // namespace frit::codegen
