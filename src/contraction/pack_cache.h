// PackCache: weights in the layout that the kernels read, kept while they are worth their memory.
//
//   PackCache& cache = pack_cache();
//   cache.bytes(); cache.limit(); cache.trim();
//
// An entry is found by what identifies the weights (StableKey) and how they are laid out, compared
// in full. Packing happens on the second use, since many weights are used once. Least recently used
// entries go first when the limit is reached. Thread-safe; an entry in use outlives its eviction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "src/base/fork.h"
#include "src/base/function_ref.h"

namespace frit::contraction {

// Makes what a thread keeps between calls. Called by whoever may still compute when the thread
// ends, so that it is destroyed after them.
void prepare_thread();

// Identifies the contents of an operand: the id of its storage, never used again, and the storage's
// version. The default says that the contents may change unseen, so that nothing is kept.
struct StableKey {
  uint64_t storage = 0;
  uint64_t version = 0;
  bool valid() const { return storage != 0; }
};

// Packed weights: 64-byte aligned memory, and how it is laid out (known to the code that packed
// it).
class Packed {
 public:
  explicit Packed(size_t byte_size);
  ~Packed();
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  int64_t bytes() const { return static_cast<int64_t>(byte_size_); }

  int64_t panel_width = 0;  // columns side by side
  int64_t batch_bytes = 0;  // from one matrix of a batch to the next

 private:
  std::byte* data_;
  size_t byte_size_;
};

using PackedRef = std::shared_ptr<const Packed>;

// A key of words, compared in full.
class PackKey {
 public:
  void add(int64_t word);
  void add(const void* address) { add(reinterpret_cast<int64_t>(address)); }
  uint64_t hash() const;
  bool operator==(const PackKey& other) const;

 private:
  std::array<int64_t, 24> words_{};
  int size_ = 0;
};

class PackCache {
 public:
  // The packed form of `key`; null on its first use. On its second, `make` is called.
  PackedRef find(const PackKey& key, base::FunctionRef<PackedRef()> make);

  int64_t bytes() const;
  int64_t limit() const;
  void set_limit(int64_t bytes);
  void trim();  // drops everything

 private:
  struct Entry {
    PackKey key;
    PackedRef packed;  // null after the first use
  };
  struct Hash {
    size_t operator()(const PackKey& key) const { return static_cast<size_t>(key.hash()); }
  };
  void drop_last();
  void shrink_to(int64_t bytes);

  mutable base::ForkMutex mutex_{base::ForkLevel::kTables};
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<PackKey, std::list<Entry>::iterator, Hash> index_;
  int64_t bytes_ = 0;
  int64_t limit_ = 256 << 20;
};

// The cache of this process.
PackCache& pack_cache();

}  // namespace frit::contraction
