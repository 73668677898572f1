// compile(), backends, writers and explain().
#include <gtest/gtest.h>

#include <cfenv>
#include <stdexcept>
#include <thread>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

Tensor affine(const Tensor& x) { return relu(x * 2 + 1); }

TEST(Compile, TheSecondCallRunsAsAPlan) {
  HotScope hot;
  const auto fast = compile(affine);
  const Tensor x = tensor({1.0f, -2.0f});
  EXPECT_EQ(values(fast(x)), (std::vector<float>{3, 0}));
  EXPECT_EQ(hot.plan_entries(), 0);
  EXPECT_EQ(values(fast(x)), (std::vector<float>{3, 0}));
  EXPECT_EQ(hot.plan_entries(), 1);
}

TEST(Compile, LocalsThatDieInTheFunctionAreNotComputedForTheirOwnSake) {
  HotScope hot;
  const auto fast = compile([](const Tensor& x) {
    const Tensor a = x + 1, b = a * 2, c = b - 3;
    return c;
  });
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x)), (std::vector<float>{1, -5}));
  const Explanation explanation = explain_region(*fast.region());
  ASSERT_EQ(explanation.plans.size(), 1u);
  EXPECT_EQ(explanation.plans[0].forms[0].kernels.size(), 1u);
}

TEST(Compile, AnotherShapeIsRecordedAndServed) {
  HotScope hot;
  const auto fast = compile(affine);
  for (int64_t n : {2, 2, 3, 3, 3, 2, 3})
    EXPECT_EQ(values(fast(full({n}, 1.0))), std::vector<float>(static_cast<size_t>(n), 3.0f));
  EXPECT_GE(hot.plan_entries(), 3);
}

TEST(Compile, ControlFlowStaysRight) {
  HotScope hot;
  const auto fast =
      compile([](const Tensor& x, bool negative) { return negative ? neg(x + 1) : (x + 1) * 4; });
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(values(fast(x, i % 3 == 0))[1], i % 3 == 0 ? -3.0f : 12.0f) << i;
  EXPECT_GE(hot.plan_entries(), 6);
}

TEST(Compile, ABreakInsideIsCountedAndRight) {
  HotScope hot;
  const auto fast = compile([](const Tensor& x) {
    const Tensor y = x * 2;
    return y[0].item<float>() > 0 ? y + 1 : y - 1;
  });
  for (int i = 0; i < 8; ++i) {
    const float first = i % 2 == 0 ? 1.0f : -1.0f;
    EXPECT_EQ(values(fast(tensor({first, 5.0f})))[1], i % 2 == 0 ? 11.0f : 9.0f);
  }
  EXPECT_EQ(explain_region(*fast.region()).breaks.count("value_read"), 1u);
}

TEST(Compile, FullgraphRefusesABreak) {
  HotScope hot;
  const auto fast =
      compile([](const Tensor& x) { return x * (x * 2)[0].item<float>(); }, {.fullgraph = true});
  EXPECT_THROW(fast(tensor({1.0f, 2.0f})), Error);
}

TEST(Compile, FullgraphAllowsTheCallsThatDoNotBreak) {
  HotScope hot;
  const auto fast = compile(
      [](const Tensor& x, bool read) {
        const Tensor y = x * 2;
        if (read) y.const_data_ptr<float>();
        return y + 1;
      },
      {.fullgraph = true});
  const Tensor x = tensor({1.0f});
  EXPECT_THROW(fast(x, true), Error);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(fast(x, false))[0], 3.0f);
}

TEST(Compile, AnExceptionThroughARegionLeavesValuesRight) {
  HotScope hot;
  Tensor kept;
  const auto fast = compile([&](const Tensor& x, bool fails) {
    kept = x * 2;
    const Tensor y = kept + 1;
    if (fails) throw std::runtime_error("host");
    return y * 3;
  });
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 10; ++i) {
    if (i % 4 == 3) {
      EXPECT_THROW(fast(x, true), std::runtime_error);
    } else {
      EXPECT_EQ(values(fast(x, false))[1], 15.0f);
    }
    EXPECT_EQ(values(kept), (std::vector<float>{2, 4}));
  }
}

TEST(Compile, ARegionWhoseOnlyOpThrowsIsNoPlan) {
  HotScope hot;
  const Tensor a = ones({2, 3}), x = ones({2});
  const auto fast = compile([&] {
    EXPECT_THROW(matmul(a, a), Error);
    return x;
  });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(fast())[0], 1.0f);
  EXPECT_EQ(hot.plans(), 0);
}

TEST(Compile, RegionsNest) {
  HotScope hot;
  const auto inner = compile([](const Tensor& x) { return x * 2; });
  const auto outer = compile([&](const Tensor& x) { return inner(x + 1) + 1; });
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 6; ++i) EXPECT_EQ(values(outer(x)), (std::vector<float>{5, 7}));
}

TEST(Compile, SeveralThreadsShareARegion) {
  HotScope hot;
  const auto fast = compile(affine);
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      const Tensor x = full({64}, static_cast<float>(i));
      ASSERT_EQ(values(fast(x))[63], static_cast<float>(2 * i + 1));
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

TEST(Explain, ShowsGuardsGraphsAndKernels) {
  HotScope hot;
  const Explanation explanation =
      explain([](const Tensor& x) { return x * 2 + 1; })(tensor({1.0f, 2.0f}));
  ASSERT_EQ(explanation.plans.size(), 1u);
  EXPECT_EQ(explanation.plans[0].guards[0].str(), "x0: f32[2]");
  EXPECT_NE(explanation.str().find("mul %x0, 2"), std::string::npos);
  EXPECT_NE(explanation.str().find("kernel %"), std::string::npos);
}

TEST(Explain, ListsEveryFormOfAPlan) {
  HotScope hot;
  Tensor kept;
  bool keeps = false;
  const auto fast = compile([&](const Tensor& x) {
    const Tensor doubled = x * 2;
    if (keeps) kept = doubled;
    return relu(doubled + 1);
  });
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 6; ++i) {
    keeps = i >= 3;
    EXPECT_EQ(values(fast(x)), (std::vector<float>{3, 0}));
    if (keeps) {
      EXPECT_EQ(values(kept), (std::vector<float>{2, -4}));
    }
  }
  const Explanation explanation = explain_region(*fast.region());
  ASSERT_EQ(explanation.plans.size(), 1u);
  ASSERT_EQ(explanation.plans[0].forms.size(), 2u);
  EXPECT_NE(explanation.plans[0].forms[0].captured, explanation.plans[0].forms[1].captured);
  EXPECT_NE(explanation.str().find("form 2 of 2, built in"), std::string::npos);
}

TEST(Explain, SaysWhatCanBeDoneAboutABreak) {
  HotScope hot;
  const auto fast = compile([](const Tensor& x) {
    const Tensor y = x * 2;
    return values(y)[0] > 0 ? y + 1 : y - 1;
  });
  for (int i = 0; i < 3; ++i) fast(tensor({1.0f}));
  const std::string text = explain_region(*fast.region()).str();
  EXPECT_NE(text.find("(a value was read: read results once, after the last op)"),
            std::string::npos)
      << text;
}

Tensor scaled(const Tensor& x, double by) { return tanh(x * by) + 1; }

TEST(Compile, DynamicTakesNumbersAsArgumentsFromTheFirstPlanOn) {
  HotScope hot;
  CompileOptions options;
  options.dynamic = true;
  const Tensor x = ones({4});
  std::vector<std::vector<float>> expected;
  set_jit_mode("off");
  for (int i = 0; i < 10; ++i) expected.push_back(values(scaled(x, 0.5 * i)));
  set_jit_mode("on");
  const auto f = compile(scaled, options);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(values(f(x, 0.5 * i)), expected[i]);
  EXPECT_EQ(hot.plans(), 1);
  EXPECT_EQ(hot.exits(), 0);
}

TEST(Compile, NotDynamicMeansAPlanForEachNumberAndSize) {
  const Tensor four = ones({4}), five = ones({5});
  set_jit_mode("off");
  const auto once = values(scaled(four, 1.0)), twice = values(scaled(four, 2.0));
  const auto larger = values(scaled(five, 1.0));
  set_jit_mode("on");
  HotScope hot;
  CompileOptions options;
  options.dynamic = false;
  const auto f = compile(scaled, options);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(values(f(four, 1.0)), once);
    EXPECT_EQ(values(f(four, 2.0)), twice);
    EXPECT_EQ(values(f(five, 1.0)), larger);
  }
  EXPECT_EQ(hot.plans(), 3);
  EXPECT_GE(hot.plan_entries(), 3);
}

TEST(Compile, DynamicLooksForAFamilyAtTheSecondSize) {
  std::vector<Tensor> inputs;
  for (int64_t n = 3; n < 20; ++n) inputs.push_back(full({n, 2}, 0.5));
  HotScope hot;
  CompileOptions options;
  options.dynamic = true;
  const auto f = compile(scaled, options);
  for (const Tensor& x : inputs) values(f(x, 1.5));
  EXPECT_LE(hot.plans(), 2);
  EXPECT_GE(hot.resized(), 14);
}

TEST(Compile, AsyncGoesOnEagerlyUntilThePlanIsThere) {
  HotScope hot(0);
  CompileOptions options;
  options.async = true;
  const auto f = compile(scaled, options);
  const Tensor x = full({1000}, 1.0);
  const std::vector<float> expected = values(f(x, 0.5));  // eager's
  wait_for_builds();
  EXPECT_EQ(hot.plans(), 1);
  EXPECT_EQ(hot.plan_entries(), 0);
  EXPECT_EQ(values(f(x, 0.5)), expected);
  EXPECT_EQ(hot.plan_entries(), 1);
}

TEST(Compile, WhatTheWorkerCannotBuildIsCounted) {
  HotScope hot(0);
  CompileOptions options;
  options.async = true;
  const auto f = compile(scaled, options);
  const Tensor x = full({1000}, 1.0);
  std::fesetround(FE_UPWARD);
  values(f(x, 0.5));
  std::fesetround(FE_TONEAREST);
  wait_for_builds();
  EXPECT_EQ(hot.plans(), 0);
  EXPECT_EQ(hot.reason("rounding_mode"), 1);
}

TEST(Compile, ManyThreadsMayWaitForTheWorker) {
  HotScope hot(0);
  CompileOptions options;
  options.async = true;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&options, t] {
      const auto f = compile(
          [t](const Tensor& x) { return tanh(x * (t + 1.0)) - static_cast<double>(t); }, options);
      const Tensor x = full({64}, 0.5);
      const auto expected = values(tanh(x * (t + 1.0)) - static_cast<double>(t));
      for (int i = 0; i < 50; ++i) ASSERT_EQ(values(f(x)), expected);
      wait_for_builds();
      ASSERT_EQ(values(f(x)), expected);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(hot.plans(), 4);
}

}  // namespace
}  // namespace frit
