// Stopwatch: what one run takes in all, with a plan or without it.
#pragma once

#include <x86intrin.h>

#include <cstdint>
#include <utility>

namespace frit::engine {

class Stopwatch {
 public:
  // Of a plan; of as many calls that run eagerly and unobserved; of such that have all run.
  enum class Of : uint8_t { kNothing, kPlan, kEager, kEagerDone };

  void start(Of of) {
    of_ = of;
    ticks_ = 0;
    start_ = __rdtsc();
  }
  // Between the last call and what finishes the plan, or goes on with another one: the program's
  // own time, whatever it does.
  void pause() {
    if (of_ == Of::kPlan && start_ != 0) ticks_ += __rdtsc() - std::exchange(start_, 0);
  }
  void resume() {
    if (of_ == Of::kPlan && start_ == 0) start_ = __rdtsc();
  }
  uint64_t ticks() const { return ticks_ + (__rdtsc() - start_); }
  void eager_is_done() { of_ = Of::kEagerDone; }
  void stop() { of_ = Of::kNothing; }
  bool is(Of of) const { return of_ == of; }
  bool is_of_eager() const { return is(Of::kEager) || is(Of::kEagerDone); }

 private:
  Of of_ = Of::kNothing;
  uint64_t start_ = 0, ticks_ = 0;
};

}  // namespace frit::engine
