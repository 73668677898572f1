// Temporaries share bytes only where no step needs both.
#include "src/schedule/place_buffers.h"

#include <gtest/gtest.h>

#include "src/ops/op.h"

namespace frit::scheduling {
namespace {

// A schedule of ops; each lists the temporaries that it needs, by number.
Schedule schedule_of(const std::vector<int64_t>& sizes,
                     const std::vector<std::vector<int>>& steps) {
  Schedule schedule;
  for (int64_t size : sizes) {
    const Layout* layout = intern_contiguous(kFloat32, kCPU, {size});
    schedule.views.push_back({static_cast<int>(schedule.buffers.size()), layout, 0});
    schedule.buffers.push_back({ScheduleBuffer::Kind::kTemporary, -1, layout, -1});
  }
  for (const std::vector<int>& step : steps)
    schedule.steps.emplace_back(OpStep{Op::relu, {}, {}, step});
  return schedule;
}

std::vector<int64_t> offsets(const Schedule& schedule) {
  std::vector<int64_t> result;
  for (const ScheduleBuffer& buffer : schedule.buffers) result.push_back(buffer.arena_offset);
  return result;
}

TEST(PlaceBuffers, AChainNeedsTwoPlaces) {
  Schedule s = schedule_of({16, 16, 16, 16}, {{0}, {0, 1}, {1, 2}, {2, 3}, {3}});
  place_buffers(&s);
  EXPECT_EQ(offsets(s), (std::vector<int64_t>{0, 64, 0, 64}));
  EXPECT_EQ(s.arena_bytes, 128);
}

TEST(PlaceBuffers, OffsetsAreAligned) {
  Schedule s = schedule_of({1, 17, 3}, {{0, 1, 2}});
  place_buffers(&s);
  EXPECT_EQ(offsets(s), (std::vector<int64_t>{128, 0, 192}));
  EXPECT_EQ(s.arena_bytes, 256);
}

TEST(PlaceBuffers, SmallOnesFillGaps) {
  // 1 lives beside 0 and 2; 3 fits below 2 once 0 is dead.
  Schedule s = schedule_of({64, 64, 32, 32}, {{0, 1}, {1, 2}, {2, 3}});
  place_buffers(&s);
  EXPECT_EQ(s.arena_bytes, 512);
}

TEST(PlaceBuffers, EmptyTensorsTakeNothing) {
  Schedule s = schedule_of({0, 16}, {{0, 1}});
  place_buffers(&s);
  EXPECT_EQ(s.arena_bytes, 64);
}

TEST(PlaceBuffers, ThoseThatLiveAtOnceNeverOverlap) {
  for (unsigned seed = 1; seed < 50; ++seed) {
    unsigned state = seed;
    const auto pick = [&](unsigned n) {
      return (state = state * 1664525 + 1013904223) / 65536 % n;
    };
    std::vector<int64_t> sizes;
    std::vector<std::vector<int>> steps(20);
    for (int b = 0; b < 15; ++b) {
      sizes.push_back(pick(500));
      const unsigned first = pick(20), last = std::min(19u, first + pick(6));
      for (unsigned s = first; s <= last; ++s) steps[s].push_back(b);
    }
    Schedule s = schedule_of(sizes, steps);
    place_buffers(&s);
    for (const std::vector<int>& step : steps)
      for (int a : step)
        for (int b : step) {
          const ScheduleBuffer &x = s.buffers[a], &y = s.buffers[b];
          EXPECT_TRUE(a == b || x.arena_offset + x.layout->nbytes() <= y.arena_offset ||
                      y.arena_offset + y.layout->nbytes() <= x.arena_offset)
              << "seed " << seed << ": " << a << " and " << b;
          EXPECT_LE(x.arena_offset + x.layout->nbytes(), s.arena_bytes);
        }
  }
}

}  // namespace
}  // namespace frit::scheduling
