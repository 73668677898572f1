// The largest buffers first, each at the lowest offset that is free while it lives.
#include "src/schedule/place_buffers.h"

#include <algorithm>

namespace frit::scheduling {
namespace {

constexpr int64_t kAlignment = 64;

struct Life {
  int buffer;
  int64_t bytes;
  int first = -1, last = -1;  // steps

  bool meets(const Life& other) const { return first <= other.last && other.first <= last; }
};

std::vector<int> views_of(const ScheduleStep& step) {
  std::vector<int> views;
  if (const auto* kernel = std::get_if<KernelStep>(&step)) {
    for (const KernelWord& word : kernel->words)
      if (word.kind == KernelWord::Kind::kAddress) views.push_back(word.index);
    return views;
  }
  const OpStep& op = std::get<OpStep>(step);
  for (const OpStep::Arg& arg : op.args)
    if (arg.view >= 0) views.push_back(arg.view);
  views.insert(views.end(), op.results.begin(), op.results.end());
  return views;
}

std::vector<Life> lives_of(const Schedule& schedule) {
  std::vector<Life> lives;
  std::vector<int> life_of(schedule.buffers.size(), -1);
  for (int b = 0; b < static_cast<int>(schedule.buffers.size()); ++b) {
    if (schedule.buffers[b].kind != ScheduleBuffer::Kind::kTemporary) continue;
    const int64_t bytes = schedule.buffers[b].layout->nbytes();
    life_of[b] = static_cast<int>(lives.size());
    lives.push_back({b, (bytes + kAlignment - 1) / kAlignment * kAlignment});
  }
  for (int s = 0; s < static_cast<int>(schedule.steps.size()); ++s)
    for (int view : views_of(schedule.steps[s])) {
      const int life = life_of[schedule.views[view].buffer];
      if (life < 0) continue;
      if (lives[life].first < 0) lives[life].first = s;
      lives[life].last = s;
    }
  return lives;
}

// The lowest offset where `bytes` are free beside these buffers, which are sorted by offset.
int64_t lowest_free(const std::vector<const ScheduleBuffer*>& taken,
                    const std::vector<int64_t>& sizes, int64_t bytes) {
  int64_t offset = 0;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (offset + bytes <= taken[i]->arena_offset) return offset;
    offset = std::max(offset, taken[i]->arena_offset + sizes[i]);
  }
  return offset;
}

}  // namespace

void place_buffers(Schedule* schedule) {
  std::vector<Life> lives = lives_of(*schedule);
  std::stable_sort(lives.begin(), lives.end(),
                   [](const Life& a, const Life& b) { return a.bytes > b.bytes; });
  schedule->arena_bytes = 0;
  std::vector<Life> placed;  // by offset
  for (const Life& life : lives) {
    std::vector<const ScheduleBuffer*> taken;
    std::vector<int64_t> sizes;
    for (const Life& other : placed) {
      if (!life.meets(other)) continue;
      taken.push_back(&schedule->buffers[other.buffer]);
      sizes.push_back(other.bytes);
    }
    ScheduleBuffer& buffer = schedule->buffers[life.buffer];
    buffer.arena_offset = lowest_free(taken, sizes, life.bytes);
    schedule->arena_bytes = std::max(schedule->arena_bytes, buffer.arena_offset + life.bytes);
    const auto by_offset = [&](const Life& a, const Life& b) {
      return schedule->buffers[a.buffer].arena_offset < schedule->buffers[b.buffer].arena_offset;
    };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), life, by_offset), life);
  }
}

}  // namespace frit::scheduling
