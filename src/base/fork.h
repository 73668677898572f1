// What a child process after fork() needs: no lock that a thread which is gone still holds.
//
//   ForkMutex mutex{ForkLevel::kMemory};
//   std::lock_guard lock(mutex);
//
// fork() waits for every ForkMutex, outer levels first, and both processes go on with all of them
// free. A thread that holds one may lock others of later levels only.
#pragma once

#include <cstdint>
#include <mutex>

namespace frit::base {

// In the order in which one thread may lock them.
enum class ForkLevel : uint8_t {
  kReplay,   // held while ops are run for a value that a plan left out
  kCompile,  // held while machine code of our own is made
  kTables,   // of plans, backends, counters, packed weights
  kCode,
  kThreads,
  kLayouts,
  kMemory,
  kProfile
};

class ForkMutex {
 public:
  explicit ForkMutex(ForkLevel level);
  ~ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  bool try_lock() { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

// Runs `before` in the forking thread before the locks are taken, and `in_child` in the child when
// they are free again. Each may be null. They must not throw.
void at_fork(void (*before)(), void (*in_child)());

}  // namespace frit::base
