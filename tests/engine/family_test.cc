// Plans for sizes that lie on a line: the kernels and the form of one serve all.
#include <gtest/gtest.h>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

using Floats = std::vector<float>;

Tensor numbers(IntArrayRef sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return (remainder(arange(count, kFloat32), 13) * 0.25 - 1).reshape(sizes);
}

TEST(Family, LengthsOfAPointwiseChain) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          const Tensor x = numbers({5 + 3 * i, 8});
          return values(tanh(x * 0.5 + 1) - sum(x, {1}, true));
        };
      },
      40);
  EXPECT_GE(hot.resized(), 30);
  EXPECT_LE(hot.plans(), 5);
}

// The whole of a transformer block.
Tensor attend(const Tensor& x, const Tensor& w, int64_t heads) {
  const int64_t length = x.size(0), width = x.size(1);
  const Tensor h = layer_norm(x, {width}, ones({width}), zeros({width}));
  const auto split = [&](const Tensor& t) {
    return t.reshape({length, heads, width / heads}).transpose(0, 1);
  };
  const Tensor mixed = scaled_dot_product_attention(split(linear(h, w)), split(linear(h, w * 2)),
                                                    split(linear(h, w * 3)));
  return x + gelu(linear(mixed.transpose(0, 1).reshape({length, width}), w));
}

TEST(Family, LengthsOfATransformerBlock) {
  HotScope hot;
  const Tensor w = numbers({16, 16}) * 0.1;
  expect_as_eager(
      [&] {
        return [&, f = compile([&](const Tensor& x) { return attend(x, w, 4); })](int i) {
          return values(f(numbers({1 + i, 16})));
        };
      },
      70);
  EXPECT_GE(hot.resized(), 60);
  EXPECT_LE(hot.plans(), 6);
}

TEST(Family, ACacheThatGrowsByOneEachStepStaysOnOnePlan) {
  HotScope hot;
  const Tensor w = numbers({8, 8}) * 0.1;
  expect_as_eager(
      [&] {
        return [&, k = numbers({3, 8}), v = numbers({3, 8})](int i) mutable {
          const Tensor x = numbers({1, 8}) * (0.1 * i);
          k = cat({k, linear(x, w)}, 0);
          v = cat({v, linear(x, w * 2)}, 0);
          const Tensor scores = softmax(matmul(x, k.transpose(0, 1)) * 0.35, -1);
          return values(matmul(scores, v) + x);
        };
      },
      60);
  EXPECT_GE(hot.resized(), 50);
  EXPECT_LE(hot.plans(), 8);
}

// More lengths than a list of plans holds, and a first call that does not tell them apart.
TEST(Family, LengthsMetBeforeAreNotBuiltAgain) {
  HotScope hot;
  const Tensor w = numbers({1, 8});
  const auto decode = [&] {
    Tensor k = numbers({3, 8});
    for (int i = 0; i < 40; ++i) {
      k = cat({k, tanh(w * 0.5 + 1)}, 0);
      values(softmax(matmul(w, k.transpose(0, 1)), -1));
    }
  };
  for (int sequence = 0; sequence < 3; ++sequence) decode();
  const int64_t built = hot.builds() + hot.resized(), eager = hot.eager_ops();
  decode();
  EXPECT_EQ(hot.builds() + hot.resized(), built);
  EXPECT_EQ(hot.eager_ops(), eager);
}

TEST(Family, AWindowOfALargerCacheGrows) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [cache = zeros({64, 8})](int i) {
          cache.select(0, i).copy_(numbers({8}) * (0.1 * i));
          const Tensor seen = cache.slice(0, 0, i + 1);
          return values(softmax(sum(seen, {1}), 0));
        };
      },
      60);
  EXPECT_GE(hot.resized(), 30);
}

TEST(Family, SquaresAreOfTheSecondDegree) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          const Tensor x = numbers({3 + i, 4});
          const Tensor all = matmul(x, x.transpose(0, 1));
          return values(softmax(all, -1).reshape({-1}) * 2);
        };
      },
      40);
  EXPECT_GE(hot.resized(), 30);
}

// Two sizes that have nothing to do with each other.
int64_t batch_of(int i) { return 2 + i * 5 % 7; }
int64_t length_of(int i) { return 9 + i * 11 % 31; }

TEST(Family, BatchesAndLengthsChangeIndependently) {
  HotScope hot;
  const Tensor w = numbers({8, 8}) * 0.1;
  expect_as_eager(
      [&] {
        return [&](int i) {
          const int64_t batch = batch_of(i), length = length_of(i);
          const Tensor x = numbers({batch, length, 8}), mask = numbers({batch, 1, length});
          const Tensor h = linear(x, w).reshape({batch, length, 2, 4}).transpose(1, 2);
          const Tensor scores = matmul(h, h.transpose(2, 3)) * 0.5 + mask.unsqueeze(1);
          return values(matmul(softmax(scores, 3), h).transpose(1, 2).reshape({batch, length, 8}));
        };
      },
      40);
  EXPECT_GE(hot.resized(), 30);
  EXPECT_LE(hot.plans(), 8);
}

TEST(Family, AProductOfTwoSizesFollows) {
  HotScope hot;
  const Tensor w = numbers({8, 8}) * 0.1;
  expect_as_eager(
      [&] {
        return [&](int i) {
          const int64_t batch = batch_of(i), length = length_of(i);
          const Tensor rows = numbers({batch, length, 8}).reshape({batch * length, 8});
          return values(relu(linear(rows, w)).reshape({batch, length, 8}) + 1);
        };
      },
      40);
  EXPECT_GE(hot.resized(), 30);
}

TEST(Family, OfAnotherLivenessIsNoneOfTheirs) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [kept = Tensor()](int i) mutable {
          const Tensor x = numbers({5 + (i % 4 == 3 ? i * i : 3 * i), 8});
          const Tensor y = tanh(x * 0.5 + 1);
          if (i % 3 != 0) kept = y;
          std::vector<float> seen = values(y - sum(x, {1}, true));
          if (i % 3 == 1) seen.push_back(values(kept)[0]);
          kept = Tensor();
          return seen;
        };
      },
      60);
}

TEST(Family, AWindowGrowsToTheEndOfItsCache) {
  HotScope hot;
  const Tensor cache = numbers({70, 8}), q = numbers({1, 8});
  expect_as_eager(
      [&] {
        return [&](int i) {
          const Tensor keys = cache.narrow(0, 0, 3 + i);
          return values(matmul(softmax(matmul(q, keys.transpose(0, 1)), 1), keys));
        };
      },
      67);
  EXPECT_GE(hot.resized(), 55);
}

TEST(Family, TwoSizesOfAttributesChangeIndependently) {
  HotScope hot;
  const Tensor pool = numbers({40, 50});
  expect_as_eager(
      [&] {
        return [&](int i) {
          const Tensor x = pool.slice(0, 0, batch_of(i)).slice(1, 0, length_of(i));
          return values(tanh(x * 2) - sum(x, {1}, true));
        };
      },
      40);
  EXPECT_GE(hot.resized(), 25);
}

TEST(Family, SizesOffTheLineAreBuiltInFull) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          const Tensor x = numbers({4 + i % 5, 3 + i * 7 % 11});
          return values(tanh(x + x.select(1, 0).unsqueeze(1)));
        };
      },
      60);
  EXPECT_GE(hot.plan_entries(), 50);
}

// What broadcasts at size one is of another form.
TEST(Family, OneAndNoneAreOfTheirOwn) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          const int64_t n = (i * 5) % 12;
          const Tensor x = numbers({n, 4}), y = numbers({n, 1});
          return values(x * y + sum(x, {0}, true));
        };
      },
      60);
}

TEST(Family, ALengthEqualToAnotherSizeIsNothingSpecial) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [w = numbers({8, 8})](int i) {
          const Tensor x = numbers({2 + i, 8});
          return values(matmul(x, w).transpose(0, 1).clone() * 2 + 1);
        };
      },
      30);
  EXPECT_GE(hot.resized(), 20);
}

// Ends are clipped to the size. The members that a family is found by lie far below it.
TEST(Family, EndsPastTheLastElementAreNoMembers) {
  HotScope hot;
  const auto end_of = [](int i) { return i < 12 ? 10 + i : 5480 + 5 * i; };
  expect_as_eager(
      [&] {
        return [&, x = numbers({5500})](int i) {
          return values(sum(x.slice(0, 0, end_of(i)) * 2) + 1);
        };
      },
      20);
  EXPECT_GE(hot.resized(), 6);
}

// Short columns are folded by a kernel, long ones by eager's.
TEST(Family, WhatIsShortMayBeOfAnotherForm) {
  HotScope hot;
  expect_as_eager(
      [] { return [](int i) {
             return values(sum(numbers({100 + 3 * i, 40}), {0}) * 2);
           }; }, 30);
  EXPECT_GE(hot.resized(), 24);
}

// An end that is left out stands for the largest number, from which it is farther to -1 than any
// number says.
TEST(Family, EndsThatAreLeftOutAreOnNoLine) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          const Tensor x = numbers({30 - i});
          return values((i % 4 == 0 ? x.slice(0, 0, -1) : x.slice(0)) * 2);
        };
      },
      20);
  EXPECT_GE(hot.plan_entries(), 15);
}

TEST(Family, LongRowsAreFoldedInBlocks) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          const Tensor x = numbers({2, 10 + 797 * i});
          return values(softmax(x, -1).sum({1}) + amax(x, {1}));
        };
      },
      20);
  EXPECT_GE(hot.resized(), 12);
}

// A window of an external, wherever it lies, may change its length at any time.
// The form of pow is that of its exponent, which comes as an argument after it has changed once.
TEST(Family, ASizeThatComesWithAnotherExponentIsNoMember) {
  HotScope hot;
  const auto exponent = [](int i) { return i < 2 || (i >= 4 && i < 30) ? 2.0 : 3.0; };
  expect_as_eager(
      [&] {
        return [&](int i) { return values(pow(numbers({i < 4 ? 8 : 8 + i}), exponent(i)) + 1); };
      },
      40);
  EXPECT_GE(hot.resized(), 10) << "of the squares";
}

TEST(Family, ExponentsThatAlternateWithTheSizeKeepTheirForms) {
  HotScope hot;
  const auto exponent = [](int i) { return i < 2 ? 2.0 : i < 4 ? 3.0 : 2.0 + i % 3; };
  expect_as_eager(
      [&] {
        return [&](int i) { return values(pow(numbers({i < 4 ? 8 : 8 + i}), exponent(i)) + 1); };
      },
      40);
}

TEST(Family, AMovingWindowThatChangesItsLengthIsNoMember) {
  HotScope hot;
  expect_as_eager(
      [] {
        const auto f =
            compile([](const Tensor& x, int64_t start,
                       int64_t length) { return tanh(x.slice(0, start, start + length)) + 1; },
                    {.dynamic = true});
        return [f](int i) {
          const bool grows = i < 12;
          const int64_t start = grows ? 3 : i % 9, length = grows ? 4 : 4 + i % 7;
          return values(f(numbers({30, 10 + i}).clone(), start, length));
        };
      },
      40);
  EXPECT_GE(hot.resized(), 7);
}

// An end that stands for the last element is as far from others as numbers can be.
TEST(Family, EndsOfSlicesChangeByAnyNumber) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          const Tensor x = numbers({60 - i, 4});
          values(x);  // so that it is no part of the path
          const int64_t end = i % 2 != 0 ? -1 : INT64_MAX;
          return values(tanh(x.slice(0, 1, end)) + 1);
        };
      },
      20);
  EXPECT_GE(hot.plan_entries(), 15);
}

// At eight the difference has the shape of what is averaged, and both could be one kernel.
TEST(Family, ASizeThatEqualsAnotherByChanceMayHaveAnotherForm) {
  HotScope hot;
  expect_as_eager(
      [] {
        return
            [x = numbers({4, 8})](int i) { return values(mean(x, {-1}, true) - numbers({2 + i})); };
      },
      20);
  EXPECT_GE(hot.resized(), 10);
}

}  // namespace
}  // namespace frit
