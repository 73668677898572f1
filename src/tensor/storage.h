// Storage: a counted block of memory that tensors share, and the pool it comes from.
//
// The pool keeps freed blocks by size class, since the first touch of fresh pages costs more than
// the arithmetic on them. Blocks are 64-byte aligned and padded to a multiple of 64 bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "frit/device.h"

namespace frit {

struct Storage {
  std::atomic<uint32_t> refs{1};
  // > 0 while the host may write to the memory unnoticed (data_ptr, from_blob, open accessors).
  std::atomic<int32_t> write_exposed{0};
  std::byte* data = nullptr;
  int64_t bytes = 0;
  uint64_t id = 0;                   // never used twice
  std::atomic<uint64_t> version{0};  // bumped by every op that writes in place
  Device device;
  uint8_t size_class = 0;              // of the pool; 0 for foreign memory
  std::function<void(void*)> deleter;  // for foreign memory
};

// A block of at least `bytes`, uninitialised. Throws Error(kOutOfMemory).
Storage* new_storage(int64_t bytes, Device device);
// Wraps the caller's memory; write-exposed for ever.
Storage* wrap_storage(void* data, int64_t bytes, std::function<void(void*)> deleter);

inline void retain(Storage* s) { s->refs.fetch_add(1, std::memory_order_relaxed); }
void free_storage(Storage* s);
inline void release(Storage* s) {
  if (s->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) free_storage(s);
}

struct PoolStats {
  int64_t live_bytes, cached_bytes, limit;
};
PoolStats pool_stats();
// Gives cached blocks back to the operating system.
void trim_pool();

}  // namespace frit
