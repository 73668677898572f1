// Smoothed counts; no tuned threshold is sharp.
#include "src/engine/worth.h"

#include <algorithm>

#include "src/base/flags.h"
#include "src/capture/recorder.h"

namespace frit::engine {
namespace {

constexpr uint32_t kSettled = 4;  // entries before the first one that is timed: they warm up
constexpr uint32_t kTimed = 4;    // entries that are timed from there, and then
constexpr uint32_t kSample = 8;   // one in so many
constexpr uint32_t kShare = 100;  // of the plan's time may go into comparing
constexpr uint32_t kLosses = 3;   // on end, before a plan rests
constexpr uint32_t kRest = 64, kMaxDoublings = 12;
constexpr uint32_t kSmoothing = 16;

// With FRIT_HOT everything is to happen the same way each time; in shadow mode a plan takes eager's
// time as well.
bool measures() { return base::flags().hot == 0 && !base::flags().shadow; }

// Near the fastest of late: what caches and branch predictors, or another process, did to a run
// says nothing of the next ones.
uint64_t smooth(uint64_t before, uint64_t value) {
  if (before == 0) return value;
  if (value < before) return (before + value) / 2;
  return before + std::min(value - before, before) / 16;
}

// Short runs are compared as they are after some of their kind.
constexpr uint32_t kBurst = 32;
const uint64_t long_run = capture::ticks_of(20'000);

}  // namespace

void Worth::rest(uint32_t entries) {
  // Random bits, so that two of them do not stay in step.
  const uint32_t extra =
      static_cast<uint32_t>((plan_total_ ^ eager_total_) * 2654435761u) % entries;
  resting_ = (entries << doublings_) + extra;
  doublings_ = std::min(doublings_ + 1, kMaxDoublings);
  entries_ = losses_ = 0;
}

uint64_t Worth::eager_cost(int64_t eager_ns) const {
  return eager_ticks_ != 0 ? eager_ticks_ : capture::ticks_of(eager_ns);
}

uint32_t Worth::burst(int64_t eager_ns) const {
  return std::max(eager_cost(eager_ns), plan_ticks_) < long_run ? kBurst : 1;
}

// Soon where the plan may well be slower, else when the plan's time pays for it.
bool Worth::eager_is_due(int64_t eager_ns) const {
  if (entries_ < kSettled + kTimed || plan_ticks_ == 0) return false;
  const uint64_t cost = eager_cost(eager_ns);
  if (eager_total_ == 0 && cost < plan_ticks_ * 2) return true;
  return (eager_total_ + burst(eager_ns) * std::max(cost, plan_ticks_)) * kShare <= plan_total_;
}

Worth::Way Worth::next_way(int64_t eager_ns) {
  if (!measures()) return Way::kPlan;
  if (resting_ != 0) return --resting_ % kSample == 0 ? Way::kObservedRest : Way::kRest;
  if (burst_ == 0 && eager_is_due(eager_ns)) {
    burst_ = burst(eager_ns);
    eager_total_ += burst_ * std::max(eager_cost(eager_ns), plan_ticks_);
  }
  if (burst_ != 0) return --burst_, Way::kCompare;
  ++entries_;
  const bool first = entries_ > kSettled && entries_ <= kSettled + kTimed;
  return first || entries_ % kSample == 0 ? Way::kTimedPlan : Way::kPlan;
}

void Worth::note_exit() {
  if (!measures()) return;
  complete_ -= complete_ / kSmoothing;
  if (complete_ >= kOne / 4 * 3) return;
  rest(kRest);
  complete_ = kOne / 8 * 7;  // another chance, and a short one
}

void Worth::note_complete() {
  complete_ += (kOne - complete_) / kSmoothing;
  plan_total_ += plan_ticks_;
}

bool Worth::note_plan_time(uint64_t ticks) {
  plan_ticks_ = smooth(plan_ticks_, ticks);
  if (eager_ticks_ == 0 || entries_ < kSettled + kTimed) return false;
  // The gain of a short run must be worth what comes with it.
  const uint64_t margin = eager_ticks_ < long_run ? plan_ticks_ / 8 : 0;
  if (plan_ticks_ + margin <= eager_ticks_) {
    losses_ = 0;
    if (entries_ > kRest) doublings_ /= 2, entries_ = kSettled + kTimed;
    return false;
  }
  // Who has rested already is known.
  if (++losses_ < kLosses && doublings_ == 0) return false;
  rest(kRest * kLosses);
  return true;
}

void Worth::note_eager_time(uint64_t ticks) { eager_ticks_ = smooth(eager_ticks_, ticks); }

}  // namespace frit::engine
