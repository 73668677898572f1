// Storage: a counted block of memory that tensors share, and the pool it comes from.
//
// The pool keeps freed blocks by size class, since the first touch of fresh pages costs more than
// the arithmetic on them. Blocks are 64-byte aligned and padded to a multiple of 64 bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "frit/device.h"
#include "frit/ref_count.h"

namespace frit {

struct Storage {
  RefCount refs;
  // > 0 while the host may write to the memory unnoticed (data_ptr, from_blob, open accessors).
  std::atomic<int32_t> write_exposed{0};
  // > 0 once the host has a pointer to read from: a write in place cannot wait.
  std::atomic<int32_t> read_exposed{0};
  SharedCount pinned;   // deferred calls' operands in it: who writes finishes those calls first
  SharedCount recipes;  // frames with recipes made from it: who writes computes these first
  // The engine that is to write here at the end of its plan, or null.
  std::atomic<void*> deferred_write{nullptr};
  std::byte* data = nullptr;
  int64_t bytes = 0;
  uint64_t id = 0;                   // never used twice
  std::atomic<uint64_t> version{0};  // bumped by every op that writes in place
  Device device;
  uint8_t size_class = 0;              // of the pool; 0 for foreign memory
  std::function<void(void*)> deleter;  // for foreign memory
};

// A block of at least `bytes`, uninitialised; on other devices than the CPU from their hooks.
// Throws Error(kOutOfMemory).
Storage* new_storage(int64_t bytes, Device device);
// Null where no block of that size is kept for later; always so on other devices than the CPU.
Storage* pooled_storage(int64_t bytes, Device device);
// Wraps the caller's memory, which lies on `device`; write-exposed for ever.
Storage* wrap_storage(void* data, int64_t bytes, std::function<void(void*)> deleter,
                      Device device = kCPU);

inline void retain(Storage* s) { s->refs.add(); }
void free_storage(Storage* s);
inline void release(Storage* s) {
  if (s->refs.drop()) free_storage(s);
}

// Holds one count of a storage.
class StorageRef {
 public:
  StorageRef() = default;
  // Takes over one count.
  static StorageRef adopt(Storage* s) { return StorageRef(s); }
  static StorageRef share(Storage* s) { return retain(s), StorageRef(s); }
  StorageRef(StorageRef&& other) noexcept : storage_(other.take()) {}
  StorageRef& operator=(StorageRef&& other) noexcept {
    reset();
    storage_ = other.take();
    return *this;
  }
  ~StorageRef() { reset(); }
  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  // Hands its count to the caller.
  Storage* take() {
    Storage* s = storage_;
    storage_ = nullptr;
    return s;
  }
  void reset() {
    if (storage_ != nullptr) release(take());
  }

 private:
  explicit StorageRef(Storage* s) : storage_(s) {}
  Storage* storage_ = nullptr;
};

struct PoolStats {
  int64_t live_bytes, cached_bytes, limit;
};
PoolStats pool_stats();
// Gives cached blocks back to the operating system.
void trim_pool();

}  // namespace frit
