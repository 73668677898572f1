// Learnt: what is known of a plan's values that the program holds when the plan has run: whether
// they are read before they die.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

namespace frit::engine {

enum class Habit : uint8_t {
  kUnknown,
  kDiesUnread,  // seen to die unread, never seen to be read
  kIsRead,      // for good: one read is enough
};

// Shared by all threads.
class Learnt {
 public:
  // `habits` may be empty: nothing is known.
  Learnt(size_t slots, const std::vector<Habit>& habits)
      : count_(slots), habits_(std::make_unique<std::atomic<Habit>[]>(slots)) {
    for (size_t s = 0; s < slots; ++s)
      habits_[s].store(habits.empty() ? Habit::kUnknown : habits[s], std::memory_order_relaxed);
  }

  Habit habit(size_t slot) const { return habits_[slot].load(std::memory_order_relaxed); }
  std::vector<Habit> habits() const {
    std::vector<Habit> all(count_);
    for (size_t s = 0; s < count_; ++s) all[s] = habit(s);
    return all;
  }
  // Changes whenever a habit does.
  uint32_t version() const { return version_.load(std::memory_order_acquire); }

  void note_read(size_t slot) {
    if (habits_[slot].exchange(Habit::kIsRead, std::memory_order_relaxed) != Habit::kIsRead)
      version_.fetch_add(1, std::memory_order_release);
  }
  void note_died_unread(size_t slot) {
    Habit unknown = Habit::kUnknown;
    if (habits_[slot].compare_exchange_strong(unknown, Habit::kDiesUnread))
      version_.fetch_add(1, std::memory_order_release);
  }

 private:
  size_t count_;
  std::unique_ptr<std::atomic<Habit>[]> habits_;
  std::atomic<uint32_t> version_{0};
};

}  // namespace frit::engine
