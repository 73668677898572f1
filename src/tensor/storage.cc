// The memory pool: size classes with per-thread lists for small blocks and shared lists behind
// them.
//
// A pooled storage is kept with its block, so that an op takes one object from one list.
//
// A class is a power of two or one of three steps between two of them, so at most a quarter of a
// block is wasted. Blocks over kMaxPooled go straight to the system. Per-thread lists hold a few
// blocks each and are handed back when their thread ends.
#include "src/tensor/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "frit/error.h"
#include "src/base/fork.h"
#include "src/base/memory.h"
#include "src/tensor/devices.h"

namespace frit {
namespace {

constexpr int kClasses = 128;
constexpr int64_t kMinBlock = 64;
constexpr int64_t kMaxPooled = int64_t{1} << 30;
constexpr int64_t kCacheLimit = int64_t{2} << 30;
constexpr int64_t kLargeBlock = 4 << 20;  // from here on the machine's memory counts
constexpr int kThreadBlocks = 16;         // of a class

// Class c >= 1 holds blocks of class_bytes(c): 64, 80, 96, 112, 128, 160, ...
constexpr auto kClassBytes = [] {
  std::array<int64_t, kClasses> bytes{};
  for (int c = 1; c < kClasses; ++c) {
    const int64_t base = kMinBlock << ((c - 1) >> 2);
    bytes[static_cast<size_t>(c)] = base + base / 4 * ((c - 1) & 3);
  }
  return bytes;
}();
constexpr int64_t class_bytes(int c) { return kClassBytes[static_cast<size_t>(c)]; }

int class_of(int64_t bytes) {
  if (bytes <= kMinBlock) return 1;
  const int power = std::bit_width(static_cast<uint64_t>(bytes - 1)) - 7;  // base = 64 << power
  const int64_t base = kMinBlock << power;
  const int64_t step = (bytes - base + base / 4 - 1) / (base / 4);
  return power * 4 + static_cast<int>(step) + 1;
}

constexpr int kThreadClasses = 42;  // those that threads keep lists of
static_assert(class_bytes(kThreadClasses - 1) == 1 << 16);

struct Shared {
  base::ForkMutex mutex{base::ForkLevel::kMemory};
  std::vector<Storage*> kept[kClasses];
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

// The list of class 0 holds storages without a block, for memory that others own.
struct ThreadLists {
  Storage* kept[kThreadClasses][kThreadBlocks];
  uint8_t count[kThreadClasses];
  bool open;  // registered, and the thread has not ended
  // Bytes that this thread has taken less those that it has given back. Its own, since a shared
  // counter would cost every op an atomic addition.
  std::atomic<int64_t> live_bytes;
};
constinit thread_local ThreadLists thread_lists = {};
constinit thread_local bool thread_closed = false;

void free_now(Storage* s) {
  std::free(s->data);
  delete s;
}

void free_shared(Storage* storage) {
  const int size_class = storage->size_class;
  if (size_class == 0) return free_now(storage);
  Shared& s = shared();
  try {
    std::lock_guard lock(s.mutex);
    if (s.cached_bytes + class_bytes(size_class) <= kCacheLimit) {
      s.kept[size_class].push_back(storage);
      s.cached_bytes += class_bytes(size_class);
      return;
    }
  } catch (const std::bad_alloc&) {
    // No room to note it.
  }
  free_now(storage);
}

// Hands a thread's blocks back when the thread ends.
struct ThreadCloser {
  ~ThreadCloser() {
    thread_closed = true;
    thread_lists.open = false;
    for (int c = 0; c < kThreadClasses; ++c)
      while (thread_lists.count[c] > 0) free_shared(thread_lists.kept[c][--thread_lists.count[c]]);
    std::lock_guard lock(shared().mutex);
    std::erase(shared().live_bytes, &thread_lists.live_bytes);
    past_live_bytes.fetch_add(thread_lists.live_bytes.load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
  }
};
// False when the thread has ended, or when there is no memory for that: the thread keeps no blocks
// then.
bool open_lists() {
  if (thread_closed) return false;
  try {
    std::lock_guard lock(shared().mutex);
    shared().live_bytes.push_back(&thread_lists.live_bytes);
  } catch (const std::bad_alloc&) {
    return false;
  }
  thread_local ThreadCloser closer;
  return thread_lists.open = true;
}

[[gnu::noinline]] void count_live_without_lists(int64_t bytes) {
  std::atomic<int64_t>& live = open_lists() ? thread_lists.live_bytes : past_live_bytes;
  live.fetch_add(bytes, std::memory_order_relaxed);
}

// Notes bytes taken (or given back: negative) by this thread.
void count_live(int64_t bytes) {
  ThreadLists& lists = thread_lists;
  if (!lists.open) return count_live_without_lists(bytes);
  lists.live_bytes.store(lists.live_bytes.load(std::memory_order_relaxed) + bytes,
                         std::memory_order_relaxed);
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

// False when this thread keeps no more of them.
bool keep_in_thread(Storage* s) {
  ThreadLists& lists = thread_lists;
  const int size_class = s->size_class;
  if (size_class >= kThreadClasses || !lists.open) return false;
  uint8_t& count = lists.count[size_class];
  if (count == kThreadBlocks) return false;
  lists.kept[size_class][count++] = s;
  return true;
}

// As new, but for its block.
Storage* renewed(Storage* s) {
  std::byte* const block = s->data;
  s->~Storage();
  new (s) Storage;
  s->data = block;
  return s;
}

// Null where there is none.
Storage* take_from_thread(int size_class) {
  ThreadLists& lists = thread_lists;
  if (size_class >= kThreadClasses || lists.count[size_class] == 0) return nullptr;
  return renewed(lists.kept[size_class][--lists.count[size_class]]);
}

Storage* take_shared(int size_class) {
  Shared& s = shared();
  std::lock_guard lock(s.mutex);
  auto& list = s.kept[size_class];
  if (list.empty()) return nullptr;
  Storage* storage = list.back();
  list.pop_back();
  s.cached_bytes -= class_bytes(size_class);
  return renewed(storage);
}

// One that is kept for later, with its block; null where there is none.
Storage* take_kept(int size_class) {
  if (size_class == 0) return nullptr;
  Storage* s = take_from_thread(size_class);
  return s != nullptr ? s : take_shared(size_class);
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

// Null when there is no memory even after all that is kept for later has been given back.
[[gnu::noinline]] Storage* make_storage(int64_t bytes, int size_class) {
  auto made = std::make_unique<Storage>();
  const int64_t asked = block_bytes(bytes, size_class);
  void* block = system_alloc(asked);
  if (block == nullptr) {
    trim_pool();
    block = system_alloc(asked);
  }
  if (block == nullptr) return nullptr;
  made->data = static_cast<std::byte*>(block);
  return made.release();
}

[[noreturn, gnu::noinline]] void fail_without_memory(int64_t bytes) {
  throw Error(ErrorKind::kOutOfMemory,
              "empty: out of memory: cannot allocate " + std::to_string(bytes) + " bytes");
}

void fill_in(Storage* s, int64_t bytes, int size_class) {
  s->bytes = bytes;
  s->id = next_storage_id();
  s->size_class = static_cast<uint8_t>(size_class);
  count_live(block_bytes(bytes, size_class));
}

// Storages without a block are kept for later like those of the host's.
[[gnu::noinline]] Storage* storage_on(Device device, int64_t bytes) {
  Storage* s = take_from_thread(0);
  std::unique_ptr<Storage> made(s != nullptr ? s : new Storage);
  s = made.get();
  s->data = devices::allocate(device, bytes);
  made.release();
  s->bytes = bytes;
  s->id = next_storage_id();
  s->device = device;
  return s;
}

}  // namespace

Storage* new_storage(int64_t bytes, Device device) {
  if (!device.is_cpu()) return storage_on(device, bytes);
  const int size_class = bytes <= kMaxPooled ? class_of(bytes) : 0;
  if (bytes >= kLargeBlock) check_memory_limit(block_bytes(bytes, size_class));
  if (!base::allows_allocation()) fail_without_memory(bytes);
  Storage* s = take_kept(size_class);
  if (s == nullptr) s = make_storage(bytes, size_class);
  if (s == nullptr) fail_without_memory(bytes);
  fill_in(s, bytes, size_class);
  return s;
}

Storage* pooled_storage(int64_t bytes, Device device) {
  if (!device.is_cpu()) return nullptr;
  const int size_class = bytes <= kMaxPooled ? class_of(bytes) : 0;
  Storage* s = base::allows_allocation() ? take_kept(size_class) : nullptr;
  if (s != nullptr) fill_in(s, bytes, size_class);
  return s;
}

Storage* wrap_storage(void* data, int64_t bytes, std::function<void(void*)> deleter,
                      Device device) {
  Storage* s = take_from_thread(0);
  if (s == nullptr) s = new Storage;
  s->data = static_cast<std::byte*>(data);
  s->bytes = bytes;
  s->id = next_storage_id();
  s->device = device;
  s->write_exposed.store(1, std::memory_order_relaxed);
  s->deleter = deleter ? std::move(deleter) : [](void*) {};
  return s;
}

void free_storage(Storage* s) {
  if (s->deleter) {
    s->deleter(s->data);
    s->deleter = nullptr;
    s->data = nullptr;
  } else if (!s->device.is_cpu()) {
    devices::deallocate(s->device, std::exchange(s->data, nullptr), s->bytes);
  } else {
    count_live(-block_bytes(s->bytes, s->size_class));
    if (s->size_class == 0) std::free(std::exchange(s->data, nullptr));
  }
  if (!keep_in_thread(s)) free_shared(s);
}

PoolStats pool_stats() {
  Shared& s = shared();
  std::lock_guard lock(s.mutex);
  return {live_bytes(s), s.cached_bytes, kCacheLimit};
}

void trim_pool() {
  Shared& s = shared();
  std::lock_guard lock(s.mutex);
  for (auto& list : s.kept) {
    for (Storage* storage : list) free_now(storage);
    list.clear();
  }
  s.cached_bytes = 0;
}

}  // namespace frit
