// Loops get hot by themselves, and nobody can tell but by the clock and the counters.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

TEST(Automatic, ALoopRunsAsAPlanFromItsThirdRunOn) {
  HotScope hot;
  for (int i = 0; i < 5; ++i) {
    const Tensor x = tensor({1.0f, -2.0f, 3.0f});
    EXPECT_EQ(values(relu(x * 2 + 1)), (std::vector<float>{3, 0, 7}));
  }
  EXPECT_EQ(hot.plan_entries(), 3);
  EXPECT_EQ(hot.plan_ops(), 9);
  EXPECT_EQ(hot.exits(), 0);
}

TEST(Automatic, AnotherOpLeavesThePlanWithTheRightValues) {
  HotScope hot;
  const Tensor x = tensor({1.0f, -2.0f, 3.0f});
  for (int i = 0; i < 6; ++i) {
    const Tensor doubled = x * 2;
    const Tensor y = i == 4 ? doubled - 1 : doubled + 1;
    EXPECT_EQ(values(relu(y)),
              i == 4 ? (std::vector<float>{1, 0, 5}) : (std::vector<float>{3, 0, 7}))
        << i;
  }
  EXPECT_EQ(hot.exits(), 1);
  EXPECT_EQ(hot.plan_entries(), 3);
}

TEST(Automatic, AScalarThatChangesBecomesAnArgument) {
  HotScope hot;
  const Tensor x = tensor({1.0f, -2.0f, 3.0f});
  for (int i = 0; i < 200; ++i) EXPECT_EQ(values(x * i + 1)[2], static_cast<float>(3 * i + 1));
  EXPECT_EQ(hot.plans(), 1);
  EXPECT_EQ(hot.plan_entries(), 198);
}

TEST(Automatic, AScalarThatChangesLateIsGeneralisedWithoutNewRecordings) {
  HotScope hot;
  const Tensor x = tensor({1.0f, -2.0f, 3.0f});
  for (int i = 0; i < 100; ++i) {
    const int factor = i < 10 ? 2 : i;
    EXPECT_EQ(values(x * factor + 1)[2], static_cast<float>(3 * factor + 1)) << i;
  }
  EXPECT_LE(hot.plans(), 2);
  EXPECT_GE(hot.plan_entries(), 95);
}

TEST(Automatic, AnExponentThatDecidesTheFormIsGuarded) {
  HotScope hot;
  const Tensor x = tensor({2.0f, -3.0f});
  for (int i = 0; i < 12; ++i) {
    const int exponent = i % 2 == 0 ? 2 : 3;
    EXPECT_EQ(values(x.pow(exponent))[1], exponent == 2 ? 9.0f : -27.0f) << i;
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, DivisionOfIntegersByANumberIsPartOfPlans) {
  HotScope hot;
  const Tensor x = tensor({-7, 8, 9});
  for (int i = 0; i < 40; ++i) {
    const Tensor y = floor_divide(x, 2 + i % 3) + remainder(x, 5);
    EXPECT_EQ(y[2].item<int64_t>(), 9 / (2 + i % 3) + 4);
  }
  EXPECT_GE(hot.plan_entries(), 30);
}

TEST(Automatic, ADivisorThatBecomesZeroIsAnErrorAtItsCall) {
  HotScope hot;
  const Tensor x = to(tensor({7, 8, 9}), kUInt8);
  for (int i = 0; i < 20; ++i) {
    const int divisor = i % 4 == 3 ? (i % 8 == 3 ? 0 : 256) : 2;
    const auto divide = [&] { return remainder(x + 1, divisor) * 2; };
    if (divisor == 2)
      EXPECT_EQ(divide()[2].item<int64_t>(), 0);
    else
      EXPECT_THROW(divide(), Error) << i;
  }
}

TEST(Automatic, AnotherShapeGetsItsOwnPlan) {
  HotScope hot;
  for (int i = 0; i < 12; ++i) {
    const int64_t n = i % 2 == 0 ? 3 : 5;
    const Tensor x = full({n}, 1.5);
    EXPECT_EQ(values(x * 2 + 1), std::vector<float>(static_cast<size_t>(n), 4.0f)) << i;
  }
  EXPECT_GE(hot.plan_entries(), 4);
}

TEST(Automatic, AnIntermediateThatIsKeptHasItsValue) {
  HotScope hot;
  const Tensor x = tensor({1.0f, -2.0f});
  std::vector<Tensor> kept;
  for (int i = 0; i < 8; ++i) {
    const Tensor a = x + i;
    const Tensor b = a * 2;
    if (i % 3 == 2) kept.push_back(a);
    EXPECT_EQ(values(relu(b))[0], 2.0f * static_cast<float>(1 + i));
  }
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(values(kept[0])[1], 0.0f);
  EXPECT_EQ(values(kept[1])[1], 3.0f);
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, LaterReadsOfOtherResultsAreRight) {
  HotScope hot;
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 6; ++i) {
    const Tensor a = x + 1, b = x * 3;
    EXPECT_EQ(values(a)[0], 2.0f);
    EXPECT_EQ(values(b)[1], -6.0f);
  }
  EXPECT_GE(hot.plan_entries(), 4);
}

TEST(Automatic, ViewsOfResultsShareTheirStorage) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f}).reshape({2, 2});
  for (int i = 0; i < 6; ++i) {
    const Tensor y = x * 2;
    const Tensor t = y.transpose(0, 1);
    EXPECT_EQ(values(t), (std::vector<float>{2, 6, 4, 8}));
    t.add_(1);
    EXPECT_EQ(values(y), (std::vector<float>{3, 5, 7, 9}));
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, ViewsOfExternalsShareTheirStorage) {
  HotScope hot;
  for (int i = 0; i < 6; ++i) {
    const Tensor x = tensor({1.0f, 2.0f, 3.0f, 4.0f});
    const Tensor tail = x.narrow(0, 2, 2);
    const Tensor y = tail + 1;
    EXPECT_EQ(values(y), (std::vector<float>{4, 5}));
    tail.fill_(0);
    EXPECT_EQ(values(x), (std::vector<float>{1, 2, 0, 0}));
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, WritesToAnOperandComeAfterDeferredReads) {
  HotScope hot;
  for (int i = 0; i < 8; ++i) {
    const Tensor x = tensor({1.0f, 2.0f});
    const Tensor y = x * 10;
    x.fill_(0);
    EXPECT_EQ(values(y), (std::vector<float>{10, 20}));
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, WritesThroughAPointerComeAfterDeferredReads) {
  HotScope hot;
  for (int i = 0; i < 8; ++i) {
    const Tensor x = tensor({1.0f, 2.0f});
    const Tensor y = x * 10;
    x.data_ptr<float>()[0] = 7;
    EXPECT_EQ(values(y), (std::vector<float>{10, 20}));
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, OpsOnExposedMemoryReadItAtTheirCall) {
  HotScope hot;
  float memory[2] = {1, 2};
  const Tensor x = from_blob(memory, {2});
  const Tensor w = tensor({3.0f, 4.0f});
  for (int i = 0; i < 8; ++i) {
    memory[0] = static_cast<float>(i);
    const Tensor doubled = w * 2;
    const Tensor y = x * 10;
    memory[0] = -1;
    EXPECT_EQ(values(y)[0], static_cast<float>(10 * i));
    EXPECT_EQ(values(doubled + y)[0], static_cast<float>(6 + 10 * i));
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, ErrorsAreRaisedAtTheirCall) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f}), wrong = tensor({1.0f, 2.0f, 3.0f});
  for (int i = 0; i < 6; ++i) {
    const Tensor y = x * 2;
    if (i == 0 || i == 4) {  // at once, and out of a plan
      EXPECT_THROW(y + wrong, Error);
    }
    EXPECT_EQ(values(y + x), (std::vector<float>{3, 6}));
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, APendingValueMayBeReadByAnotherThread) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 8; ++i) {
    const Tensor y = x * 2 + i;
    std::thread reader([&] { EXPECT_EQ(values(y)[1], static_cast<float>(4 + i)); });
    reader.join();
    EXPECT_EQ(values(y)[0], static_cast<float>(2 + i));
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, AThreadMayEndWithPendingWork) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(x * 2 + 1)[0], 3.0f);
  Tensor left;
  std::thread worker([&] { left = x * 2 + 1; });
  worker.join();
  EXPECT_EQ(values(left), (std::vector<float>{3, 5}));
  EXPECT_EQ(hot.plan_entries(), 2);  // the last by who read it, or as the thread ended
}

TEST(Automatic, EqualTensorsInOtherRolesLeaveThePlan) {
  HotScope hot;
  const Tensor a = tensor({1.0f, 2.0f}), b = tensor({10.0f, 20.0f});
  for (int i = 0; i < 8; ++i) {
    const Tensor& second = i == 5 ? a : b;
    EXPECT_EQ(values((a + second) * second)[0], i == 5 ? 2.0f : 110.0f) << i;
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, AChangedRoundingModeLeavesThePlan) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(x / 3 + 0)[0], 1.0f / 3);
  EXPECT_GE(hot.plan_entries(), 1);
  const unsigned saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(saved | 0x6000);  // toward zero
  const float chopped = values(x / 3 + 0)[1];
  __builtin_ia32_ldmxcsr(saved);
  EXPECT_LT(chopped, 2.0f / 3);
  EXPECT_EQ(values(x / 3 + 0)[1], 2.0f / 3);
}

// Bits that plans for rounding to nearest would change: 0 - 0 is -0.0 when rounding down, and so is
// the sum of a zero.
TEST(Automatic, OpsUnderAnotherRoundingModeRunEagerly) {
  HotScope hot;
  const unsigned saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(saved | 0x2000);  // down
  const Tensor x = zeros({3});
  std::vector<bool> signs;
  for (int i = 0; i < 6; ++i) signs.push_back(std::signbit(values(relu(x - 0.0))[0]));
  __builtin_ia32_ldmxcsr(saved);
  EXPECT_EQ(signs, std::vector<bool>(6, true));
  EXPECT_EQ(hot.plan_entries(), 0);
  EXPECT_GE(hot.reason("rounding_mode"), 1);
}

TEST(Automatic, APlanBuiltWhereDenormalsAreZeroMakesThemZero) {
  HotScope hot;
  const unsigned saved = __builtin_ia32_stmxcsr();
  const Tensor x = full({40}, 1e-40f);
  std::vector<float> seen;
  __builtin_ia32_ldmxcsr(saved | 0x8040);
  for (int i = 0; i < 6; ++i) seen.push_back(values(abs(x * 1.0))[0]);
  __builtin_ia32_ldmxcsr(saved);
  for (int i = 0; i < 6; ++i) seen.push_back(values(abs(x * 1.0))[0]);
  std::vector<float> expected(6, 0.0f);
  expected.resize(12, 1e-40f);
  EXPECT_EQ(seen, expected);
  EXPECT_GE(hot.plan_entries(), 4);
}

TEST(Automatic, NumbersAreRoundedBeforeTheyAreComparedWithHalves) {
  HotScope hot;
  const Tensor x = tensor({1.0f, 2.0f}, kBFloat16);
  for (int i = 0; i < 8; ++i) {
    const double number = i < 4 ? 1.001 : 1.001 + i * 1e-5;
    EXPECT_TRUE((x == number)[0].item<bool>());
  }
  EXPECT_GE(hot.plan_entries(), 2);
}

TEST(Automatic, AnIntegerPowerThatThrowsDoesSoAtItsCall) {
  HotScope hot;
  const Tensor x = tensor({2, 3});
  for (int i = 0; i < 8; ++i) {
    const Tensor y = x + 1;
    if (i == 6) {
      EXPECT_THROW(pow(y, -2 - i), Error);
    } else {
      EXPECT_EQ(pow(y, 5)[0].item<int64_t>(), 243);
    }
  }
  EXPECT_GE(hot.plan_entries(), 1);
}

TEST(Automatic, APathThatReadsMoreTensorsThanATraceHoldsIsCutBeforeThem) {
  HotScope hot;
  std::vector<Tensor> weights;
  for (int i = 0; i < 700; ++i) weights.push_back(full({8}, i / 64.0));
  const auto run = [&] {
    Tensor y = weights[0];
    // Pairs, so that there are fewer ops than tensors.
    for (size_t i = 1; i + 1 < weights.size(); i += 2)
      y = addcmul(y, weights[i], weights[i + 1], i % 3 == 0 ? 0.5 : 0.25);
    return values(y);
  };
  const std::vector<float> expected = run();
  int64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    before = hot.eager_ops();
    EXPECT_EQ(run(), expected);
  }
  EXPECT_EQ(hot.eager_ops(), before);
  EXPECT_GE(hot.plan_entries(), 10);
}

TEST(Automatic, OffMeansOff) {
  HotScope hot;
  set_jit_mode("off");
  const Tensor x = tensor({1.0f, 2.0f});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(values(x * 2 + 1)[1], 5.0f);
  set_jit_mode("on");
  EXPECT_EQ(hot.plan_entries(), 0);
  EXPECT_EQ(hot.eager_ops(), 0);
}

TEST(Automatic, ByTimeALoopGetsHotToo) {
  HotScope hot(0);
  const Tensor x = full({256, 256}, 1.5);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(values(relu(x * 2 + 1))[7], 4.0f);
  EXPECT_GT(hot.plan_entries(), 100);
}

// Longer than what is looked at before small ops are left alone for a while, and of no period.
TEST(Automatic, ByTimeALongPathOfSmallOpsGetsHotToo) {
  HotScope hot(0);
  const Tensor w = full({8}, 0.5);
  const auto run = [&] {
    Tensor y = w;
    for (unsigned op = 0; op < 1500; ++op) y = __builtin_popcount(op) % 2 == 0 ? y * w : y + w;
    return values(y);
  };
  const std::vector<float> expected = run();
  for (int i = 0; i < 3000 && hot.plan_entries() < 4; ++i) EXPECT_EQ(run(), expected);
  wait_for_builds();  // the worker reads the flags that the scope sets back
  EXPECT_GE(hot.plan_entries(), 4);
}

}  // namespace
}  // namespace frit
