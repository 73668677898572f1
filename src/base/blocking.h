// Lets the host language know that this thread is about to wait for another one.
//
// That other thread may be at something that needs a lock which this one holds without Frit's
// knowing: Python's, where the plan that it runs calls a Python function. So Python's module gives
// its lock away meanwhile.
#pragma once

#include <atomic>

namespace frit::base {

struct BlockingHooks {
  void* (*before)();  // what it returns is given to after()
  void (*after)(void*);
};

// Null where there is none. Set once, before ops run.
extern constinit std::atomic<const BlockingHooks*> blocking_hooks;

// The time of a wait.
class BlockingScope {
 public:
  BlockingScope() : hooks_(blocking_hooks.load(std::memory_order_acquire)) {
    if (hooks_ != nullptr) state_ = hooks_->before();
  }
  // Python ends its daemon threads here, by unwinding them.
  ~BlockingScope() noexcept(false) {
    if (hooks_ != nullptr) hooks_->after(state_);
  }
  BlockingScope(const BlockingScope&) = delete;
  BlockingScope& operator=(const BlockingScope&) = delete;

 private:
  const BlockingHooks* hooks_;
  void* state_ = nullptr;
};

// Takes a lock that may be held for as long as a plan runs.
template <class Mutex>
void lock_blocking(Mutex& mutex) {
  if (mutex.try_lock()) return;
  BlockingScope blocking;
  mutex.lock();
}

}  // namespace frit::base
