#include "src/eager/loop_nest.h"

#include <gtest/gtest.h>

#include <vector>

namespace frit::eager {
namespace {

const Layout& layout(IntArrayRef sizes, IntArrayRef strides) {
  return *intern_layout(kFloat32, kCPU, sizes, strides);
}
const Layout& contiguous(IntArrayRef sizes) { return *intern_contiguous(kFloat32, kCPU, sizes); }

std::vector<int64_t> loops(const LoopNest& nest) { return {nest.sizes, nest.sizes + nest.rank}; }

TEST(LoopNest, OfContiguousOperandsIsOneLoop) {
  LoopNest nest(contiguous({2, 3, 4}));
  nest.add(contiguous({2, 3, 4}));
  nest.collapse();
  EXPECT_EQ(loops(nest), std::vector<int64_t>{24});
  EXPECT_TRUE(nest.linear(0) && nest.linear(1));
}

TEST(LoopNest, OfANumberIsOneStep) {
  LoopNest nest(contiguous({}));
  nest.add_scalar(4);
  nest.collapse();
  EXPECT_EQ(loops(nest), std::vector<int64_t>{1});
  EXPECT_TRUE(nest.constant(1));
}

TEST(LoopNest, KeepsTheLoopAlongWhichAnOperandRepeats) {
  LoopNest nest(contiguous({2, 3, 4}));
  nest.add(contiguous({4}));
  nest.collapse();
  EXPECT_EQ(loops(nest), (std::vector<int64_t>{6, 4}));
  EXPECT_EQ(nest.strides[1][0], 0);
  EXPECT_EQ(nest.strides[1][1], 4);
}

TEST(LoopNest, FollowsTheOrderOfTheOutputsMemory) {
  LoopNest nest(layout({3, 4}, {1, 3}));
  nest.add(layout({3, 4}, {1, 3}));
  nest.collapse();
  EXPECT_EQ(loops(nest), std::vector<int64_t>{12});
}

TEST(LoopNest, SortsAcrossLoopsOfSizeOne) {
  LoopNest nest(layout({3, 1, 4}, {1, 77, 3}));
  nest.add(layout({3, 1, 4}, {1, 99, 3}));
  nest.collapse();
  EXPECT_EQ(loops(nest), std::vector<int64_t>{12});
}

TEST(Odometer, VisitsTheOffsetsOfATransposedOperand) {
  LoopNest nest(contiguous({2, 3}));
  nest.add(layout({2, 3}, {1, 2}));
  nest.collapse();
  std::vector<int64_t> offsets;
  Odometer at(nest, 0);
  for (int i = 0; i < 6; ++i) {
    offsets.push_back(at.offset(1) / 4);
    at.advance(1);
  }
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 2, 4, 1, 3, 5}));
}

TEST(Odometer, StartsAnywhere) {
  LoopNest nest(contiguous({2, 3, 5}));
  nest.add(layout({2, 3, 5}, {1, 2, 6}));
  nest.collapse();
  Odometer walked(nest, 0);
  for (int64_t position = 0; position < nest.numel; ++position) {
    const Odometer placed(nest, position);
    EXPECT_EQ(placed.offset(0), walked.offset(0));
    EXPECT_EQ(placed.offset(1), walked.offset(1));
    EXPECT_EQ(placed.left_in_row(), walked.left_in_row());
    walked.advance(1);
  }
}

}  // namespace
}  // namespace frit::eager
