// Keeps packed weights within a byte budget.
#include "src/contraction/pack_cache.h"

#include <algorithm>
#include <new>

#include "src/base/check.h"
#include "src/base/hash.h"

namespace frit::contraction {
namespace {

// Keys are remembered from their first use on; this many at most.
constexpr size_t kMaxEntries = 4096;

}  // namespace

Packed::Packed(size_t byte_size)
    : data_(static_cast<std::byte*>(::operator new (byte_size, std::align_val_t{64}))),
      byte_size_(byte_size) {}

Packed::~Packed() { ::operator delete (data_, std::align_val_t{64}); }

void PackKey::add(int64_t word) {
  FRIT_CHECK(size_ < static_cast<int>(words_.size()));
  words_[static_cast<size_t>(size_++)] = word;
}

uint64_t PackKey::hash() const {
  return base::hash_bytes(words_.data(), static_cast<size_t>(size_) * sizeof(int64_t));
}

bool PackKey::operator==(const PackKey& other) const {
  return size_ == other.size_ &&
         std::equal(words_.begin(), words_.begin() + size_, other.words_.begin());
}

PackedRef PackCache::find(const PackKey& key, base::FunctionRef<PackedRef()> make) {
  {
    std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) {
      entries_.push_front({key, nullptr});
      index_.emplace(key, entries_.begin());
      if (entries_.size() > kMaxEntries) drop_last();
      return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    if (found->second->packed != nullptr) return found->second->packed;
  }
  // Packed without the lock; two threads may both do it, and one result is kept.
  PackedRef packed = make();
  std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found != index_.end() && found->second->packed == nullptr) {
    found->second->packed = packed;
    bytes_ += packed->bytes();
    shrink_to(limit_);
  }
  return packed;
}

void PackCache::drop_last() {
  const Entry& last = entries_.back();
  if (last.packed != nullptr) bytes_ -= last.packed->bytes();
  index_.erase(last.key);
  entries_.pop_back();
}

void PackCache::shrink_to(int64_t bytes) {
  while (bytes_ > bytes) drop_last();
}

int64_t PackCache::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

int64_t PackCache::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

void PackCache::set_limit(int64_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
  shrink_to(limit_);
}

void PackCache::trim() {
  std::lock_guard lock(mutex_);
  entries_.clear();
  index_.clear();
  bytes_ = 0;
}

PackCache& pack_cache() {
  static PackCache* cache = new PackCache;
  return *cache;
}

}  // namespace frit::contraction
