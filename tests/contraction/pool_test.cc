// Pooling folds each window in row-major order, in every layout.
#include "src/contraction/pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/base/thread_pool.h"
#include "tests/contraction/operands.h"

namespace frit::contraction {
namespace {

struct Case {
  int64_t batch, channels;
  PooledDim height, width;
};

enum class Order { kChannelsLast, kChannelsFirst, kMixed };

// Dense strides of batch, channel, height, width. Returns the number of elements.
int64_t set_strides(const Case& c, int64_t height, int64_t width, bool last, int64_t* strides) {
  strides[3] = last ? c.channels : 1;
  strides[2] = strides[3] * width;
  strides[1] = last ? 1 : height * width;
  strides[0] = c.channels * height * width;
  return c.batch * strides[0];
}

template <class T>
struct Pooled {
  std::vector<T> x, out;
  PoolArgs args;

  Pooled(const Case& c, Order order) {
    Numbers numbers(7);
    args.dtype = dtype_of<T>;
    args.batch = c.batch, args.channels = c.channels;
    args.height = c.height, args.width = c.width;
    x = numbers.some<T>(
        set_strides(c, c.height.in, c.width.in, order != Order::kChannelsFirst, args.x_strides));
    out.resize(static_cast<size_t>(set_strides(c, c.height.out, c.width.out,
                                               order == Order::kChannelsLast, args.out_strides)));
  }

  std::vector<T> run(void (*pool)(const PoolArgs&)) {
    args.x = x.data();
    args.out = out.data();
    pool(args);
    return out;
  }

  // Folds one window: fold(acc, x) over the elements inside.
  template <class F>
  T folded(int64_t n, int64_t c, int64_t row, int64_t col, T acc, F fold) const {
    for (int64_t i = 0; i < args.height.kernel; ++i)
      for (int64_t j = 0; j < args.width.kernel; ++j) {
        const int64_t h = row * args.height.stride - args.height.pad + i * args.height.dilation;
        const int64_t w = col * args.width.stride - args.width.pad + j * args.width.dilation;
        if (h < 0 || h >= args.height.in || w < 0 || w >= args.width.in) continue;
        const int64_t* xs = args.x_strides;
        acc = fold(acc, x[static_cast<size_t>(n * xs[0] + c * xs[1] + h * xs[2] + w * xs[3])]);
      }
    return acc;
  }

  // Calls check(actual, n, c, row, col) for each output.
  template <class F>
  void each(F check) const {
    const int64_t* os = args.out_strides;
    for (int64_t n = 0; n < args.batch; ++n)
      for (int64_t c = 0; c < args.channels; ++c)
        for (int64_t h = 0; h < args.height.out; ++h)
          for (int64_t w = 0; w < args.width.out; ++w)
            check(out[static_cast<size_t>(n * os[0] + c * os[1] + h * os[2] + w * os[3])], n, c, h,
                  w);
  }
};

const Case kCases[] = {
    {1, 24, {8, 4, 2, 2}, {6, 3, 2, 2}},
    {2, 5, {7, 4, 3, 2, 1, 1}, {9, 5, 3, 2, 1, 1}},
    {1, 3, {9, 5, 3, 1, 2, 0}, {8, 4, 3, 1, 2, 0}},
    {1,
     1,
     {5, 3, 2, 2, 1, 0},
     {5, 3, 2, 2, 1, 0}},  // ceil mode: the last windows reach past the end
    {2, 17, {4, 4, 1, 1}, {3, 2, 2, 1}},
};
const Order kOrders[] = {Order::kChannelsLast, Order::kChannelsFirst, Order::kMixed};

template <class T>
void expect_largest(bool specials) {
  for (const Case& c : kCases)
    for (Order order : kOrders) {
      Pooled<T> pooled(c, order);
      Numbers numbers(9);
      if constexpr (std::is_floating_point_v<T>)
        if (specials) sprinkle_specials(pooled.x, numbers);
      pooled.run(max_pool2d);
      const T lowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                   : std::numeric_limits<T>::lowest();
      pooled.each([&](T actual, int64_t n, int64_t ch, int64_t h, int64_t w) {
        auto maximum = [](T acc, T x) { return acc >= x || acc != acc ? acc : x; };
        EXPECT_TRUE(same_value<T>(actual, pooled.folded(n, ch, h, w, lowest, maximum)));
      });
    }
}

TEST(MaxPool, FoldsMaximumForFloats) { expect_largest<float>(false); }
TEST(MaxPool, LetsNaNWinAndKeepsZerosInOrder) { expect_largest<float>(true); }
TEST(MaxPool, FoldsMaximumForDoubles) { expect_largest<double>(true); }
TEST(MaxPool, FoldsMaximumForIntegers) {
  expect_largest<int64_t>(false);
  expect_largest<uint8_t>(false);
}

TEST(AvgPool, DividesTheRowMajorSumByTheWindowsElements) {
  for (const Case& c : kCases) {
    if (c.height.dilation != 1) continue;
    for (Order order : kOrders) {
      Pooled<float> pooled(c, order);
      pooled.args.count_include_pad = false;
      pooled.run(avg_pool2d);
      pooled.each([&](float actual, int64_t n, int64_t ch, int64_t h, int64_t w) {
        const float sum = pooled.folded(n, ch, h, w, 0.0f, [](float a, float x) { return a + x; });
        const float count = pooled.folded(n, ch, h, w, 0.0f, [](float a, float) { return a + 1; });
        EXPECT_EQ(actual, sum / count);
      });
    }
  }
}

TEST(AvgPool, CountsPaddingButNothingPastIt) {
  // Windows of 3 at -1, 1 and 3 over three ones, with padding 1: the second holds one position of
  // padding, the third only that.
  Pooled<float> pooled({1, 1, {1, 1, 1, 1}, {3, 3, 3, 2, 1, 1}}, Order::kChannelsFirst);
  pooled.x = {1, 1, 1};
  const std::vector<float> out = pooled.run(avg_pool2d);
  EXPECT_EQ(out, (std::vector<float>{2.0f / 3, 2.0f / 3, 0.0f}));
}

TEST(AvgPool, DividesByTheGivenDivisor) {
  Pooled<double> pooled({1, 1, {2, 1, 2}, {2, 1, 2}}, Order::kChannelsFirst);
  pooled.x = {1, 2, 3, 4};
  pooled.args.divisor = 5;
  EXPECT_EQ(pooled.run(avg_pool2d)[0], 2);
}

TEST(Pool, DoesNotDependOnThreads) {
  Pooled<float> pooled({1, 64, {60, 30, 2, 2}, {60, 30, 2, 2}}, Order::kChannelsLast);
  base::set_num_threads(1);
  const std::vector<float> one = pooled.run(max_pool2d);
  base::set_num_threads(2);
  EXPECT_EQ(first_difference(pooled.run(max_pool2d), one), -1);
  base::set_num_threads(0);
}

}  // namespace
}  // namespace frit::contraction
