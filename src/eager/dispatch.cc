// Routes op calls to the observer, to a device's kernel, to the CPU's, or to the composite's parts.
#include "src/eager/dispatch.h"

#include <new>
#include <string>

#include "src/base/check.h"
#include "src/base/memory.h"
#include "src/base/profiler.h"
#include "src/eager/composite_builder.h"
#include "src/eager/device_dispatch.h"
#include "src/eager/kernels.h"
#include "src/tensor/devices.h"

namespace frit {
namespace {

constexpr EagerKernel cpu_kernel(Op op) {
  using namespace eager;
  if (op == Op::pow) return run_pow;
  if (op == Op::tril || op == Op::triu) return run_triangle;
  if (op == Op::cdist) return run_cdist;
  switch (op) {
#define FRIT_UNARY(name, ...) case Op::name:
#define FRIT_BINARY(name, ...) case Op::name:
#define FRIT_TERNARY(name, ...) case Op::name:
#define FRIT_CORE(...)
#define FRIT_COMPOSITE(...)
#include "src/ops/ops.def"
    return run_pointwise;
#define FRIT_UNARY(...)
#define FRIT_BINARY(...)
#define FRIT_TERNARY(...)
#define FRIT_CORE(...)
#define FRIT_COMPOSITE(name, ...) case Op::name:
#include "src/ops/ops.def"
    return run_composite;
#define FRIT_CORE(name, ...) \
  case Op::name:             \
    return run_core<Op::name>;
#define FRIT_OP(...)
#include "src/ops/ops.def"
  }
  FRIT_CHECK(false) << "op " << static_cast<int>(op);
  __builtin_unreachable();
}

// The CPU's, by op.
struct KernelTable {
  EagerKernel kernels[kNumOps + kMaxCustomOps] = {};
  constexpr KernelTable() {
    for (int i = 0; i < kNumOps; ++i) kernels[i] = cpu_kernel(static_cast<Op>(i));
    for (int i = kNumOps; i < kNumOps + kMaxCustomOps; ++i) kernels[i] = eager::run_custom;
  }
};
constexpr KernelTable kernel_table;

// Makes operands materialised. Whether the call is about another device than the CPU.
bool prepare_operands(const OpCall& call) {
  bool elsewhere = false, has_tensors = false;
  for (const Operand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    materialize(operand.tensor);
    has_tensors = true;
    elsewhere |= !operand.tensor->layout->device.is_cpu();
  }
  return has_tensors ? elsewhere : !devices::device_of_new.is_cpu();
}

// Where nobody observes, somebody may listen.
void dispatch_unobserved(const OpCall& call, Tensor* results) {
  Listener* const heard_by = listener();
  if (heard_by == nullptr) return run_eager(call, results);
  heard_by->before_op(call);
  run_eager(call, results);
  heard_by->after_op(call, results);
}

// A call that the observer does not want to hear of. Of a write it is told all the same: others may
// wait to read that memory.
inline bool is_quiet(const OpCall& call) {
  ObservedThread& thread = observed_thread;
  if (__builtin_expect(thread.quiet == 0, true) || call.op == Op::store) return false;
  thread.skip(static_cast<uint64_t>(call.op));
  return true;
}

void run_quietly(const OpCall& call, Tensor* results) {
  run_eager(call, results);
  if (observed_thread.quiet == 0) observer.quiet_ended();
}

[[noreturn, gnu::noinline]] void fail_out_of_memory(Op op) {
  base::throw_out_of_memory(std::string(name(op)).c_str());
}

}  // namespace

void dispatch(const OpCall& call, Tensor* results) {
  try {
    if (!observing()) return dispatch_unobserved(call, results);
    if (is_quiet(call)) return run_quietly(call, results);
    if (observer.before_op(call, results)) return;
    run_eager(call, results);
    observer.after_op(call, results);
  } catch (const std::bad_alloc&) {
    fail_out_of_memory(call.op);
  }
}

namespace {

// What the CPU's kernels make beside their operands is on the CPU.
[[gnu::noinline]] void run_beside_default_device(const OpCall& call, Tensor* results) {
  const DefaultDeviceScope here(kCPU);
  cpu_kernel_of(call.op)(call, results);
}

void run_kernel(const OpCall& call, Tensor* results) {
  if (prepare_operands(call)) return eager::run_on_device(call, results);
  if (!devices::device_of_new.is_cpu()) return run_beside_default_device(call, results);
  cpu_kernel_of(call.op)(call, results);
}

// A composite's parts lie within its own event.
__attribute__((noinline)) void run_profiled(const OpCall& call, Tensor* results) {
  base::ProfileEvent event("op", std::string(name(call.op)));
  event.note("call", describe(call)).start();
  run_kernel(call, results);
}

}  // namespace

void run_eager(const OpCall& call, Tensor* results) {
  if (base::profiling()) return run_profiled(call, results);
  run_kernel(call, results);
}

EagerKernel cpu_kernel_of(Op op) { return kernel_table.kernels[static_cast<int>(op)]; }

namespace eager {

void run_composite(const OpCall& call, Tensor* results) {
  EagerBuilder builder;
  std::vector<Arg> args;
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor()) {
      args.emplace_back(builder.input(Tensor::share(operand.tensor)));
    } else {
      args.emplace_back(operand.scalar);
    }
  }
  try {
    results[0] = builder.tensor(expand_composite(builder, call.op, args, call.attrs));
  } catch (const Error&) {
    infer(call);  // its errors name the composite, not the part that failed
    throw;
  }
}

void run_pow(const OpCall& call, Tensor* results) {
  const std::span<const Operand> o = call.operands;
  const bool expands =
      o.size() == 2 && o[0].is_tensor() && !o[1].is_tensor() && pow_expands(o[1].scalar);
  if (expands) return run_composite(call, results);
  run_pointwise(call, results);
}

}  // namespace eager
}  // namespace frit
