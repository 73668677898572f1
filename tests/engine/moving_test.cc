// Views that lie elsewhere in each run: one plan serves them all.
#include <gtest/gtest.h>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

using Floats = std::vector<float>;

Tensor numbers(int64_t rows, int64_t columns) {
  return arange(rows * columns, kFloat32).view({rows, columns});
}

TEST(Moving, ARowPerStepIsOnePlan) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [x = numbers(64, 8)](int t) { return values(tanh(x.select(0, t) * 0.01) + 1); };
      },
      64);
  EXPECT_LE(hot.plans(), 2);
  EXPECT_GE(hot.plan_entries(), 58);
}

TEST(Moving, TheViewNeedNotComeFirst) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [x = numbers(64, 8), h = zeros({8})](int t) mutable {
          h = tanh(h * 0.5 + x.select(0, t) * 0.01);
          return values(h);
        };
      },
      64);
  EXPECT_LE(hot.plans(), 2);
  EXPECT_GE(hot.plan_entries(), 56);
}

TEST(Moving, ALoopOverRowsThatNobodyLooksInto) {
  HotScope hot;
  const auto loop = [] {
    const Tensor x = numbers(2000, 8);
    Tensor h = zeros({8});
    for (int t = 0; t < 2000; ++t) h = tanh(h * 0.5 + x.select(0, t) * 0.001);
    return values(h);
  };
  set_jit_mode("off");
  const Floats expected = loop();
  set_jit_mode("on");
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 6000) << stats().str();
  EXPECT_LE(hot.plans(), 4);
}

TEST(Moving, WindowsAndViewsOfViews) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [x = numbers(40, 8)](int t) {
          const Tensor window = x.slice(0, t, t + 4), column = window.select(1, t % 8);
          return values(window.transpose(0, 1).sum({1}) + column.sum({0}));
        };
      },
      30);
  EXPECT_GE(hot.plan_entries(), 24);
  EXPECT_LE(hot.plans(), 4);
}

TEST(Moving, NegativePlacesAreThoseTheyMean) {
  HotScope hot;
  expect_as_eager(
      [] { return [x = numbers(8, 8)](int t) { return values(x.select(0, t % 16 - 8) * 2); }; }, 8);
  expect_as_eager(
      [] { return [x = numbers(8, 8)](int t) { return values(x.select(0, t % 8) * 2); }; }, 32);
}

TEST(Moving, APlaceOutsideIsAnErrorAtItsCall) {
  HotScope hot;
  const Tensor x = numbers(8, 8);
  for (int t = 0; t < 8; ++t) values(x.select(0, t) * 2);
  EXPECT_THROW(x.select(0, 8), Error);
  EXPECT_EQ(values(x.select(0, 7) * 2), values(numbers(8, 8).select(0, 7) * 2));
}

TEST(Moving, TheViewItselfMayBeKept) {
  HotScope hot;
  std::vector<Tensor> kept;
  const Tensor x = numbers(32, 4);
  for (int t = 0; t < 32; ++t) {
    const Tensor row = x.select(0, t);
    values(row * 2);
    kept.push_back(row);
  }
  for (int t = 0; t < 32; ++t) EXPECT_EQ(values(kept[t]), values(x.slice(0, t, t + 1))) << t;
  EXPECT_GE(hot.plan_entries(), 26);
}

TEST(Moving, ARowIsWrittenPerStep) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [x = numbers(64, 8), out = zeros({64, 8})](int t) {
          out.select(0, t).copy_(tanh(x.select(0, t) * 0.01));
          return values(out);
        };
      },
      64);
  EXPECT_GE(hot.plan_entries(), 56);
  EXPECT_LE(hot.plans(), 3);
}

TEST(Moving, ALoopThatFillsRows) {
  HotScope hot;
  const auto loop = [] {
    const Tensor x = numbers(1000, 8), out = zeros({1000, 8});
    for (int t = 1; t < 1000; ++t)
      out.select(0, t).copy_(out.select(0, t - 1) * 0.5 + x.select(0, t));
    return values(out);
  };
  set_jit_mode("off");
  const Floats expected = loop();
  set_jit_mode("on");
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 3000) << stats().str();
}

// What was one row when recorded may be two.
TEST(Moving, RowsThatWereOneWhenRecordedAreToldApart) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [x = numbers(16, 4)](int t) {
          const int other = t < 8 ? t : (t * 5 + 1) % 16;
          x.select(0, t % 16).add_(1);
          const Tensor read = x.select(0, other) * 2;
          return values(read);
        };
      },
      16);
  EXPECT_GE(hot.plan_entries(), 4);
}

TEST(Moving, AViewOfAStoredValue) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [x = zeros({8, 4}), y = numbers(8, 4)](int t) {
          x.copy_(y * t);
          return values(x.select(0, t % 8) + 1);
        };
      },
      24);
}

TEST(Moving, ViewsOfComputedValues) {
  HotScope hot;
  expect_as_eager(
      [] { return [y = numbers(8, 4)](int t) { return values(tanh(y).select(0, t % 8) + 1); }; },
      24);
}

TEST(Moving, ARecipeRemembersWhereItsViewLay) {
  HotScope hot;
  std::vector<Tensor> kept;
  const auto step = [&](const Tensor& x, int t) {
    Tensor named = x.select(0, t) * 3;
    const Tensor result = named + 1;
    kept.push_back(named);
    if (kept.size() > 3) kept.erase(kept.begin());
    return values(result);
  };
  const Tensor x = numbers(64, 4);
  for (int t = 0; t < 40; ++t) step(x, t);
  for (size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(values(kept[i]), values(x.slice(0, 37 + i, 38 + i) * 3));
  EXPECT_GE(hot.plan_entries(), 30);
}

TEST(Moving, ASideExitBehindAMovedView) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [x = numbers(64, 8)](int t) {
          Tensor row = x.select(0, t) * 0.01;
          const Tensor a = x.select(1, t % 8).slice(0, t % 4, t % 4 + 8) + row;
          return values(t % 7 == 6 ? exp(a) : tanh(a) + 1);
        };
      },
      60);
  EXPECT_GE(hot.plan_entries(), 30);
}

TEST(Moving, OtherSizesStillServe) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int t) {
          const Tensor x = numbers(16 + t / 8, 8 + t / 8);
          return values(tanh(x.select(0, t % 8) * 0.01) + 1);
        };
      },
      40);
  EXPECT_GE(hot.plan_entries(), 25);
}

TEST(Moving, InARegionOneRecordingIsEnough) {
  HotScope hot;
  const Tensor x = numbers(32, 8);
  const auto f = compile([&](const Tensor& h, int t) { return tanh(h + x.select(0, t)); });
  Tensor h = zeros({8}), e = zeros({8});
  for (int t = 0; t < 32; ++t) h = f(h, t);
  set_jit_mode("off");
  for (int t = 0; t < 32; ++t) e = tanh(e + x.select(0, t));
  set_jit_mode("on");
  EXPECT_EQ(values(h), values(e));
  EXPECT_LE(hot.plans(), 2);
  EXPECT_GE(hot.plan_entries(), 29);
}

}  // namespace
}  // namespace frit
