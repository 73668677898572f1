// What recording and deferring may hold: no more than the program itself, but for a bound.
#include <gtest/gtest.h>

#include <algorithm>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

constexpr int64_t kElements = 1 << 20;
constexpr int64_t kBytes = kElements * 4;

TEST(Memory, OfARecordedRunIsThatOfAnEagerOne) {
  HotScope hot;
  const Tensor x = ones({kElements});
  x.const_data_ptr<float>();
  int64_t most = 0;
  const auto chain = [&] {
    Tensor y = x;
    for (int i = 0; i < 40; ++i) {
      y = y * 1.5;
      most = std::max(most, stats().pool_live_bytes);
    }
    y.const_data_ptr<float>();
  };
  const int64_t before = stats().pool_live_bytes, recordings = stats().recordings;
  chain();
  EXPECT_GT(stats().recordings, recordings);
  EXPECT_LE(most - before, 3 * kBytes);
}

TEST(Memory, OfARecordingHoldsNoInputsThatTheProgramDropped) {
  HotScope hot;
  int64_t most = 0;
  const int64_t before = stats().pool_live_bytes;
  const Tensor x = ones({1, kElements}), index = zeros({1}, kInt64);
  index.const_data_ptr<int64_t>();
  Tensor sum = x * 2;
  for (int i = 0; i < 20; ++i) {
    sum = sum + index_select(x, 0, index);  // no part of a trace, since it may throw
    most = std::max(most, stats().pool_live_bytes);
  }
  sum.const_data_ptr<float>();
  EXPECT_LE(most - before, 5 * kBytes);
}

TEST(Memory, PinnedByDeferredCallsIsBounded) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  const Tensor x = ones({1, kElements}), exposed = ones({1, kElements});
  exposed.data_ptr<float>();
  const auto loop = [&](int64_t* most) {
    Tensor sum = x * 2;
    for (int i = 0; i < 60; ++i) {
      sum = sum + exposed.clone();  // runs at its call
      *most = std::max(*most, stats().pool_live_bytes);
    }
    return sum.const_data_ptr<float>()[kElements - 1];
  };
  int64_t most = 0;
  const int64_t before = stats().pool_live_bytes;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(loop(&most), 62.0f);
  EXPECT_GE(hot.reason("pinned_memory"), 1);
  EXPECT_LE(most - before, (64 << 20) + 20 * kBytes);  // looked at every 16 calls
}

}  // namespace
}  // namespace frit
