// Worth: whether a plan is worth entering, as one thread measures it.
//
// Two things are watched. How often the plan is left before its end: then its calls were matched
// for nothing. And how long the calls take with it and without it, from the first to the last and
// what finishes them, the program's own time between them included: some runs of the plan are
// timed, and now and then the calls are left to eager, under the same clock, for at most a
// hundredth of the plan's time where it seems to win. A plan that does badly rests for a number of
// entries, which doubles each time and shrinks again as it does well; what runs meanwhile is eager
// and is timed at no cost. Nothing is for ever.
#pragma once

#include <cstdint>

namespace frit::engine {

class Worth {
 public:
  // What becomes of the plan at its anchor. Left to eager, its calls go unobserved, under the
  // clock; but one rest in eight is observed, so that other paths that begin in the same way are
  // seen.
  enum class Way : uint8_t { kPlan, kTimedPlan, kCompare, kRest, kObservedRest };
  // `eager_ns`: what eager may take, as long as it has not been measured here.
  Way next_way(int64_t eager_ns);
  bool rests() const { return resting_ != 0; }

  void note_exit();
  void note_complete();
  // Ticks of the time stamp counter of one run. True when the plan has turned out slower and rests
  // from now on.
  bool note_plan_time(uint64_t ticks);
  void note_eager_time(uint64_t ticks);

 private:
  uint64_t eager_cost(int64_t eager_ns) const;
  uint32_t burst(int64_t eager_ns) const;
  bool eager_is_due(int64_t eager_ns) const;
  void rest(uint32_t entries);

  static constexpr uint32_t kOne = 1 << 16;  // all entries complete
  uint32_t complete_ = kOne;                 // share of entries that were, lately
  uint32_t resting_ = 0;                     // entries to let pass
  uint32_t doublings_ = 0;
  uint32_t entries_ = 0;                       // since the last rest
  uint32_t burst_ = 0;                         // entries that are left to eager from here on
  uint32_t losses_ = 0;                        // comparisons lost on end
  uint64_t plan_ticks_ = 0, eager_ticks_ = 0;  // of one run, smoothed; 0: not known
  uint64_t plan_total_ = 0, eager_total_ = 0;  // estimates, since the start: of complete runs; of
                                               // what eager ones were allowed
};

}  // namespace frit::engine
