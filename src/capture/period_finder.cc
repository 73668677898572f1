// A ring of tokens and tables of where windows of them were seen last.
#include "src/capture/period_finder.h"

#include <algorithm>

#include "src/base/hash.h"

namespace frit::capture {
namespace {

constexpr uint32_t kSmallRing = 1024;
constexpr uint32_t kLargeRing = 4 * PeriodFinder::kMaxPeriod;
constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
constexpr uint32_t kSure = 64;    // ops beyond a period that must repeat before it is believed in
constexpr uint32_t kMinCut = 32;  // ops between cuts: a plan of fewer costs more than it saves

}  // namespace

PeriodFinder::Track::Track(uint32_t n) : length(n) {
  for (uint32_t i = 0; i < n; ++i) leaving *= kFactor;
}

void PeriodFinder::clear(Track* track) {
  track->hash = 0;
  track->distance = track->run = 0;
  track->last.assign(ring_.size(), 0);
}

void PeriodFinder::reset() {
  if (position_ == 0) return;
  position_ = period_ = 0;
  cut_ = false;
  for (Track& track : tracks_) clear(&track);
}

// A longer period is suspected: what has been seen stays.
void PeriodFinder::grow() {
  const uint32_t size = ring_.empty() ? kSmallRing : kLargeRing;
  std::vector<Seen> larger(size);
  for (uint32_t back = 1; back <= std::min<uint32_t>(position_, mask_); ++back)
    larger[(position_ - back) & (size - 1)] = at(position_ - back);
  ring_ = std::move(larger);
  mask_ = size - 1;
  for (Track& track : tracks_) {
    const uint64_t hash = track.hash;
    clear(&track);
    track.hash = hash;
  }
}

void PeriodFinder::push(uint32_t token, int64_t bytes, const uint32_t* distances,
                        int num_distances) {
  if (ring_.empty() || (position_ == kSmallRing && ring_.size() == kSmallRing)) grow();
  at(position_) = {token, position_, bytes};
  for (int i = 0; i < num_distances; ++i)
    if (distances[i] <= std::min(position_, mask_))
      at(position_ - distances[i]).last_use = position_;
  for (Track& track : tracks_) roll(&track);
  if (period_ != 0 && at(position_ - period_).token != token) period_ = 0;
  for (Track& track : tracks_)
    if (period_ == 0) look_for_loop(&track);
  ++position_;
  cut_ = period_ != 0 && position_ == next_cut_;
  if (cut_) next_cut_ += (kMinCut + period_ - 1) / period_ * period_;
}

// The hash of a window: each token times a power of a constant, the newest times the lowest.
void PeriodFinder::roll(Track* track) {
  track->hash = track->hash * kFactor + at(position_).token;
  if (position_ >= track->length)
    track->hash -= at(position_ - track->length).token * track->leaving;
}

// A distance is held for as long as the tokens at that distance are equal: places in the table are
// lost to other windows now and then.
void PeriodFinder::look_for_loop(Track* track) {
  if (position_ < track->length) return;
  uint32_t& last = track->last[base::mix64(track->hash) & mask_];
  const uint32_t found = last != 0 ? position_ + 1 - last : 0;
  last = position_ + 1;
  const uint32_t held = track->distance;
  if (held != 0 && at(position_ - held).token == at(position_).token) {
    ++track->run;
  } else {
    track->distance = found <= kMaxPeriod ? found : 0;
    track->run = 0;
  }
  if (held == 0 || track->run < held + std::min(held, kSure)) return;
  period_ = held;
  next_cut_ = position_ + 1 + best_cut(held);
}

// How many ops from now the cut crosses the fewest bytes, judged by the last two periods.
uint32_t PeriodFinder::best_cut(uint32_t period) const {
  // crossing[r]: bytes that begin to (or cease to) live across a cut before the r-th op from now.
  std::vector<int64_t> crossing(period + 1);
  const uint32_t first = position_ + 1 - 2 * period;
  for (uint32_t i = first; i <= position_ - period; ++i) {
    const Seen& seen = at(i);
    const uint32_t lives = std::min(seen.last_use - i, period);
    for (uint32_t begin = i - first + 1, left = lives; left > 0;) {
      const uint32_t from = begin % period, length = std::min(left, period - from);
      crossing[from] += seen.bytes;
      crossing[from + length] -= seen.bytes;
      begin += length;
      left -= length;
    }
  }
  uint32_t best = 0;
  int64_t bytes = 0, least = 0;
  for (uint32_t r = 0; r < period; ++r) {
    bytes += crossing[r];
    if (r == 0 || bytes < least) best = r, least = bytes;
  }
  return best;
}

}  // namespace frit::capture
