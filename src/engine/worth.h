// Worth: whether a plan is worth entering, as one thread measures it.
//
// Two things are watched. How often the plan is left before its end: then its calls were matched
// for nothing. And how long it takes beside eager: now and then its calls are run eagerly instead,
// under the time stamp counter, for at most a hundredth of the plan's time. A plan that does badly
// rests for a number of entries, which doubles each time and shrinks again as it does well. Nothing
// is for ever.
#pragma once

#include <cstdint>

namespace frit::engine {

class Worth {
 public:
  // At an anchor: whether to do without the plan this time.
  bool rests();
  void note_exit();

  // How a complete run is to be made: as it comes, under the clock, or eagerly under the clock.
  enum class Run : uint8_t { kPlan, kTimedPlan, kTimedEager };
  // `eager_ns`: what eager may take, as long as it has not been measured here.
  Run next_run(int64_t eager_ns);
  void note_plan_time(uint64_t ticks);
  // True when the plan has turned out slower and rests from now on.
  bool note_eager_time(uint64_t ticks);

 private:
  void rest(uint32_t entries);

  static constexpr uint32_t kOne = 1 << 16;  // all entries complete
  uint32_t complete_ = kOne;                 // share of entries that were, lately
  uint32_t resting_ = 0;                     // entries to let pass
  uint32_t doublings_ = 0;
  uint32_t entries_ = 0, next_eager_ = 8;
  uint32_t losses_ = 0;                        // comparisons lost on end
  uint64_t plan_ticks_ = 0, eager_ticks_ = 0;  // of one run, smoothed; 0: not known
  uint64_t plan_total_ = 0, eager_total_ = 0;  // since the start; the plan's is an estimate
};

}  // namespace frit::engine
