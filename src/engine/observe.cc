// Installs the engine as the observer of tensors and eager dispatch.
#include "src/base/flags.h"
#include "src/engine/takeover.h"
#include "src/tensor/observer.h"

namespace frit::engine {
namespace {

// What other threads have pending and this call reads, or would overwrite. Outside the scope of
// this thread's engine: who waits for others must not keep them waiting.
void finish_others_for(const OpCall& call, const ThreadEngine* engine) {
  for (const Operand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    auto* owner = static_cast<ThreadEngine*>(operand.tensor->owner.load(std::memory_order_acquire));
    if (owner != nullptr && owner != engine) take_over(owner);
  }
  if (call.op != Op::store) return;
  const TensorImpl* target = call.operands[0].tensor;
  if (target->storage != nullptr && target->storage->pinned.get() > 0) finish_all_others();
}

bool before_op(const OpCall& call, Tensor* results) {
  ThreadEngine* engine = this_engine();
  finish_others_for(call, engine);
  if (engine == nullptr) return false;
  OwnerScope scope(engine);
  return engine->before_op(call, results);
}

void after_op(const OpCall& call, Tensor* results) {
  ThreadEngine* engine = this_engine();
  if (engine == nullptr) return;
  OwnerScope scope(engine);
  engine->after_op(call, results);
}

void materialize_pending(TensorImpl* tensor) {
  auto* owner = static_cast<ThreadEngine*>(tensor->owner.load(std::memory_order_acquire));
  if (owner == nullptr) return;
  if (owner == this_engine()) {
    OwnerScope scope(owner);
    owner->boundary(capture::Reason::value_read);
  } else {
    take_over(owner);
  }
  if (tensor->owner.load(std::memory_order_acquire) != nullptr)
    throw Error(ErrorKind::kRuntime,
                "tensor(" + to_string(*tensor->layout) +
                    "): no value: computing it failed, or a backend reads what it is to compute");
}

void value_observed(TensorImpl* tensor) {
  ThreadEngine* engine = this_engine();
  if (engine == nullptr) return;
  OwnerScope scope(engine);
  engine->value_observed(tensor);
}

void storage_exposed(TensorImpl* tensor) {
  ThreadEngine* engine = this_engine();
  if (engine != nullptr) {
    OwnerScope scope(engine);
    engine->boundary(capture::Reason::storage_exposed);
  }
  wait_for_owners_inside();
  if (tensor->storage->pinned.get() > 0) finish_all_others();
}

// Runs before main(), in every program that links the engine.
const bool installed = [] {
  observer = {before_op, after_op, materialize_pending, value_observed, storage_exposed};
  observer_enabled = base::flags().jit != JitMode::kOff;
  return true;
}();

}  // namespace
}  // namespace frit::engine
