// Which values a plan leaves out, and the forms that it gets as their reads show.
#include <gtest/gtest.h>
#include <malloc.h>

#include "frit/frit.h"
#include "src/base/flags.h"
#include "tests/engine/hot_scope.h"
#include "tests/engine/recipes.h"

namespace frit {
namespace {

TEST(RecipeForms, ThatIsReadIsStoredByTheNextForm) {
  HotScope hot;
  const Tensor x = input();
  values(hot_run(x).b);
  EXPECT_EQ(hot.reason("recipe_read"), 1);
  for (int i = 0; i < 5; ++i) {
    const Named n = run(x);
    EXPECT_FALSE(left_out(n.b));
    EXPECT_TRUE(left_out(n.a));
    values(n.b);
  }
  EXPECT_EQ(hot.reason("recipe_read"), 1);
  const auto forms = explain_all().plans[0].forms;
  ASSERT_EQ(forms.size(), 2u);
  EXPECT_EQ(num_outputs(forms[1]), 2);
}

TEST(RecipeForms, IsNotMadeOfWhatWasReadWhileItWasRecorded) {
  HotScope hot;
  const Tensor x = input();
  for (int i = 0; i < 6; ++i) {
    const Named n = run(x);
    EXPECT_FALSE(left_out(n.b));
    values(n.b);
  }
  EXPECT_EQ(hot.reason("recipe_read"), 0);
  EXPECT_TRUE(left_out(run(x).a));
}

// In a region one recording is all there is to build from: what it left alive has not died by then.
TEST(RecipeForms, IsMadeInARegionOnceTheValueHasDiedUnread) {
  HotScope hot;
  const Tensor x = input();
  const auto fn = compile([](const Tensor& t) {
    const Tensor a = t * 0.3, b = exp(a), c = tanh(b);
    return std::pair(b, c);
  });
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(left_out(fn(x).first)) << i;
  EXPECT_TRUE(left_out(fn(x).first));
  EXPECT_EQ(values(fn(x).first), values(exp(x * 0.3)));
  EXPECT_FALSE(left_out(fn(x).first));
}

TEST(RecipeForms, IsLeftByPlansForNewShapesToo) {
  HotScope hot;
  hot_run(input());
  for (int64_t n = 20; n < 26; ++n) {
    const Tensor x = computed(full({n}, 0.5));
    const Named named = run(x);
    EXPECT_TRUE(left_out(named.a) && left_out(named.b)) << n;
    if (n == 25) {
      EXPECT_EQ(values(named.b), std::vector<float>(25, values(exp(x * 0.3) + x)[0]));
    }
  }
}

TEST(RecipeForms, OfVariablesThatTheNextRunOverwritesIsLeftInEachRun) {
  HotScope hot;
  const Tensor x = input();
  Tensor a, b, c;
  std::vector<float> eager;
  for (int i = 0; i < 9; ++i) {
    a = x * 0.3;
    b = exp(a) + x;
    c = tanh(b);
    if (i == 0) eager = values(c);
    EXPECT_EQ(values(c), eager);
    EXPECT_EQ(left_out(a) && left_out(b), i >= 2) << i;
  }
  EXPECT_EQ(hot.plans(), 1);
}

TEST(RecipeForms, StrayReferencesMakeAtMostFiveForms) {
  HotScope hot;
  const Tensor x = input();
  const auto chain = [&](int kept, Tensor* stray) {
    Tensor y = x;
    for (int op = 0; op < 10; ++op) {
      y = op % 2 == 0 ? y * 1.25 : tanh(y);
      if (op == kept) *stray = y;
    }
    return y;
  };
  std::vector<std::vector<float>> eager;
  set_jit_mode("off");
  for (int kept = 0; kept < 9; ++kept) {
    Tensor stray;
    chain(kept, &stray);
    eager.push_back(values(stray));
  }
  const std::vector<float> last = values(chain(-1, nullptr));
  set_jit_mode("on");
  Tensor stray;
  for (int i = 0; i < 90; ++i) {
    EXPECT_EQ(values(chain(i % 9, &stray)), last) << i;
    if (i % 7 == 6) {
      EXPECT_EQ(values(stray), eager[static_cast<size_t>(i % 9)]) << i;
    }
  }
  EXPECT_GE(hot.plan_entries(), 80);
  for (const PlanReport& plan : explain_all().plans) EXPECT_LE(plan.forms.size(), 5u);
}

TEST(RecipeForms, NamedLocalsInALongLoopTakeNoMoreMemory) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  Tensor x = input();
  const auto step = [&] {
    const Named n = run(x);
    x = n.c + 0.5;
  };
  for (int i = 0; i < 100; ++i) step();
  const Stats before = stats();
  const size_t heap = mallinfo2().uordblks;
  for (int i = 0; i < 100000; ++i) step();
  const Stats after = stats();
  EXPECT_EQ(after.pool_live_bytes, before.pool_live_bytes);
  EXPECT_EQ(after.builds, before.builds);
  EXPECT_LT(mallinfo2().uordblks, heap + 4096);
}

TEST(RecipeForms, IsStoredWhereLeavingItOutWouldHoldMuchMemory) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  std::vector<Tensor> kept;
  const int64_t before = stats().pool_live_bytes;
  const auto make = [] {
    const Tensor x = computed(ones({1, 1 << 20}));
    const Tensor row = sum(x, {1}), twice = row * 2;
    twice.const_data_ptr();
    return row;
  };
  for (int i = 0; i < 4; ++i) make();
  for (int i = 0; i < 40; ++i) kept.push_back(make());
  EXPECT_TRUE(left_out(kept[0]));
  EXPECT_FALSE(left_out(kept[39]));
  EXPECT_GE(hot.reason("recipe_limit"), 1);
  EXPECT_LE(stats().pool_live_bytes - before, (64 << 20) + (8 << 20));
  for (const Tensor& row : kept) EXPECT_EQ(values(row)[0], static_cast<float>(1 << 20));
}

TEST(RecipeForms, TheValueWhoseReadEndsARecordingIsOneThatIsRead) {
  HotScope hot;
  const Tensor x = full({40}, 0.5);
  for (int i = 0; i < 6; ++i) {
    const Tensor a = x * 1.5 + 1;
    const Tensor c = sum(a);
    values(a);
    values(c);
  }
  EXPECT_GE(hot.plan_entries(), 3);
  EXPECT_EQ(hot.plans(), 1);  // no second form that stores `a`
}

}  // namespace
}  // namespace frit
