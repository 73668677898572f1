// The plans of all threads, so that one thread's compiling serves all.
#pragma once

#include <array>
#include <atomic>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "src/base/fork.h"
#include "src/engine/plan.h"

namespace frit::engine {

// Where plans are kept: by their root and the layouts of the first call's operands.
uint64_t plan_key(uint64_t root_key, const OpCall& first);
uint64_t plan_key(uint64_t root_key, const capture::Trace& trace);
// Where those that were built at the first sight of new layouts are kept as well, as many as there
// are: by their root, their path and the layouts of all that its calls name.
uint64_t layouts_key(uint64_t root_key, const capture::Trace& trace);

// Which keys have plans, as a set that may hold others: most calls that begin a path have none, and
// need no list.
class KeyFilter {
 public:
  bool may_hold(uint64_t key) const {
    return words_[word(key)].load(std::memory_order_relaxed) >> bit(key) & 1;
  }
  // Under the owner's lock. False when so many keys were put in that it should be filled anew.
  bool put(uint64_t key) {
    const uint64_t before = words_[word(key)].fetch_or(1ull << bit(key));
    held_ += !(before >> bit(key) & 1);
    return held_ <= kBits / 8;
  }
  void clear() {
    for (auto& word : words_) word.store(0, std::memory_order_relaxed);
    held_ = 0;
  }

 private:
  static constexpr size_t kBits = 1 << 15;
  // By the upper bits, which are mixed best.
  static size_t word(uint64_t key) { return key >> 32 & (kBits / 64 - 1); }
  static size_t bit(uint64_t key) { return key >> 58; }

  std::array<std::atomic<uint64_t>, kBits / 64> words_{};
  size_t held_ = 0;
};

// Plans are found by their key. Bounded: the list that was used longest ago goes first.
class PlanRegistry {
 public:
  static PlanRegistry& get();
  // Bumped whenever a plan is added, replaced or removed.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // False: there are none for the key, as far as this thread can know.
  bool may_have(uint64_t key) const { return keys_.may_hold(key); }
  std::vector<std::shared_ptr<Plan>> plans(uint64_t key);
  // `replaces` may be null.
  void add(uint64_t key, std::shared_ptr<Plan> plan, const Plan* replaces);
  // For a plan that cannot serve what it is asked for.
  void remove(uint64_t key, const Plan* plan);
  // Drops the plans that no thread has asked for while many others came and went. False when there
  // are none.
  bool drop_stale();
  std::vector<std::shared_ptr<Plan>> all();
  void clear();

 private:
  struct List {
    uint64_t key;
    std::vector<std::shared_ptr<Plan>> plans;
    uint64_t used_at;  // the version then
  };
  List& list_of(uint64_t key);
  void note_key(uint64_t key);

  base::ForkMutex mutex_{base::ForkLevel::kTables};
  std::atomic<uint64_t> version_{1};
  std::list<List> recent_;  // most recently used first
  std::unordered_map<uint64_t, std::list<List>::iterator> by_key_;
  KeyFilter keys_;
  int count_ = 0;
};

}  // namespace frit::engine
