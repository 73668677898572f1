// Writes in place inside plans: as if every store were made at its call.
#include <gtest/gtest.h>

#include <cmath>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

using Floats = std::vector<float>;

TEST(Write, AnExternalIsUpdatedByThePlan) {
  HotScope hot;
  expect_as_eager([] {
    return [w = full({4}, 1.0), g = tensor({1.0f, 2.0f, 3.0f, 4.0f})](int) {
      w.sub_(g * 0.5);
      return values(w);
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
  EXPECT_EQ(hot.exits(), 0);
}

TEST(Write, APendingValueIsUpdated) {
  HotScope hot;
  expect_as_eager([] {
    return [x = tensor({-1.0f, 2.0f})](int) {
      const Tensor h = x * 3;
      h.add_(1);
      h.relu_();
      return values(h + x);
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, WhatIsReadAfterwardsIsTheNewValue) {
  HotScope hot;
  expect_as_eager([] {
    return [w = full({3}, 2.0), x = tensor({1.0f, 2.0f, 3.0f})](int) {
      const Tensor before = w * x;
      w.add_(x);
      const Tensor after = w * x;
      return values(before - after);
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, ManyWritesToOneTensorLeaveTheLast) {
  HotScope hot;
  expect_as_eager([] {
    return [w = full({3}, 2.0)](int i) {
      w.mul_(0.5);
      w.add_(i);
      w.clamp_(0, 5);
      return values(w);
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, AViewOfAnExternalIsWrittenThrough) {
  HotScope hot;
  expect_as_eager([] {
    return [w = zeros({3, 4}), x = tensor({1.0f, 2.0f, 3.0f, 4.0f})](int) {
      w.select(0, 1).add_(x);
      w.select(1, 2).mul_(2);
      return values(w);
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, ReadingThroughAnotherViewSplitsThePathAndNothingElse) {
  HotScope hot;
  expect_as_eager([] {
    return [w = ones({3, 4}), x = tensor({1.0f, 2.0f, 3.0f, 4.0f})](int) {
      w.select(0, 1).add_(x);
      return values(w.sum({1}) + 1);
    };
  });
  EXPECT_GE(hot.plan_entries(), 15);
  EXPECT_GE(hot.reason("written_memory"), 1);
}

TEST(Write, AViewMadeAfterTheWriteReadsIt) {
  HotScope hot;
  expect_as_eager([] {
    return [x = tensor({-1.0f, 2.0f, -3.0f, 4.0f})](int) {
      const Tensor h = x * 2;
      h.relu_();
      return values(h.view({2, 2}).transpose(0, 1) + 1);
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
  EXPECT_EQ(hot.reason("written_memory"), 0);
}

TEST(Write, AViewMadeBeforeTheWriteReadsItToo) {
  HotScope hot;
  expect_as_eager([] {
    return [x = tensor({-1.0f, 2.0f, -3.0f, 4.0f})](int) {
      const Tensor h = x * 2;
      const Tensor rows = h.view({2, 2});
      h.relu_();
      return values(rows + 1);
    };
  });
}

TEST(Write, APendingViewThatIsKeptSeesTheWrite) {
  HotScope hot;
  expect_as_eager([] {
    return [x = tensor({-1.0f, 2.0f, -3.0f, 4.0f})](int) {
      const Tensor h = x * 2;
      const Tensor first = h.select(0, 0);
      h.add_(10);
      Floats all = values(h);
      all.push_back(first.item<float>());
      return all;
    };
  });
}

TEST(Write, ValuesThatWereCopiedAreSeparate) {
  HotScope hot;
  expect_as_eager([] {
    return [x = tensor({1.0f, 2.0f}), a = zeros({2}), b = zeros({2})](int) {
      const Tensor t = x * 2;
      const Tensor y = x + 1;
      y.copy_(t);
      t.add_(1);
      a.copy_(t);
      b.copy_(y);
      Floats all = values(y);
      for (const Tensor& other : {t, a, b})
        for (float v : values(other)) all.push_back(v);
      return all;
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, AValueTakenFromACopyIsNotChangedByLaterWritesToItsSource) {
  HotScope hot;
  expect_as_eager([] {
    return [x = arange(4, kFloat32), a = zeros({2, 2}), b = zeros({2, 2})](int i) {
      const Tensor h = (x * 0.5 + i).reshape({2, 2}) + 0;
      a.copy_(h);
      h.select(0, 0).add_(h.select(0, 1));
      b.copy_(a);
      Floats all = values(h);
      for (const Tensor& other : {a, b})
        for (float v : values(other)) all.push_back(v);
      return all;
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, ASwapOfTwoTensorsReadsBeforeItWrites) {
  HotScope hot;
  expect_as_eager([] {
    return [a = tensor({1.0f, 2.0f}), b = tensor({3.0f, 4.0f})](int) {
      const Tensor t = a + 0;
      a.copy_(b);
      b.copy_(t);
      Floats all = values(a);
      for (float v : values(b)) all.push_back(v);
      return all;
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, AnExternalCopiedThenOverwrittenKeepsItsOldValueInTheCopy) {
  HotScope hot;
  expect_as_eager([] {
    return [a = tensor({1.0f, 2.0f}), b = zeros({2}), c = zeros({2})](int) {
      b.copy_(a);
      a.add_(1);
      c.copy_(b);
      Floats all = values(a);
      for (const Tensor& other : {b, c})
        for (float v : values(other)) all.push_back(v);
      return all;
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, FillsAndReadsThem) {
  HotScope hot;
  expect_as_eager([] {
    return [w = ones({2, 2})](int i) {
      w.fill_(i);
      const Tensor y = w + 1;
      w.zero_();
      Floats all = values(y);
      for (float v : values(w)) all.push_back(v);
      return all;
    };
  });
  EXPECT_GE(hot.plan_entries(), 9);
}

TEST(Write, ConvertsAndBroadcasts) {
  HotScope hot;
  expect_as_eager([] {
    return
        [w = ones({2, 3}, kFloat64), n = ones({3}, kInt64), x = tensor({1.5f, 2.5f, 3.5f})](int) {
          w.copy_(x * 2);
          w.add_(n);
          Floats all = values(w.to(kFloat32));
          n.copy_(tensor({1.0f, 2.0f, 3.0f}).to(kInt64) + n);
          for (float v : values(n.to(kFloat32))) all.push_back(v);
          return all;
        };
  });
}

TEST(Write, TheSameTensorTwiceIsAnotherPatternThanTwoTensors) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [a = tensor({1.0f, 2.0f}), b = tensor({3.0f, 4.0f})](int i) {
          const Tensor& other = i % 5 == 4 ? a : b;
          a.mul_(0.5);
          const Tensor y = other * 3;
          Floats all = values(y);
          for (float v : values(a)) all.push_back(v);
          return all;
        };
      },
      20);
}

TEST(Write, OverlapOfExternalsIsGuarded) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [base = arange(8, kFloat32), far = arange(8, kFloat32)](int i) {
          const Tensor a = base.slice(0, 0, 4);
          const Tensor b = i % 4 == 3 ? base.slice(0, 2, 6) : far.slice(0, 2, 6);
          const Tensor bb = b * 1;
          a.add_(1);
          const Tensor y = b + bb;
          Floats all = values(y);
          for (float v : values(base)) all.push_back(v);
          return all;
        };
      },
      24);
}

TEST(Write, PartialOverlapIsAnErrorAtItsCallHotOrNot) {
  HotScope hot;
  const Tensor base = arange(8, kFloat32), far = arange(8, kFloat32);
  for (int i = 0; i < 12; ++i) {
    const Tensor h = base * 2, g = far * 2;
    const Tensor a = h.slice(0, 0, 4);
    const Tensor b = i == 7 ? h.slice(0, 2, 6) : g.slice(0, 2, 6);
    if (i == 7) {
      EXPECT_THROW(a.add_(b), Error);
      EXPECT_EQ(values(h), values(base * 2));
    } else {
      a.add_(b);
      EXPECT_EQ(values(h)[3], 6.0f + 10.0f);
    }
  }
}

TEST(Write, AReadExposedTensorIsWrittenAtOnce) {
  HotScope hot;
  const Tensor w = zeros({2});
  const float* p = w.const_data_ptr<float>();
  for (int i = 1; i < 8; ++i) {
    w.add_(1);
    EXPECT_EQ(p[0], static_cast<float>(i));
  }
}

TEST(Write, AnUpdateThatNobodyLooksAtIsMade) {
  HotScope hot;
  const Tensor w = zeros({2});
  for (int i = 0; i < 40; ++i) {
    w.add_(1);
    if (i % 4 == 3) {
      EXPECT_EQ(values(w + 0)[0], static_cast<float>(i + 1));
    }
  }
  EXPECT_EQ(w.select(0, 0).item<float>(), 40.0f);
}

TEST(Write, TheWrittenTensorMayDieBeforeThePlanRuns) {
  HotScope hot;
  expect_as_eager([] {
    return [x = tensor({1.0f, 2.0f})](int) {
      Tensor view;
      {
        const Tensor local = x.clone();
        view = local.select(0, 1);
        const Tensor w = local.view({2, 1});
        w.add_(1);
        w.mul_(2);
      }
      return Floats{view.item<float>()};
    };
  });
}

TEST(Write, ARegionUpdatesItsArgumentsBeforeItReturns) {
  HotScope hot;
  const auto step = compile([](const Tensor& w, const Tensor& m, const Tensor& g) {
    m.mul_(0.9).add_(g);
    w.sub_(m * 0.1);
  });
  const Tensor w = ones({4}), m = zeros({4}), g = full({4}, 0.5);
  const Tensor we = ones({4}), me = zeros({4});
  for (int i = 0; i < 10; ++i) {
    step(w, m, g);
    set_jit_mode("off");
    me.mul_(0.9).add_(g);
    we.sub_(me * 0.1);
    set_jit_mode("on");
    EXPECT_EQ(values(w), values(we));
    EXPECT_EQ(values(m), values(me));
  }
  EXPECT_GE(hot.plan_entries(), 8);
  EXPECT_EQ(explain_region(*step.region()).breaks.count("untraceable_op"), 0u);
}

TEST(Write, ExplainListsHowInputsShareMemory) {
  HotScope hot;
  const auto step = compile([](const Tensor& w, const Tensor& g) { w.sub_(g * 0.5); });
  const Tensor base = ones({8});
  for (int i = 0; i < 4; ++i) step(base.narrow(0, 0, 4), base.narrow(0, 4, 4));
  std::string guards;
  for (const PlanReport& plan : explain_region(*step.region()).plans)
    guards += to_string(plan.guards);
  EXPECT_NE(guards.find("x0: shares no earlier input's memory\n"), std::string::npos) << guards;
  EXPECT_NE(guards.find("x1: at -16 bytes in the memory of x0\n"), std::string::npos) << guards;
}

TEST(Write, AnExitInMidPlanHasMadeTheWritesSoFar) {
  HotScope hot;
  expect_as_eager([] {
    return [w = ones({3}), x = tensor({1.0f, 2.0f, 3.0f})](int i) {
      w.add_(x);
      const Tensor y = i == 6 ? w - x : w * x;
      w.mul_(0.5);
      const Tensor z = y + w;
      Floats all = values(z);
      for (float v : values(w)) all.push_back(v);
      return all;
    };
  });
  EXPECT_GE(hot.exits(), 1);
}

TEST(Write, OtherShapesGoByPattern) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          const Floats start(static_cast<size_t>(2 + i % 5), 1.5f);
          const Tensor x = tensor(start), w = tensor(start);
          w.add_(x * 2);
          w.mul_(3);
          return values(w + x);
        };
      },
      20);
  EXPECT_GE(hot.plan_entries(), 15) << stats().str();
}

TEST(Write, ByPatternAViewIsNotTakenForACopy) {
  HotScope hot;
  expect_as_eager(
      [] {
        return [](int i) {
          // Of every other one a reshape is a view.
          const Tensor x = arange(6 + 2 * (i / 2), kFloat32).reshape({2, -1}).clone();
          const Tensor h = i % 2 == 0 ? x.transpose(0, 1).contiguous() : x.transpose(0, 1);
          values(h);
          const Tensor flat = h.reshape({-1});
          flat.mul_(0.5);
          Floats all = values(flat);
          for (float v : values(h)) all.push_back(v);
          return all;
        };
      },
      20);
}

// What is stored has other strides than where it is stored, in dimensions of size 1 alone.
TEST(Write, ToSinglePixelsIsKnownWhateverTheirStrides) {
  HotScope hot;
  expect_as_eager([] {
    const Tensor w = arange(64, kFloat32).reshape({8, 8, 1, 1}) / 100, mean = full({8}, 0.5);
    return [w, mean, var = ones({8}), scale = full({8}, 2.0)](int i) {
      const Tensor x = full({1, 8, 1, 1}, i + 1.0);
      const Tensor y = batch_norm(conv2d(x, w), mean, var, scale, mean);
      y.relu_();
      y.add_(x);
      const Tensor kept = y * 2, copied = full({1, 8, 1, 1}, 0.0);
      copied.copy_(y);
      y.mul_(copied);
      copied.sub_(1);
      Floats all = values(y);
      for (const Tensor& t : {kept, copied})
        for (float v : values(t)) all.push_back(v);
      for (int64_t stride : y.strides()) all.push_back(static_cast<float>(stride));
      return all;
    };
  });
  EXPECT_EQ(hot.reason("layout_differs"), 0);
  EXPECT_EQ(hot.reason("written_memory"), 0);
  EXPECT_GE(hot.plan_entries(), 4);
}

TEST(Write, CountsAsAVersionForPackedWeights) {
  HotScope hot;
  expect_as_eager([] {
    return [w = full({64, 64}, 0.5), x = ones({8, 64})](int) {
      const Tensor y = matmul(x, w);
      w.add_(0.25);
      return values(y.sum());
    };
  });
}

}  // namespace
}  // namespace frit
