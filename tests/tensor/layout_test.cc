// Layouts: interning, and sizes and strides that no memory can have.
#include "src/tensor/layout.h"

#include <gtest/gtest.h>

#include "frit/error.h"
#include "frit/tensor.h"

namespace frit {
namespace {

TEST(Layout, OfEqualFactsIsOneObject) {
  EXPECT_EQ(intern_contiguous(kFloat32, kCPU, {2, 3}),
            intern_layout(kFloat32, kCPU, {2, 3}, {3, 1}));
  EXPECT_NE(intern_contiguous(kFloat32, kCPU, {2, 3}), intern_contiguous(kFloat64, kCPU, {2, 3}));
}

TEST(Layout, SpansWhatItsIndicesReach) {
  EXPECT_EQ(intern_layout(kFloat32, kCPU, {2, 3}, {10, 1})->span(), 13);
  EXPECT_EQ(intern_layout(kFloat32, kCPU, {2, 3}, {0, 1})->span(), 3);
  EXPECT_EQ(intern_layout(kFloat32, kCPU, {0, 3}, {3, 1})->span(), 0);
}

TEST(Layout, WithStridesBeyondMemoryIsRefused) {
  constexpr int64_t kHuge = int64_t{1} << 61;
  EXPECT_THROW(empty_strided({3}, {kHuge}), Error);
  EXPECT_THROW(empty_strided({3, 3}, {kHuge / 2, kHuge / 2}), Error);
  EXPECT_THROW(empty_strided({3}, {kHuge / 4}), Error);  // fits in elements, not in bytes
  EXPECT_EQ(empty_strided({1}, {kHuge}).numel(), 1);     // is never stepped over
  EXPECT_EQ(empty_strided({3, 0}, {kHuge, kHuge}).numel(), 0);
}

TEST(Layout, WithSizesBeyondMemoryIsRefused) {
  EXPECT_THROW(empty({int64_t{1} << 40, int64_t{1} << 40}), Error);
  EXPECT_THROW(empty({-1}), Error);
}

}  // namespace
}  // namespace frit
