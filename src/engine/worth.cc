// Smoothed counts; no tuned threshold is sharp.
#include "src/engine/worth.h"

#include <algorithm>

#include "src/base/flags.h"
#include "src/capture/recorder.h"

namespace frit::engine {
namespace {

constexpr uint32_t kFirstSample = 8, kPlanSample = 8;
constexpr uint32_t kShare = 100;  // of the plan's time may go into comparing
constexpr uint32_t kLosses = 3;   // on end, before a plan rests
constexpr uint32_t kRest = 64, kMaxDoublings = 12;
constexpr uint32_t kSmoothing = 16;

// With FRIT_HOT everything is to happen the same way each time; in shadow mode a plan takes eager's
// time as well.
bool measures() { return base::flags().hot == 0 && !base::flags().shadow; }

uint64_t smooth(uint64_t before, uint64_t value) {
  return before == 0 ? value : (before * 3 + value) / 4;
}

}  // namespace

void Worth::rest(uint32_t entries) {
  // Random bits, so that two of them do not stay in step.
  const uint32_t extra = static_cast<uint32_t>(plan_total_ ^ entries_ * 2654435761u) % entries;
  resting_ = (entries << doublings_) + extra;
  doublings_ = std::min(doublings_ + 1, kMaxDoublings);
  losses_ = 0;
}

bool Worth::rests() {
  if (__builtin_expect(resting_ == 0, true)) return false;
  --resting_;
  return true;
}

void Worth::note_exit() {
  if (!measures()) return;
  complete_ -= complete_ / kSmoothing;
  if (complete_ >= kOne / 4 * 3) return;
  rest(kRest);
  complete_ = kOne / 8 * 7;  // another chance, and a short one
}

Worth::Run Worth::next_run(int64_t eager_ns) {
  if (!measures()) return Run::kPlan;
  complete_ += (kOne - complete_) / kSmoothing;
  ++entries_;
  plan_total_ += plan_ticks_;
  if (entries_ < next_eager_) return entries_ % kPlanSample == 0 ? Run::kTimedPlan : Run::kPlan;
  if (plan_ticks_ == 0) return Run::kTimedPlan;
  const uint64_t cost =
      eager_ticks_ != 0 ? eager_ticks_ : std::max(capture::ticks_of(eager_ns), plan_ticks_);
  if ((eager_total_ + cost) * kShare <= plan_total_) return Run::kTimedEager;
  return entries_ % kPlanSample == 0 ? Run::kTimedPlan : Run::kPlan;
}

void Worth::note_plan_time(uint64_t ticks) { plan_ticks_ = smooth(plan_ticks_, ticks); }

bool Worth::note_eager_time(uint64_t ticks) {
  eager_total_ += ticks;
  eager_ticks_ = smooth(eager_ticks_, ticks);
  if (plan_ticks_ <= eager_ticks_ + eager_ticks_ / 20) {
    losses_ = 0;
    doublings_ /= 2;
    next_eager_ = entries_ * 2;
    return false;
  }
  next_eager_ = entries_ + kFirstSample;
  if (++losses_ < kLosses) return false;
  rest(kRest * kLosses);
  return true;
}

}  // namespace frit::engine
