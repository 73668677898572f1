// Installs the engine as the observer of tensors and eager dispatch.
#include <sys/single_threaded.h>

#include "src/base/flags.h"
#include "src/base/memory.h"
#include "src/engine/recipe.h"
#include "src/engine/takeover.h"
#include "src/tensor/observer.h"
#include "src/tensor/watch.h"

namespace frit::engine {
namespace {

// Who is to make the tensor's value what the calls so far have made of it; or null.
inline void* owner_of(const TensorImpl* t) {
  void* owner = t->owner.load(std::memory_order_acquire);
  if (owner == nullptr && t->storage != nullptr)
    owner = t->storage->deferred_write.load(std::memory_order_acquire);
  return owner;
}

// A recipe is read, by a thread that may be quiet.
void compute_for_reader(TensorImpl* recipe, ThreadEngine* engine) {
  note_read(recipe);
  compute_recipe(recipe);
  if (engine != nullptr) engine->counters().count(capture::Reason::recipe_read);
}

// Rare, and apart from what runs at each call.
[[gnu::noinline]] void tell_of_read(TensorImpl* tensor, ThreadEngine* engine) {
  note_read(tensor);
  void* owner = owner_of(tensor);
  if (owner == nullptr || owner == engine) return;
  if (is_recipe(owner)) return compute_for_reader(tensor, engine);
  take_over(static_cast<ThreadEngine*>(owner), tensor);
}

// Whether anybody is to be told that a call reads the tensor: not where it is pending in this
// thread's engine, and mostly not where it is in memory.
inline bool is_told_of_reads(const TensorImpl* t, const ThreadEngine* engine) {
  const void* owner = t->owner.load(std::memory_order_acquire);
  if (owner != nullptr) return owner != engine;
  return t->watch.load(std::memory_order_relaxed) != 0 ||
         t->storage->deferred_write.load(std::memory_order_acquire) != nullptr;
}

// What others than this thread's engine have pending and this call reads. Outside the scope of the
// engine: who waits for others must not keep them waiting.
inline void finish_others_for(const OpCall& call, ThreadEngine* engine) {
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() && is_told_of_reads(operand.tensor, engine))
      tell_of_read(operand.tensor, engine);
}

// What a store writes to: a view that is pending here has no storage of its own yet.
const Storage* written_storage(const TensorImpl* target, ThreadEngine* engine) {
  if (target->storage != nullptr || engine == nullptr) return target->storage;
  OwnerScope scope(engine);
  return engine->storage_behind(target);
}

// Others' deferred calls that read memory which is about to be written.
void finish_other_readers(const Storage* written, ThreadEngine* engine) {
  if (__libc_single_threaded || written == nullptr || written->pinned.get() == 0) return;
  int own = 0;
  if (engine != nullptr) {
    OwnerScope scope(engine);
    own = engine->pins_on(written);
  }
  if (written->pinned.get() > own) finish_all_others();
}

inline bool before_op_of_owner(const OpCall& call, Tensor* results, ThreadEngine* engine) {
  if (engine == nullptr) return false;
  if (observed_thread.quiet != 0) {  // a write
    observed_thread.skip(static_cast<uint64_t>(call.op));
    return false;
  }
  OwnerScope scope(engine);
  return engine->before_op(call, results);
}

[[gnu::noinline]] bool before_store(const OpCall& call, Tensor* results, ThreadEngine* engine) {
  const TensorImpl* target = call.operands[0].tensor;
  const Storage* written = written_storage(target, engine);
  finish_other_readers(written, engine);
  compute_recipes_made_from(written);
  const bool deferred = before_op_of_owner(call, results, engine);
  // What has been finished for a call that runs now may have left recipes.
  if (!deferred) compute_recipes_made_from(target->storage);
  return deferred;
}

bool before_op(const OpCall& call, Tensor* results) {
  ThreadEngine* engine = this_engine();
  finish_others_for(call, engine);
  if (call.op == Op::store) return before_store(call, results, engine);
  return before_op_of_owner(call, results, engine);
}

void after_op(const OpCall& call, Tensor* results) {
  ThreadEngine* engine = this_engine();
  if (engine == nullptr || observed_thread.quiet != 0) return;
  OwnerScope scope(engine);
  engine->after_op(call, results);
}

void quiet_ended() {
  if (ThreadEngine* engine = this_engine()) {
    OwnerScope scope(engine);
    engine->end_quiet_run();
  }
}

void finish_for_reader(TensorImpl* tensor, ThreadEngine* owner) {
  if (owner != this_engine()) return take_over(owner, tensor);
  OwnerScope scope(owner);
  owner->note_read(tensor);
  owner->boundary(capture::Reason::value_read);
}

void materialize_or_throw(TensorImpl* tensor) {
  // Twice, since what is finished may have become a recipe.
  for (int i = 0; i < 2; ++i) {
    void* owner = owner_of(tensor);
    if (owner == nullptr) return;
    if (is_recipe(owner)) {
      compute_for_reader(tensor, this_engine());
    } else {
      finish_for_reader(tensor, static_cast<ThreadEngine*>(owner));
    }
  }
  if (tensor->owner.load(std::memory_order_acquire) != nullptr)
    throw Error(ErrorKind::kRuntime,
                "tensor(" + to_string(*tensor->layout) +
                    "): no value: computing it failed, or a backend reads what it is to compute");
}

void materialize_pending(TensorImpl* tensor) {
  base::with_memory_errors([&] { materialize_or_throw(tensor); });
}

void value_observed(TensorImpl* tensor) {
  if (ThreadEngine* engine = this_engine()) {
    OwnerScope scope(engine);
    engine->value_observed(tensor);
  }
  note_read(tensor);  // last: where this ends a recording, its values are watched from here on
}

void finish_all_for_writer(TensorImpl* tensor) {
  ThreadEngine* engine = this_engine();
  if (engine != nullptr) {
    OwnerScope scope(engine);
    engine->boundary(capture::Reason::storage_exposed);
  }
  wait_for_owners_inside();
  if (tensor->storage->pinned.get() > 0) finish_all_others();
  compute_recipes_made_from(tensor->storage);
}

void storage_exposed(TensorImpl* tensor) {
  base::with_memory_errors([&] { finish_all_for_writer(tensor); });
  note_read(tensor);
}

bool locate(const TensorImpl* tensor, MemoryPlace* place) {
  ThreadEngine* engine = this_engine();
  if (engine == nullptr) return false;
  OwnerScope scope(engine);
  return engine->locate(tensor, place);
}

// Runs before main(), in every program that links the engine.
const bool installed = [] {
  observer = {before_op,      after_op,        quiet_ended, materialize_pending,
              value_observed, storage_exposed, locate,      Frame::take_back};
  observer_enabled = base::flags().jit != JitMode::kOff;
  return true;
}();

}  // namespace

void before_write(const TensorImpl* target) {
  ThreadEngine* engine = observing() ? this_engine() : nullptr;
  if (engine != nullptr) {
    OwnerScope scope(engine);
    engine->boundary(capture::Reason::untraceable_op);
  }
  target->storage->version.fetch_add(1, std::memory_order_relaxed);
  if (target->storage->pinned.get() > 0) finish_all_others();
  compute_recipes_made_from(target->storage);
}

}  // namespace frit::engine
