// Convolutions have the bits of the plain loop, whatever the path that computes them.
#include "src/contraction/convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "src/base/thread_pool.h"
#include "tests/contraction/images.h"
#include "tests/contraction/operands.h"

namespace frit::contraction {
namespace {

ConvolvedDim dim(int64_t in, int64_t kernel, int64_t stride = 1, int64_t pad = 0,
                 int64_t dilation = 1) {
  return {.in = in, .out = 1, .kernel = kernel, .stride = stride, .dilation = dilation, .pad = pad};
}

const std::vector<ConvolutionCase>& cases() {
  static const std::vector<ConvolutionCase> cases = {
      {1, 1, 24, 1, {dim(9, 3), dim(8, 3, 1, 1)}},
      {2, 24, 24, 1, {dim(5, 1), dim(7, 3, 1, 1)}},
      {1, 24, 48, 1, {dim(9, 3), dim(4, 1)}},
      {1, 7, 5, 1, {dim(6, 3, 1, 1), dim(7, 3, 1, 1)}},
      {1, 13, 37, 1, {dim(7, 3, 2, 1), dim(9, 5, 2, 2)}},
      {1, 8, 16, 1, {dim(9, 3, 1, 2, 2), dim(8, 3, 1, 2, 2)}},
      {2, 12, 8, 4, {dim(5, 3, 1, 1), dim(6, 3, 1, 1)}},
      {1, 20, 20, 20, {dim(7, 3, 1, 1), dim(8, 3, 2, 1)}},
      {1, 67, 67, 67, {dim(3, 3, 1, 1), dim(4, 5, 1, 2)}},
      {1, 6, 12, 6, {dim(5, 3, 1, 1), dim(5, 3, 1, 1)}},
      {2, 19, 33, 1, {dim(4, 1), dim(5, 1)}},
      {1, 19, 33, 1, {dim(9, 1, 2), dim(9, 1, 3)}},
      {1, 16, 32, 2, {dim(4, 1), dim(5, 1)}},
      {1, 9, 17, 1, {dim(1, 3, 1, 1), dim(2, 5, 1, 3)}},
      {1, 3, 4, 1, {dim(2, 2, 3, 2), dim(3, 2, 4, 2)}},
      {1, 96, 96, 1, {dim(3, 3), dim(1, 1)}},
      {2, 5, 9, 1, {dim(30, 7, 2, 3)}},
      {1, 1, 33, 1, {dim(200, 32, 10)}},
      {3, 1, 6, 1, {dim(50, 8, 4)}},
      {1, 24, 24, 24, {dim(21, 5, 1, 2)}},
      {1, 4, 6, 1, {dim(5, 3, 1, 1), dim(4, 2), dim(6, 3, 2, 1)}},
      {2, 11, 18, 1, {dim(3, 1), dim(4, 1), dim(5, 1)}},
  };
  return cases;
}

std::vector<ConvolutionCase> in_all_layouts() {
  std::vector<ConvolutionCase> all;
  for (ConvolutionCase c : cases())
    for (int layout = 0; layout < 4; ++layout) {
      c.x_last = layout & 1;
      c.out_last = layout & 2;
      c.bias = layout != 3;
      all.push_back(c);
    }
  return all;
}

template <class T>
void expect_reference_bits() {
  for (const Way& way : all_ways()) {
    const WithWay with(way);
    for (const ConvolutionCase& c : in_all_layouts()) {
      Images<T> images(c);
      EXPECT_EQ(first_difference(images.run(convolution), images.run(convolution_reference)), -1)
          << text(c) << " on " << name(way.cap) << (way.no_exec ? " without code" : "");
    }
  }
}

TEST(Convolution, HasTheBitsOfThePlainLoopForFloats) { expect_reference_bits<float>(); }
TEST(Convolution, HasTheBitsOfThePlainLoopForDoubles) { expect_reference_bits<double>(); }
TEST(Convolution, HasTheBitsOfThePlainLoopForIntegers) { expect_reference_bits<int16_t>(); }

TEST(Convolution, SkipsPaddingUnderInfiniteWeights) {
  for (ConvolutionCase c : in_all_layouts()) {
    Images<float> images(c);
    Numbers numbers(5);
    sprinkle_specials(images.w, numbers);
    sprinkle_specials(images.x, numbers);
    EXPECT_EQ(first_difference(images.run(convolution), images.run(convolution_reference)), -1)
        << text(c);
  }
}

TEST(Convolution, OfAWindowInThePaddingIsTheBias) {
  Images<float> images({1, 2, 3, 1, {dim(1, 1, 1, 1), dim(1, 1, 1, 1)}});
  images.w.assign(images.w.size(), INFINITY);
  const std::vector<float> out = images.run(convolution);
  for (size_t o = 0; o < 3; ++o) EXPECT_EQ(out[o], images.bias[o]);
}

TEST(Convolution, DoesNotDependOnThreads) {
  const ConvolutionCase c{2, 32, 48, 1, {dim(40, 3, 1, 1), dim(41, 3, 1, 1)}};
  Images<float> images(c);
  base::set_num_threads(1);
  const std::vector<float> one = images.run(convolution);
  base::set_num_threads(2);
  EXPECT_EQ(first_difference(images.run(convolution), one), -1);
  base::set_num_threads(0);
}

TEST(Convolution, KeepsStableWeightsPacked) {
  pack_cache().trim();
  Images<float> images({1, 24, 24, 1, {dim(5, 3), dim(7, 3)}});
  images.args.w_key = {33, 4};
  const std::vector<float> first = images.run(convolution);
  EXPECT_EQ(pack_cache().bytes(), 0);
  EXPECT_EQ(first_difference(images.run(convolution), first), -1);
  EXPECT_GE(pack_cache().bytes(), 24 * 24 * 9 * 4);
  EXPECT_EQ(first_difference(images.run(convolution), first), -1);
  pack_cache().trim();
}

TEST(Convolution, ConvertsOnlyWhatIsNotChannelsLast) {
  const int64_t before = conversions();
  ConvolutionCase c{1, 8, 16, 1, {dim(5, 3), dim(6, 3)}};
  Images<float>(c).run(convolution);
  EXPECT_EQ(conversions(), before);
  c.x_last = c.out_last = false;
  Images<float>(c).run(convolution);
  EXPECT_EQ(conversions(), before + 2);
}

struct Count {
  const float* out;
  int64_t pixel_stride;
  std::vector<int> seen;
};

void count(void* context, void* tile, int64_t row, int64_t col, int64_t rows, int64_t cols,
           int64_t ld) {
  Count& c = *static_cast<Count*>(context);
  EXPECT_EQ(static_cast<float*>(tile), c.out + row * c.pixel_stride + col);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      ++c.seen[static_cast<size_t>((row + i) * c.pixel_stride + col + j)];
      static_cast<float*>(tile)[i * ld + j] += 1;
    }
}

TEST(Convolution, RunsItsEpilogueOnEveryElementOnce) {
  base::set_num_threads(1);
  for (const ConvolutionCase& c : cases()) {
    Images<float> images(c);
    std::vector<float> expected = images.run(convolution_reference);
    std::vector<float> result = expected;
    Count counted{result.data(), c.out_channels, std::vector<int>(result.size())};
    images.args.out.data = result.data();
    images.args.epilogue = {count, &counted};
    convolution(images.args);
    EXPECT_TRUE(std::all_of(counted.seen.begin(), counted.seen.end(), [](int n) { return n == 1; }))
        << text(c);
    for (float& value : expected) value += 1;
    EXPECT_EQ(first_difference(result, expected), -1) << text(c);
  }
  base::set_num_threads(0);
}

}  // namespace
}  // namespace frit::contraction
