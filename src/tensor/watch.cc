// The table of marks. A place in it is free again when both the tensor and the Watch are gone.
#include "src/tensor/watch.h"

namespace frit {
namespace {

enum class Mark : uint8_t { kFree, kUnread, kSeen, kDeadUnread, kDeadSeen, kForgotten };
using enum Mark;

constexpr uint32_t kPlaces = 4096;
constexpr uint32_t kTries = 64;  // before the table is taken for full
std::atomic<Mark> marks[kPlaces];
std::atomic<uint32_t> next_place{1};

// Replaces the mark by what `step` makes of it.
template <class Step>
void change(uint32_t number, Step step) {
  Mark mark = marks[number].load(std::memory_order_acquire);
  while (!marks[number].compare_exchange_weak(mark, step(mark), std::memory_order_acq_rel)) {
  }
}

}  // namespace

Watch Watch::on(TensorImpl* tensor) {
  if (tensor->watch.load(std::memory_order_relaxed) != 0) return {};
  for (uint32_t i = 0; i < kTries; ++i) {
    const uint32_t number = next_place.fetch_add(1, std::memory_order_relaxed) % kPlaces;
    Mark mark = kFree;
    if (number == 0 || !marks[number].compare_exchange_strong(mark, kUnread)) continue;
    tensor->watch.store(number, std::memory_order_relaxed);
    return Watch(number);
  }
  return {};
}

Watch::~Watch() {
  if (number_ == 0) return;
  change(number_, [](Mark mark) { return mark == kUnread || mark == kSeen ? kForgotten : kFree; });
}

Fate Watch::fate() const {
  switch (marks[number_].load(std::memory_order_acquire)) {
    case kUnread:
      return Fate::kLiving;
    case kDeadUnread:
      return Fate::kDiedUnread;
    default:
      return Fate::kRead;
  }
}

void note_watched_read(uint32_t number) {
  change(number, [](Mark mark) { return mark == kUnread ? kSeen : mark; });
}

void note_watched_death(uint32_t number) {
  change(number, [](Mark mark) {
    switch (mark) {
      case kUnread:
        return kDeadUnread;
      case kSeen:
        return kDeadSeen;
      default:
        return kFree;
    }
  });
}

}  // namespace frit
