// TensorImpl: what a Tensor handle points to; at most one cache line.
//
// A *pending* tensor has a layout but no storage yet: its owner will produce it. That is a
// recorder, which holds a count of it, or, for a *recipe*, what is kept of a run that has left it
// out; a recipe counts its program's handles only. Code that needs the memory calls materialize()
// first.
#pragma once

#include "frit/tensor.h"
#include "src/tensor/layout.h"
#include "src/tensor/observer.h"
#include "src/tensor/storage.h"

namespace frit {

struct TensorImpl : detail::Counted {
  std::atomic<uint32_t> watch{0};  // see watch.h; 0: none
  const Layout* layout = nullptr;
  Storage* storage = nullptr;         // null while pending
  std::byte* data = nullptr;          // first element; null while pending
  uint64_t birth = 0;                 // recorder id << 40 | number of the op call; 0: external
  int64_t offset = 0;                 // of the first element in the storage, in elements
  std::atomic<void*> owner{nullptr};  // who will produce it; null when materialised
  uint32_t slot = 0;                  // while pending: its number among its owner's values

  bool pending() const { return owner.load(std::memory_order_acquire) != nullptr; }
  // Whether its elements in memory are what the program's calls made of them.
  bool up_to_date() const {
    return !pending() && storage->deferred_write.load(std::memory_order_acquire) == nullptr;
  }
};
static_assert(sizeof(TensorImpl) <= 64);

// Set in the owner of a recipe.
inline constexpr uintptr_t kRecipeBit = 1;
inline bool is_recipe(const void* owner) {
  return (reinterpret_cast<uintptr_t>(owner) & kRecipeBit) != 0;
}

// New impl without storage, count 1. Takes over one count of the layout where that is counted.
TensorImpl* new_impl(const Layout* layout);
// New tensor with fresh, uninitialised memory.
Tensor new_tensor(const Layout* layout);
// A tensor on existing storage; adds a count to it.
Tensor new_view(const Layout* layout, Storage* storage, int64_t offset);
// Gives a materialised result its memory; takes over one count of the storage.
void attach(TensorImpl* impl, Storage* storage, int64_t offset);

// Makes sure that the value is in memory, as the calls so far have left it. May run deferred work,
// so it may throw.
inline void materialize(const TensorImpl* impl) {
  if (!impl->up_to_date()) observer.materialize(const_cast<TensorImpl*>(impl));
}

inline void tell_listener(const TensorImpl* impl, const char* method) {
  if (observing()) return;
  if (Listener* l = listener()) l->value_observed(impl, method);
}

// What a method that shows the host a value, or hands out a pointer to write through, calls first.
inline void observe_value(const TensorImpl* impl, const char* method) {
  tell_listener(impl, method);
  materialize(impl);
  if (listening_to_host()) observer.value_observed(const_cast<TensorImpl*>(impl));
}
inline void expose_storage(const TensorImpl* impl, const char* method) {
  tell_listener(impl, method);
  materialize(impl);
  // Marked first: from here on no thread defers a read of this memory, and then those that have are
  // finished.
  impl->storage->version.fetch_add(1, std::memory_order_relaxed);
  impl->storage->write_exposed.fetch_add(1, std::memory_order_relaxed);
  if (!observing()) return;
  try {
    observer.storage_exposed(const_cast<TensorImpl*>(impl));
  } catch (...) {
    impl->storage->write_exposed.fetch_add(-1, std::memory_order_relaxed);
    throw;
  }
}

// For error texts: f32[2,3].
std::string describe(const Tensor& t);

}  // namespace frit
