// FlatMap against std::unordered_map.
#include "src/base/flat_map.h"

#include <gtest/gtest.h>

#include <unordered_map>

namespace frit::base {
namespace {

TEST(FlatMap, FindsWhatWasInsertedAndNothingElse) {
  FlatMap<uint64_t, int> map;
  EXPECT_EQ(map.find(7), nullptr);
  for (int i = 0; i < 1000; ++i) map.insert(static_cast<uint64_t>(i) * 3, i);
  for (int i = 0; i < 3000; ++i) {
    const int* found = map.find(static_cast<uint64_t>(i));
    ASSERT_EQ(found != nullptr, i % 3 == 0) << i;
    if (found != nullptr) {
      ASSERT_EQ(*found, i / 3);
    }
  }
}

TEST(FlatMap, KeepsTheFirstValueOfAKey) {
  FlatMap<const int*, int> map;
  const int key = 0;
  map.insert(&key, 1);
  map.insert(&key, 2) += 10;
  EXPECT_EQ(*map.find(&key), 11);
  EXPECT_EQ(map.size(), 1u);
}

TEST(FlatMap, ForgetsTheLastInsertionsFirst) {
  FlatMap<uint64_t, int> map;
  std::unordered_map<uint64_t, int> model;
  std::vector<uint64_t> keys;
  uint64_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    random = mix64(random + 1);
    if (random % 3 == 0 && !keys.empty()) {
      map.pop_back();
      model.erase(keys.back());
      keys.pop_back();
    } else if (const uint64_t key = random % 4096; !map.contains(key)) {
      map.insert(key, i);
      model[key] = i;
      keys.push_back(key);
    }
    if (i % 7000 == 6999) map.clear(), model.clear(), keys.clear();
    ASSERT_EQ(map.size(), model.size());
    const uint64_t asked = random >> 32 & 4095;
    ASSERT_EQ(map.contains(asked), model.contains(asked));
  }
  for (const auto& [key, value] : model) EXPECT_EQ(*map.find(key), value);
}

}  // namespace
}  // namespace frit::base
