// The pool beside the limit on memory.
#include "src/tensor/storage.h"

#include <gtest/gtest.h>

#include "frit/error.h"
#include "src/base/memory.h"

namespace frit {
namespace {

constexpr int64_t kMiB = 1 << 20;

// A limit for a scope, with an empty pool to begin with.
class LimitScope {
 public:
  explicit LimitScope(int64_t bytes) : saved_(base::memory_limit()) {
    trim_pool();
    base::set_memory_limit(pool_stats().live_bytes + bytes);
  }
  ~LimitScope() { base::set_memory_limit(saved_); }

 private:
  int64_t saved_;
};

TEST(Storage, GivesCachedMemoryBackBeforeItExceedsTheLimit) {
  const LimitScope limit(100 * kMiB);
  free_storage(new_storage(48 * kMiB, kCPU));
  EXPECT_EQ(pool_stats().cached_bytes, 48 * kMiB);
  Storage* small = new_storage(40 * kMiB, kCPU);
  EXPECT_EQ(pool_stats().cached_bytes, 48 * kMiB);
  Storage* large = new_storage(56 * kMiB, kCPU);
  EXPECT_EQ(pool_stats().cached_bytes, 0);
  free_storage(small);
  free_storage(large);
}

TEST(Storage, CountsWholeBlocks) {
  const LimitScope limit(100 * kMiB);
  Storage* held = new_storage(41 * kMiB, kCPU);  // a block of 48
  EXPECT_THROW(new_storage(55 * kMiB, kCPU), Error);
  Storage* fits = new_storage(48 * kMiB, kCPU);
  EXPECT_THROW(new_storage(5 * kMiB, kCPU), Error);
  free_storage(held);
  free_storage(fits);
}

TEST(Storage, FromThePoolIsAsNewButForItsBlock) {
  Storage* first = new_storage(64, kCPU);
  const std::byte* block = first->data;
  const uint64_t id = first->id;
  first->version.store(3);
  first->write_exposed.store(1);
  first->read_exposed.store(1);
  free_storage(first);
  Storage* second = new_storage(48, kCPU);
  EXPECT_EQ(second->data, block);
  EXPECT_NE(second->id, id);
  EXPECT_EQ(second->bytes, 48);
  EXPECT_EQ(second->refs.count(), 1u);
  EXPECT_EQ(second->version.load(), 0u);
  EXPECT_EQ(second->write_exposed.load(), 0);
  EXPECT_EQ(second->read_exposed.load(), 0);
  free_storage(second);
}

}  // namespace
}  // namespace frit
