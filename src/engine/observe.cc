// Installs the engine as the observer of tensors and eager dispatch.
#include "src/base/flags.h"
#include "src/engine/takeover.h"
#include "src/tensor/observer.h"

namespace frit::engine {
namespace {

// Who is to make the tensor's value what the calls so far have made of it; or null.
ThreadEngine* owner_of(const TensorImpl* t) {
  void* owner = t->owner.load(std::memory_order_acquire);
  if (owner == nullptr && t->storage != nullptr)
    owner = t->storage->deferred_write.load(std::memory_order_acquire);
  return static_cast<ThreadEngine*>(owner);
}

// What other threads have pending and this call reads, or would overwrite. Outside the scope of
// this thread's engine: who waits for others must not keep them waiting.
void finish_others_for(const OpCall& call, ThreadEngine* engine) {
  for (const Operand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    ThreadEngine* owner = owner_of(operand.tensor);
    if (owner != nullptr && owner != engine) take_over(owner);
  }
  if (call.op != Op::store) return;
  const Storage* written = call.operands[0].tensor->storage;
  if (written == nullptr || written->pinned.get() == 0) return;
  int own = 0;
  if (engine != nullptr) {
    OwnerScope scope(engine);
    own = engine->pins_on(written);
  }
  if (written->pinned.get() > own) finish_all_others();
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
  ThreadEngine* owner = owner_of(tensor);
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

bool locate(const TensorImpl* tensor, MemoryPlace* place) {
  ThreadEngine* engine = this_engine();
  if (engine == nullptr) return false;
  OwnerScope scope(engine);
  return engine->locate(tensor, place);
}

// Runs before main(), in every program that links the engine.
const bool installed = [] {
  observer = {before_op, after_op, materialize_pending, value_observed, storage_exposed, locate};
  observer_enabled = base::flags().jit != JitMode::kOff;
  return true;
}();

}  // namespace
}  // namespace frit::engine
