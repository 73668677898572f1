// Loops that nobody looks into get hot by themselves.
#include <gtest/gtest.h>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

using Floats = std::vector<float>;

// The same loop with the JIT off.
template <class F>
Floats eagerly(F loop) {
  set_jit_mode("off");
  const Floats result = loop();
  set_jit_mode("on");
  return result;
}

TEST(Loop, AnUpdateThatNobodyLooksAtRunsAsPlans) {
  HotScope hot;
  const auto loop = [] {
    Tensor w = full({8}, 1.0);
    const Tensor g = full({8}, 0.01);
    for (int i = 0; i < 2000; ++i) w = w - g * w;
    return values(w);
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 3500);
  EXPECT_LE(hot.plans(), 3);
}

TEST(Loop, InPlaceToo) {
  HotScope hot;
  const auto loop = [] {
    const Tensor a = zeros({8}), b = full({8}, 0.25);
    for (int i = 0; i < 2000; ++i) a.add_(b);
    return values(a);
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 3500);
}

TEST(Loop, BuffersThatTakeTurnsHaveThePeriodOfTheLoop) {
  HotScope hot;
  const auto loop = [] {
    Tensor a = arange(8, kFloat32), b = zeros({8});
    for (int i = 0; i < 1000; ++i) {
      b = a * 0.5 + 1;
      std::swap(a, b);
    }
    return values(a);
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
  EXPECT_LE(hot.plans(), 2);
  EXPECT_GE(hot.plan_ops(), 1700);
}

TEST(Loop, APeriodLongerThanATraceIsAChainOfPlans) {
  HotScope hot;
  const auto loop = [] {
    Tensor x = full({4}, 1.0);
    for (int i = 0; i < 14; ++i) {
      uint32_t state = 1;  // the same ops in each round, in no order of their own
      for (int k = 0; k < 700; ++k) {
        state = state * 1664525 + 1013904223;
        const uint32_t kind = state >> 30;
        x = kind == 0 ? x + 0.5 : kind == 1 ? tanh(x) : kind == 2 ? x * 0.5 : neg(x);
      }
    }
    return values(x);
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 2000) << stats().str();
}

TEST(Loop, NestedLoopsOfChangingLength) {
  HotScope hot;
  const auto loop = [] {
    Tensor x = full({4}, 1.0);
    for (int i = 0; i < 30; ++i) {
      x = sigmoid(x) * 2;
      for (int k = 0; k < 60 + i % 3; ++k) x = x * 0.99 + 0.01;
      x = tanh(x) - 0.5;
    }
    return values(x);
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 1500) << stats().str();
}

TEST(Loop, GameOfLife) {
  HotScope hot;
  const auto loop = [] {
    Tensor world = (remainder(arange(64, kFloat32) * 5, 7) < 3).to(kFloat32).reshape({8, 8});
    for (int i = 0; i < 60; ++i) {
      Tensor count = zeros({8, 8});
      for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) {
          if (dy == 1 && dx == 1) continue;
          count = count + pad(world, {1, 1, 1, 1}).narrow(0, dy, 8).narrow(1, dx, 8);
        }
      world = ((count == 3) | ((count == 2) & (world > 0))).to(kFloat32);
    }
    return values(world);
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 1000) << stats().str();
}

TEST(Loop, JacobiIterationInPlace) {
  HotScope hot;
  const auto loop = [] {
    const Tensor u = zeros({10, 10});
    u.select(0, 0).fill_(1);
    for (int i = 0; i < 100; ++i) {
      const Tensor next = (u.narrow(0, 0, 8).narrow(1, 1, 8) + u.narrow(0, 2, 8).narrow(1, 1, 8) +
                           u.narrow(0, 1, 8).narrow(1, 0, 8) + u.narrow(0, 1, 8).narrow(1, 2, 8)) *
                          0.25;
      u.narrow(0, 1, 8).narrow(1, 1, 8).copy_(next);
    }
    return values(u);
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 1000) << stats().str();
}

TEST(Loop, MandelbrotWithAnExitThatDependsOnTheData) {
  HotScope hot;
  const auto loop = [] {
    const Tensor re = arange(32, kFloat32) * 0.08 - 2, im = full({32}, 0.3);
    Tensor zr = zeros({32}), zi = zeros({32}), steps = zeros({32});
    for (int i = 0; i < 200; ++i) {
      const Tensor r = zr * zr - zi * zi + re;
      zi = clamp(zr * zi * 2 + im, -4, 4);
      zr = clamp(r, -4, 4);
      const Tensor inside = (zr * zr + zi * zi) < 4;
      steps = steps + inside.to(kFloat32);
      if (i % 10 == 9 && sum(inside.to(kFloat32)).item<float>() < 8) break;
    }
    return values(steps);
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
}

TEST(Loop, AnOptimiserOverManyParameters) {
  HotScope hot;
  const auto loop = [] {
    std::vector<Tensor> w, m;
    for (int i = 0; i < 9; ++i) {
      w.push_back(full({3 + i}, 1.0));
      m.push_back(zeros({3 + i}));
    }
    for (int step = 0; step < 80; ++step)
      for (size_t i = 0; i < w.size(); ++i) {
        m[i].mul_(0.9).add_(w[i] * 0.1);
        w[i].sub_(m[i] * 0.01);
      }
    Floats all;
    for (const Tensor& t : w)
      for (float v : values(t)) all.push_back(v);
    return all;
  };
  const Floats expected = eagerly(loop);
  EXPECT_EQ(loop(), expected);
  EXPECT_GE(hot.plan_ops(), 2500) << stats().str();
}

TEST(Loop, MemoryIsFlatOverAMillionIterations) {
  const Tensor a = zeros({16}), b = full({16}, 1.0);
  const auto live = [] { return stats().pool_live_bytes; };
  for (int i = 0; i < 10'000; ++i) a.add_(b);
  const int64_t before = live();
  for (int i = 0; i < 1'000'000; ++i) a.add_(b);
  EXPECT_LE(live(), before + (1 << 16));
  EXPECT_EQ(a.select(0, 0).item<float>(), 1'010'000.0f);
}

}  // namespace
}  // namespace frit
