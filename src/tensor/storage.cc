// The memory pool: size classes with per-thread lists for small blocks and shared lists behind
// them.
//
// A class is a power of two or one of three steps between two of them, so at most a quarter of a
// block is wasted. Blocks over kMaxPooled go straight to the system. Per-thread lists hold a few
// blocks each and are handed back when their thread ends.
#include "src/tensor/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "frit/error.h"
#include "src/base/fork.h"
#include "src/base/memory.h"

namespace frit {
namespace {

constexpr int kClasses = 128;
constexpr int64_t kMinBlock = 64;
constexpr int64_t kMaxPooled = int64_t{1} << 30;
constexpr int64_t kCacheLimit = int64_t{2} << 30;
constexpr int64_t kLargeBlock = 4 << 20;  // from here on the machine's memory counts
constexpr int kThreadBlocks = 16;
constexpr int64_t kMaxThreadBlock = 1 << 16;

// Class c >= 1 holds blocks of class_bytes(c): 64, 80, 96, 112, 128, 160, ...
constexpr int64_t class_bytes(int c) {
  const int step = (c - 1) & 3, power = (c - 1) >> 2;
  const int64_t base = kMinBlock << power;
  return base + base / 4 * step;
}

int class_of(int64_t bytes) {
  if (bytes <= kMinBlock) return 1;
  const int power = std::bit_width(static_cast<uint64_t>(bytes - 1)) - 7;  // base = 64 << power
  const int64_t base = kMinBlock << power;
  const int64_t step = (bytes - base + base / 4 - 1) / (base / 4);
  return power * 4 + static_cast<int>(step) + 1;
}

struct Shared {
  base::ForkMutex mutex{base::ForkLevel::kMemory};
  std::vector<void*> blocks[kClasses];
  int64_t cached_bytes = 0;
  std::vector<const std::atomic<int64_t>*> live_bytes;  // of each thread
};
Shared& shared() {
  static Shared* shared = new Shared;
  return *shared;
}
// Of threads that have ended, and of blocks that a thread's very last destructors handle.
std::atomic<int64_t> past_live_bytes{0};

// Ids are handed to threads in ranges, since an op makes a storage and shares nothing else.
constexpr uint64_t kIdRange = 4096;
std::atomic<uint64_t> id_source{1};
struct IdRange {
  uint64_t next, end;
};
constinit thread_local IdRange id_range = {};

uint64_t next_storage_id() {
  if (id_range.next == id_range.end) {
    id_range.next = id_source.fetch_add(kIdRange, std::memory_order_relaxed);
    id_range.end = id_range.next + kIdRange;
  }
  return id_range.next++;
}

constexpr int kThreadStorages = 64;

struct ThreadLists {
  void* blocks[48][kThreadBlocks];
  uint8_t count[48];
  void* storages[kThreadStorages];  // memory of freed Storage objects
  uint8_t storage_count;
  bool registered;
  // Bytes that this thread has taken less those that it has given back. Its own, since a shared
  // counter would cost every op an atomic addition.
  std::atomic<int64_t> live_bytes;
};
constinit thread_local ThreadLists thread_lists = {};
constinit thread_local bool thread_closed = false;

void free_shared(void* block, int size_class) {
  Shared& s = shared();
  try {
    std::lock_guard lock(s.mutex);
    if (s.cached_bytes + class_bytes(size_class) <= kCacheLimit) {
      s.blocks[size_class].push_back(block);
      s.cached_bytes += class_bytes(size_class);
      return;
    }
  } catch (const std::bad_alloc&) {
    // No room to note it.
  }
  std::free(block);
}

// Hands a thread's blocks back when the thread ends.
struct ThreadCloser {
  ~ThreadCloser() {
    thread_closed = true;
    for (int c = 0; c < 48; ++c)
      while (thread_lists.count[c] > 0)
        free_shared(thread_lists.blocks[c][--thread_lists.count[c]], c);
    while (thread_lists.storage_count > 0)
      ::operator delete(thread_lists.storages[--thread_lists.storage_count]);
    std::lock_guard lock(shared().mutex);
    std::erase(shared().live_bytes, &thread_lists.live_bytes);
    past_live_bytes.fetch_add(thread_lists.live_bytes.load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
  }
};
// False when there is no memory for that: the thread keeps no blocks then.
bool register_thread() {
  try {
    std::lock_guard lock(shared().mutex);
    shared().live_bytes.push_back(&thread_lists.live_bytes);
  } catch (const std::bad_alloc&) {
    return false;
  }
  thread_local ThreadCloser closer;
  return thread_lists.registered = true;
}

// Notes bytes taken (or given back: negative) by this thread.
void count_live(int64_t bytes) {
  ThreadLists& lists = thread_lists;
  if (thread_closed || (!lists.registered && !register_thread())) {
    past_live_bytes.fetch_add(bytes, std::memory_order_relaxed);
    return;
  }
  lists.live_bytes.store(lists.live_bytes.load(std::memory_order_relaxed) + bytes,
                         std::memory_order_relaxed);
}

bool thread_listed(int size_class) {
  return size_class < 48 && class_bytes(size_class) <= kMaxThreadBlock && thread_lists.registered &&
         !thread_closed;
}

void* system_alloc(int64_t bytes) {
  void* block = std::aligned_alloc(64, static_cast<size_t>((bytes + 63) & ~int64_t{63}));
#ifdef MADV_HUGEPAGE
  if (block != nullptr && bytes >= (4 << 20)) {
    const uintptr_t page = (reinterpret_cast<uintptr_t>(block) + 4095) & ~uintptr_t{4095};
    madvise(reinterpret_cast<void*>(page), static_cast<size_t>(bytes) - 4096, MADV_HUGEPAGE);
  }
#endif
  return block;
}

// One that is kept for later; null where there is none.
void* take_kept_block(int size_class) {
  if (thread_listed(size_class) && thread_lists.count[size_class] > 0)
    return thread_lists.blocks[size_class][--thread_lists.count[size_class]];
  Shared& s = shared();
  std::lock_guard lock(s.mutex);
  auto& list = s.blocks[size_class];
  if (list.empty()) return nullptr;
  void* block = list.back();
  list.pop_back();
  s.cached_bytes -= class_bytes(size_class);
  return block;
}

void* take_block(int size_class) {
  void* block = take_kept_block(size_class);
  return block != nullptr ? block : system_alloc(class_bytes(size_class));
}

void give_block(void* block, int size_class) {
  if (thread_listed(size_class)) {
    uint8_t& count = thread_lists.count[size_class];
    if (count < kThreadBlocks) {
      thread_lists.blocks[size_class][count++] = block;
      return;
    }
  }
  free_shared(block, size_class);
}

Storage* make_storage_object() {
  ThreadLists& lists = thread_lists;
  void* memory = lists.storage_count > 0 ? lists.storages[--lists.storage_count]
                                         : ::operator new(sizeof(Storage));
  return new (memory) Storage;
}

void drop_storage_object(Storage* s) {
  s->~Storage();
  ThreadLists& lists = thread_lists;
  if (lists.storage_count < kThreadStorages && lists.registered && !thread_closed) {
    lists.storages[lists.storage_count++] = s;
  } else {
    ::operator delete(s);
  }
}

// The bytes of all threads' tensors. The caller holds the lock.
int64_t live_bytes(const Shared& s) {
  int64_t live = past_live_bytes.load(std::memory_order_relaxed);
  for (const auto* thread : s.live_bytes) live += thread->load(std::memory_order_relaxed);
  return live;
}

// The system would grant what it does not have, and kill the process when it writes there. Blocks
// kept for later count, and go before a request is refused.
void check_memory_limit(int64_t bytes) {
  const int64_t limit = base::memory_limit();
  const PoolStats pool = pool_stats();
  if (bytes <= limit - pool.live_bytes - pool.cached_bytes) return;
  trim_pool();
  if (bytes <= limit - pool.live_bytes) return;
  throw Error(ErrorKind::kOutOfMemory, "empty: out of memory: cannot allocate " +
                                           std::to_string(bytes) + " bytes: tensors hold " +
                                           std::to_string(pool.live_bytes) + " of " +
                                           std::to_string(limit));
}

// What a storage takes of the memory.
int64_t block_bytes(int64_t bytes, int size_class) {
  return size_class != 0 ? class_bytes(size_class) : bytes;
}

// Null when there is none even after all that is kept for later has been given back.
void* find_block(int64_t bytes, int size_class) {
  void* block = size_class != 0 ? take_block(size_class) : system_alloc(bytes);
  if (block != nullptr) return block;
  trim_pool();
  return system_alloc(block_bytes(bytes, size_class));
}

void fill_in(Storage* s, void* block, int64_t bytes, int size_class, Device device) {
  s->data = static_cast<std::byte*>(block);
  s->bytes = bytes;
  s->id = next_storage_id();
  s->device = device;
  s->size_class = static_cast<uint8_t>(size_class);
  count_live(block_bytes(bytes, size_class));
}

}  // namespace

Storage* new_storage(int64_t bytes, Device device) {
  const int size_class = bytes <= kMaxPooled ? class_of(bytes) : 0;
  if (bytes >= kLargeBlock) check_memory_limit(block_bytes(bytes, size_class));
  Storage* s = make_storage_object();
  void* block = base::allows_allocation() ? find_block(bytes, size_class) : nullptr;
  if (block == nullptr) {
    drop_storage_object(s);
    throw Error(ErrorKind::kOutOfMemory,
                "empty: out of memory: cannot allocate " + std::to_string(bytes) + " bytes");
  }
  fill_in(s, block, bytes, size_class, device);
  return s;
}

Storage* pooled_storage(int64_t bytes, Device device) {
  const int size_class = bytes <= kMaxPooled ? class_of(bytes) : 0;
  if (size_class == 0 || !base::allows_allocation()) return nullptr;
  Storage* s = make_storage_object();
  void* block = take_kept_block(size_class);
  if (block == nullptr) return drop_storage_object(s), nullptr;
  fill_in(s, block, bytes, size_class, device);
  return s;
}

Storage* wrap_storage(void* data, int64_t bytes, std::function<void(void*)> deleter) {
  Storage* s = make_storage_object();
  s->data = static_cast<std::byte*>(data);
  s->bytes = bytes;
  s->id = next_storage_id();
  s->write_exposed.store(1, std::memory_order_relaxed);
  s->deleter = deleter ? std::move(deleter) : [](void*) {};
  return s;
}

void free_storage(Storage* s) {
  if (s->deleter) {
    s->deleter(s->data);
  } else {
    count_live(-block_bytes(s->bytes, s->size_class));
    if (s->size_class != 0) {
      give_block(s->data, s->size_class);
    } else {
      std::free(s->data);
    }
  }
  drop_storage_object(s);
}

PoolStats pool_stats() {
  Shared& s = shared();
  std::lock_guard lock(s.mutex);
  return {live_bytes(s), s.cached_bytes, kCacheLimit};
}

void trim_pool() {
  Shared& s = shared();
  std::lock_guard lock(s.mutex);
  for (auto& list : s.blocks) {
    for (void* block : list) std::free(block);
    list.clear();
  }
  s.cached_bytes = 0;
}

}  // namespace frit
