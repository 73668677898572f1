// Named values that are alive and never read are not computed; who reads one gets eager's bits.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/engine/recipes.h"

namespace frit {
namespace {

TEST(Recipe, KernelsStoreOnlyWhatIsRead) {
  HotScope hot;
  const Tensor x = input();
  hot_run(x);
  const Explanation explanation = explain_all();
  ASSERT_EQ(explanation.plans.size(), 1u);
  ASSERT_EQ(explanation.plans[0].forms.size(), 1u);
  EXPECT_EQ(num_outputs(explanation.plans[0].forms[0]), 1);
  EXPECT_EQ(hot.plan_entries(), 3);
}

TEST(Recipe, TakesNoMemory) {
  HotScope hot;
  const Tensor x = computed(ones({1 << 20}));
  run(x);
  const int64_t before = stats().pool_live_bytes;
  const Named n = hot_run(x);
  EXPECT_EQ(stats().pool_live_bytes - before, 4 << 20);
}

TEST(Recipe, ThatIsReadHasEagersBits) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  const Named n = hot_run(x);
  EXPECT_EQ(values(n.b), expected.b);
  EXPECT_EQ(values(n.a), expected.a);
  EXPECT_EQ(values(n.c), expected.c);
  EXPECT_EQ(hot.reason("recipe_read"), 2);
}

TEST(Recipe, IsPrintedAndAskedForItsElementAsAnyValue) {
  HotScope hot;
  const Tensor x = computed(full({1}, 2.0));
  EXPECT_EQ(hot_run(x).a.item<float>(), 0.6f);
  HotScope again;
  const Named n = hot_run(x);
  EXPECT_EQ(n.a.str(), (full({1}, 2.0) * 0.3).str());
}

TEST(Recipe, CountsTheProgramsHandles) {
  HotScope hot;
  const Tensor x = input();
  const Named n = hot_run(x);
  const Tensor second = n.a;
  EXPECT_EQ(n.a.use_count(), 2u);
  EXPECT_EQ(n.b.use_count(), 1u);
}

TEST(Recipe, MayBeReadByAnotherThread) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  const Named n = hot_run(x);
  std::thread reader([&] { EXPECT_EQ(values(n.b), expected.b); });
  reader.join();
  EXPECT_FALSE(left_out(n.b));
  EXPECT_TRUE(left_out(n.a));
}

TEST(Recipe, MayBeReadThroughAView) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  const Named n = hot_run(x);
  EXPECT_EQ(values(n.b.narrow(0, 2, 3)),
            std::vector<float>(expected.b.begin() + 2, expected.b.begin() + 5));
}

TEST(Recipe, SharesItsMemoryWithItsViews) {
  HotScope hot;
  const Tensor x = computed(arange(6, kFloat32).reshape({2, 3}));
  const auto views = [&] {
    const Tensor base = x + 1, view = base.transpose(0, 1), sum = view * 2 + base.reshape({3, 2});
    sum.const_data_ptr();
    return std::vector<Tensor>{base, view};
  };
  for (int i = 0; i < 4; ++i) views();
  const std::vector<Tensor> v = views();
  ASSERT_TRUE(left_out(v[0]) && left_out(v[1]));
  EXPECT_EQ(values(v[1]), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  v[1].fill_(9);
  EXPECT_EQ(values(v[0]), std::vector<float>(6, 9.0f));
}

TEST(Recipe, MayBeAnOperandLater) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  const auto later = [&](const Tensor& t) { return values(relu(t - 0.5) * 2); };
  set_jit_mode("off");
  const std::vector<float> eager = later(run(x).b);
  set_jit_mode("on");
  const Named n = hot_run(x);
  EXPECT_EQ(later(n.b), eager);
  EXPECT_EQ(values(n.b), expected.b);
}

TEST(Recipe, ThatIsAnOperandLaterDoesNotKeepThatCallFromItsPlan) {
  HotScope hot;
  const Tensor x = input(), other = input();
  const auto later = [](const Tensor& t) { return values(relu(t - 0.5) * 2); };
  for (int i = 0; i < 4; ++i) later(other);
  const Named n = hot_run(x);
  other.const_data_ptr();
  const int64_t before = hot.plan_ops();
  later(n.b);
  EXPECT_EQ(hot.plan_ops() - before, 3);
}

TEST(Recipe, OutlivesTheOperandsOfItsOps) {
  const Expected expected;
  HotScope hot;
  Named n;
  {
    const Tensor x = input();
    n = hot_run(x);
  }
  run(input());
  EXPECT_EQ(values(n.a), expected.a);
  EXPECT_EQ(values(n.b), expected.b);
}

TEST(Recipe, LetsGoOfTheOperandsWhenItDies) {
  HotScope hot;
  const int64_t before = stats().pool_live_bytes;
  Named n;
  {
    const Tensor x = computed(ones({1 << 20}));
    n = hot_run(x);
  }
  EXPECT_EQ(stats().pool_live_bytes - before, 8 << 20);  // x and c
  n.a = Tensor();
  EXPECT_EQ(stats().pool_live_bytes - before, 8 << 20);
  n.b = Tensor();
  EXPECT_EQ(stats().pool_live_bytes - before, 4 << 20);
}

TEST(Recipe, HoldsNoOperandsThatItIsNotMadeFrom) {
  HotScope hot;
  const int64_t before = stats().pool_live_bytes;
  const auto two = [](const Tensor& x, const Tensor& large) {
    const Tensor a = x * 0.3, b = a + 1, c = b + large;
    c.const_data_ptr();
    return b;
  };
  const Tensor x = computed(ones({1}));
  Tensor kept;
  for (int i = 0; i < 6; ++i) kept = two(x, computed(ones({1 << 20})));
  EXPECT_TRUE(left_out(kept));
  EXPECT_LT(stats().pool_live_bytes - before, 1 << 20);
}

TEST(Recipe, IsComputedBeforeItsOperandIsWritten) {
  const Expected expected;
  const std::function<void(const Tensor&)> writes[] = {
      [](const Tensor& x) { x.fill_(5); },
      [](const Tensor& x) { x.add_(1); },
      [](const Tensor& x) { x.narrow(0, 0, 2).copy_(ones({2})); },
      [](const Tensor& x) { x.data_ptr<float>()[0] = 100; },
      [](const Tensor& x) { x.accessor<float, 1>()[1] = 100; },
      [](const Tensor& x) { std::thread([&] { x.fill_(5); }).join(); },
      [](const Tensor& x) { std::thread([&] { x.data_ptr<float>()[0] = 100; }).join(); },
  };
  for (const auto& write : writes) {
    HotScope hot;
    const Tensor x = input();
    const Named n = hot_run(x);
    write(x);
    EXPECT_EQ(values(n.a), expected.a);
    EXPECT_EQ(values(n.b), expected.b);
  }
}

// The write ends the plan, so that there is no recipe before it.
TEST(Recipe, OfAPlanThatAWriteEndsIsComputedBeforeTheWrite) {
  const Expected expected;
  HotScope hot;
  for (int i = 0; i < 8; ++i) {
    const Tensor x = input();
    const Tensor a = x * 0.3;
    const Tensor b = exp(a) + x;
    const Tensor c = tanh(b);
    if (i >= 6) {
      x.fill_(3);
      EXPECT_EQ(values(a), expected.a) << i;
      EXPECT_EQ(values(b), expected.b) << i;
    }
    EXPECT_EQ(values(c), expected.c) << i;
  }
  EXPECT_GE(hot.plan_entries(), 3);
}

// The write begins a plan of its own, which makes it at its end.
TEST(Recipe, IsComputedBeforeItsOperandIsWrittenByAPlan) {
  const Expected expected;
  const std::function<void(const Tensor&)> writes[] = {
      [](const Tensor& x) { x.fill_(5); },
      [](const Tensor& x) { x.add_(1); },
  };
  for (const auto& write : writes) {
    HotScope hot;
    const Tensor x = input(), other = input();
    hot_run(x);
    const auto step = [&](const Tensor& written) {
      Named n;
      n.a = x * 0.3;
      n.b = exp(n.a) + x;
      n.c = tanh(n.b);
      write(written);
      values(written * 2);
      return n;
    };
    for (int i = 0; i < 6; ++i) step(other);
    const int64_t recipes = hot.recipes(), entries = hot.plan_entries();
    const Named n = step(x);
    EXPECT_EQ(values(n.a), expected.a);
    EXPECT_EQ(values(n.b), expected.b);
    EXPECT_EQ(values(n.c), expected.c);
    EXPECT_EQ(hot.recipes() - recipes, 2);
    EXPECT_GE(hot.plan_entries() - entries, 2);
  }
}

TEST(Recipe, IsComputedBeforeItsOperandIsWrittenThroughAPendingView) {
  HotScope hot;
  const Tensor w = full({4, 4}, 1.0);
  Tensor copy;
  float sum_before = 0;
  for (int i = 0; i < 16; ++i) {
    copy = w.clone();
    sum_before = sum(copy).item<float>();
    w.select(0, 0).add_(w.select(0, 1) * 0.5);
    if (i % 3 == 2) values(w);
  }
  EXPECT_EQ(sum(copy).item<float>(), sum_before);
}

TEST(Recipe, WhoseOperandIsWrittenWhileItLivesIsStoredByTheNextForm) {
  HotScope hot;
  const Tensor x = input();
  {
    const Named n = hot_run(x);
    x.fill_(0.5);
  }
  const Named n = run(x);
  EXPECT_FALSE(left_out(n.a));
  EXPECT_FALSE(left_out(n.b));
}

TEST(Recipe, IsComputedInTheRoundingModeOfItsCalls) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  const Named n = hot_run(x);
  const unsigned saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(saved | 0xe040);  // toward zero; denormals are zero
  n.a.const_data_ptr();
  n.b.const_data_ptr();
  __builtin_ia32_ldmxcsr(saved);
  EXPECT_EQ(values(n.a), expected.a);
  EXPECT_EQ(values(n.b), expected.b);
}

TEST(Recipe, OutlivesItsPlan) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  const Named n = hot_run(x);
  trim();
  EXPECT_TRUE(left_out(n.b));
  EXPECT_EQ(values(n.b), expected.b);
  EXPECT_EQ(values(n.a), expected.a);
}

TEST(Recipe, OutlivesItsThread) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  Named n;
  std::thread([&] { n = hot_run(x); }).join();
  EXPECT_TRUE(left_out(n.b));
  EXPECT_EQ(values(n.b), expected.b);
  EXPECT_EQ(values(n.a), expected.a);
}

TEST(Recipe, IsComputedBeforeTheJitIsTurnedOff) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  const Named n = hot_run(x);
  set_jit_mode("off");
  x.fill_(3);
  EXPECT_EQ(values(n.a), expected.a);
  EXPECT_EQ(values(n.b), expected.b);
  set_jit_mode("on");
}

#if !defined(__SANITIZE_THREAD__)
TEST(Recipe, IsThereInBothProcessesAfterAFork) {
  const Expected expected;
  HotScope hot;
  const Tensor x = input();
  const Named n = hot_run(x);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool right = values(n.b) == expected.b;
    x.fill_(3);
    _exit(right && values(n.a) == expected.a ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(values(n.b), expected.b);
  EXPECT_EQ(values(n.a), expected.a);
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// While it lives the process gets no more memory from the system.
class NoMoreMemory {
 public:
  NoMoreMemory() {
    getrlimit(RLIMIT_AS, &saved_);
    int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = saved_;
    limit.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + (8 << 20));
    setrlimit(RLIMIT_AS, &limit);
  }
  ~NoMoreMemory() { setrlimit(RLIMIT_AS, &saved_); }

 private:
  rlimit saved_;
};

TEST(Recipe, ThatFindsNoMemoryWhenItIsReadStaysOne) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  const Tensor x = computed(full({1 << 24}, 0.5));
  const Named n = hot_run(x);
  trim();
  {
    const NoMoreMemory none;
    const ErrorKind kind = [&] {
      try {
        n.b.const_data_ptr();
      } catch (const Error& error) {
        return error.kind();
      }
      return ErrorKind::kValue;
    }();
    EXPECT_EQ(kind, ErrorKind::kOutOfMemory);
  }
  EXPECT_TRUE(left_out(n.b));
  EXPECT_EQ(n.b.select(0, 12345).item<float>(), run(full({1}, 0.5)).b.item<float>());
}
#endif

TEST(Recipe, MayBeReadAndDroppedByManyThreadsAtOnce) {
  const Expected expected;
  HotScope hot;
  base::mutable_flags().shadow = false;
  const auto work = [&] {
    const Tensor x = input();
    for (int i = 0; i < 300; ++i) {
      Named n = run(x);
      std::thread reader([b = n.b, i, &expected] {
        if (i % 3 != 0) {
          ASSERT_EQ(values(b), expected.b);
        }
      });
      std::thread other([a = std::move(n.a), i, &expected]() mutable {
        if (i % 5 == 0) {
          ASSERT_EQ(values(a), expected.a);
        }
        a = Tensor();
      });
      n.b = Tensor();
      if (i % 7 == 0) x.add_(0.0);
      if (i % 50 == 0) trim();
      reader.join();
      other.join();
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}

}  // namespace
}  // namespace frit
