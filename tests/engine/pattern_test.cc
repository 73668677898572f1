// Plans for layouts that were not seen before, built from a plan that served others.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

Tensor ramp(IntArrayRef sizes) {
  int64_t numel = 1;
  for (int64_t size : sizes) numel *= size;
  return (arange(numel, kFloat32) * 0.25 - 3).reshape(sizes);
}

// Inputs, and what a function gives for each when every op runs at its call.
struct Expected {
  Tensor input;
  std::vector<float> result;
};
std::vector<Expected> eagerly(const std::vector<std::vector<int64_t>>& shapes,
                              const std::function<Tensor(const Tensor&)>& fn) {
  set_jit_mode("off");
  std::vector<Expected> cases;
  for (const auto& shape : shapes) {
    const Tensor x = ramp(shape);
    cases.push_back({x, values(fn(x))});
  }
  set_jit_mode("on");
  return cases;
}

// The first shape gets hot; each of the others is served by a plan at first sight.
void expect_served(const std::vector<std::vector<int64_t>>& shapes,
                   const std::function<Tensor(const Tensor&)>& fn) {
  const auto cases = eagerly(shapes, fn);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(values(fn(cases[0].input)), cases[0].result);
  const Stats before = stats();
  for (size_t i = 1; i < cases.size(); ++i)
    EXPECT_EQ(values(fn(cases[i].input)), cases[i].result) << "shape " << i;
  EXPECT_EQ(stats().plan_entries - before.plan_entries, static_cast<int64_t>(cases.size()) - 1);
  EXPECT_EQ(stats().recordings, before.recordings);
}

TEST(Pattern, ANewSizeIsServedAtFirstSight) {
  HotScope hot;
  expect_served({{8}, {1}, {2}, {7}, {0}, {33}, {8}, {7}},
                [](const Tensor& x) { return relu(x * 2 + 1); });
}

TEST(Pattern, ASizeThatDiffersInTheMiddleIsServedToo) {
  HotScope hot;
  const Tensor x = ramp({1, 6}), w = ramp({6, 6});
  values(x), values(w);
  expect_served({{3, 6}, {4, 6}, {5, 6}, {9, 6}, {1, 6}, {5, 6}}, [&](const Tensor& cache) {
    const Tensor k = matmul(x, w) * 0.1;
    return softmax(matmul(x, cat({cache, k}, 0).transpose(0, 1)), 1);
  });
}

TEST(Pattern, SizesAmongTheAttributesMayDiffer) {
  HotScope hot;
  expect_served({{3, 4}, {2, 4}, {5, 4}, {7, 4}}, [](const Tensor& x) {
    const int64_t n = x.size(0);
    const Tensor y = (x * 2).reshape({n * 2, -1});
    return y.slice(0, 0, n).sum({1}) + 1;
  });
}

TEST(Pattern, ANewSizeMayComeWithANewNumber) {
  HotScope hot;
  const auto fn = [](const Tensor& x) { return relu(x * (1.5 + x.size(0)) + 1) * x.size(0); };
  expect_served({{8}, {1}, {5}, {7}, {33}, {5}}, fn);
}

TEST(Pattern, AnExponentThatComesWithANewSizeDecidesTheForm) {
  HotScope hot;
  const auto fn = [](const Tensor& x) { return pow(abs(x) + 1, 0.5 * x.size(0)) - x; };
  expect_served({{4}, {1}, {2}, {6}, {5}, {3}}, fn);
}

TEST(Pattern, ViewsOfTheNewLayoutsShareTheirStorage) {
  HotScope hot;
  const auto run = [](int64_t n) {
    const Tensor x = ramp({n, 4});
    const Tensor y = x + 1, row = y.select(0, n - 1), outer = x.transpose(0, 1).select(0, 2);
    const Tensor z = row * outer.select(0, 0);
    values(z);
    return std::vector<Tensor>{x, y, row, outer};
  };
  for (int i = 0; i < 4; ++i) run(3);
  for (int64_t n : {2, 6}) {
    const auto made = run(n);
    EXPECT_EQ(made[2].const_data_ptr<float>(), made[1].const_data_ptr<float>() + (n - 1) * 4);
    EXPECT_EQ(made[3].const_data_ptr<float>(), made[0].const_data_ptr<float>() + 2);
    EXPECT_EQ(values(made[2])[1], values(made[0])[static_cast<size_t>((n - 1) * 4 + 1)] + 1);
  }
}

TEST(Pattern, AnErrorIsRaisedAtItsCallAndLeavesTheRestRight) {
  HotScope hot;
  const Tensor w = ramp({4, 4}), bad = ramp({3, 5}), good = ramp({3, 4});
  values(w), values(bad), values(good);
  for (int i = 0; i < 4; ++i) values(matmul(good + 1, w) * 2);
  const Tensor y = bad + 1;
  EXPECT_THROW(matmul(y, w), Error);
  EXPECT_EQ(values(y)[0], -2.0f);
}

TEST(Pattern, AnotherOpLeavesItWithTheRightValues) {
  HotScope hot;
  const Tensor x = ramp({8}), other = ramp({5});
  values(x), values(other);
  for (int i = 0; i < 4; ++i) values(relu(x * 2 + 1));
  const Tensor y = other * 2, z = abs(y);
  EXPECT_EQ(values(z)[0], 6.0f);
  EXPECT_EQ(values(y)[0], -6.0f);
  EXPECT_GE(hot.exits(), 1);
}

TEST(Pattern, RegionsServeNewSizesAtFirstSightToo) {
  HotScope hot;
  const auto fn = [](const Tensor& x) { return softmax(x * 0.5, 1) + x; };
  const auto fast = compile(fn);
  expect_served({{2, 3}, {1, 2}, {4, 5}, {9, 10}}, fast);
}

TEST(Pattern, ManySizesComeBackToTheirOwnPlans) {
  HotScope hot;
  std::vector<Tensor> inputs;
  for (int64_t n = 1; n <= 130; ++n) inputs.push_back(ones({n}));
  const auto step = [](const Tensor& x) { return values(x * 2 + 1)[0]; };
  for (int i = 0; i < 4; ++i) step(inputs[0]);
  for (const Tensor& x : inputs) step(x);
  const int64_t builds = hot.builds(), plan_ops = hot.plan_ops();
  for (const Tensor& x : inputs) EXPECT_EQ(step(x), 3.0f);
  EXPECT_EQ(hot.builds(), builds);
  EXPECT_EQ(hot.plan_ops(), plan_ops + 130 * 2);
}

TEST(Pattern, AStormOfSmallSizesIsNotBuiltFor) {
  HotScope hot(0);
  std::mt19937 random(7);
  const auto step = [](const Tensor& x) { return values(relu(x * 2 + 1))[0]; };
  for (int i = 0; i < 400; ++i) step(ones({16}));
  const int64_t builds = hot.builds();
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(step(ones({static_cast<int64_t>(random() % 30000 + 1)})), 3.0f);
  EXPECT_LE(hot.builds() - builds, 60);
}

// A later call shows that the plan which was entered is for other sizes; one for these cannot be
// built, since what is stored through a gapped view is not known when it is read.
TEST(Pattern, WhereNoPlanCanBeBuiltForTheSizesTheOldOneDoesNotRun) {
  const auto program = [] {
    std::vector<float> all;
    const Tensor a = arange(8, kFloat32);
    for (int i = 0; i < 12; ++i) {
      const int64_t rows = i < 5 ? 4 : 2;
      const Tensor whole = arange(rows * 4, kFloat32).view({rows, 4});
      const Tensor x = i < 5 ? whole : whole.narrow(1, 0, 2);
      values(x);  // so that it is no part of the path
      const Tensor y = tanh(a * 0.25);
      x.mul_(2);
      x.add_(1);
      for (const Tensor& t : {y, x}) {
        const std::vector<float> seen = values(t);
        all.insert(all.end(), seen.begin(), seen.end());
      }
    }
    return all;
  };
  set_jit_mode("off");
  const std::vector<float> expected = program();
  set_jit_mode("on");
  HotScope hot;
  EXPECT_EQ(program(), expected);
  EXPECT_GE(hot.plan_entries(), 3);
}

}  // namespace
}  // namespace frit
