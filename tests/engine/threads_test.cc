// Pending work and other threads, ends of threads, failures and modes that change in between.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "frit/frit.h"
#include "src/base/memory.h"
#include "src/runtime/scratch_pool.h"
#include "src/tensor/observer.h"
#include "tests/engine/hot_scope.h"

namespace frit {
namespace {

TEST(Threads, MayAllWriteInPlaceAtOnce) {
  HotScope hot;
  const auto work = [] {
    const Tensor x = ones({64});
    for (int i = 0; i < 3000; ++i) {
      const Tensor a = x * 2;
      const Tensor b = a + 1;
      x.fill_(1);
      if (i % 500 == 0) {
        ASSERT_EQ(values(b)[63], 3.0f);
      }
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}

TEST(Threads, MayEndWithWorkPendingThatNeedsTemporaries) {
  HotScope hot;
  for (int64_t n : {16, 256}) {
    const Tensor x = ones({n, n});
    const auto step = [&] { return matmul(softmax(matmul(x, x) * 0.001, 1) + 1, x); };
    set_jit_mode("off");
    const std::vector<float> eager = values(step());
    set_jit_mode("on");
    Tensor keep;
    std::thread worker([&] {
      for (int i = 0; i < 6; ++i) {
        keep = step();
        if (i < 5) keep.const_data_ptr<float>();
      }
    });
    worker.join();
    EXPECT_EQ(values(keep), eager);
  }
}

TEST(Threads, TurningTheJitOffFinishesWhatOthersHavePending) {
  HotScope hot;
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false, done = false;
  Tensor x = ones({64}), keep;
  std::thread worker([&] {
    for (int i = 0; i < 6; ++i) {
      keep = x * 2 + 1;
      if (i < 5) keep.const_data_ptr<float>();
    }
    std::unique_lock lock(mutex);
    ready = true;
    changed.notify_all();
    changed.wait(lock, [&] { return done; });
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  }
  set_jit_mode("off");
  x.fill_(100);
  EXPECT_EQ(values(keep)[0], 3.0f);
  set_jit_mode("on");
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  changed.notify_all();
  worker.join();
}

TEST(Threads, ThatWriteToTheirOwnTensorsLeaveOthersPlansAlone) {
  HotScope hot;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    Tensor mine = ones({16});
    for (int i = 0; !stop.load(); ++i) mine.fill_(i);
  });
  const Tensor x = ones({64});
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(values(relu(x * 2) + 1)[63], 3.0f);
  stop = true;
  writer.join();
  EXPECT_EQ(hot.reason("foreign_thread"), 0);
}

TEST(Threads, ThatWriteToWhatOthersHaveDeferredReadingWait) {
  HotScope hot;
  Tensor x = ones({64}), y;
  std::thread reader([&] {
    for (int i = 0; i < 5; ++i) {
      y = x * 2 + 1;
      if (i < 4) values(y);
    }
    std::thread writer([&] { x.fill_(100); });
    writer.join();
    EXPECT_EQ(values(y)[0], 3.0f);
  });
  reader.join();
  EXPECT_GE(hot.reason("foreign_thread"), 1);
}

TEST(Threads, ThatGoUnobservedSeeWhatOthersHavePendingAndKeepTheirOrder) {
  HotScope hot;
  const Tensor x = ones({16}), y = ones({16});
  Tensor product, written;
  std::mutex mutex;
  std::condition_variable changed;
  bool pending = false, looked = false;
  const auto wait_for = [&](const bool& what) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return what; });
  };
  const auto tell = [&](bool* what) {
    std::lock_guard lock(mutex);
    *what = true;
    changed.notify_all();
  };
  std::thread other([&] {
    const auto step = [&] {
      product = x * 2 + 1;
      y.add_(1);
    };
    for (int i = 0; i < 5; ++i) {
      step();
      values(product);
    }
    step();
    tell(&pending);
    wait_for(looked);
  });
  wait_for(pending);
  const int64_t before = hot.eager_ops();
  observed_thread.quiet = 4;
  const Tensor sum = product + y;  // pending there, and what a deferred write leaves
  x.fill_(5);
  const Tensor twice = product * 2;
  EXPECT_EQ(observed_thread.quiet, 1u);
  observed_thread.quiet = 0;
  EXPECT_EQ(hot.eager_ops(), before) << "these were observed";
  tell(&looked);
  other.join();
  EXPECT_EQ(values(sum)[15], 3.0f + 7.0f);
  EXPECT_EQ(values(twice)[15], 6.0f);
  EXPECT_EQ(values(product)[15], 3.0f);
}

TEST(Threads, MayFeedAPlanOfAnother) {
  HotScope hot;
  const Tensor x = ones({64});
  int64_t served = 0;
  for (int i = 0; i < 6; ++i) {
    Tensor made;
    std::thread producer([&] {
      for (int run = 0; run < 4; ++run) {
        made = x * 4 + 1;
        if (run < 3) values(made);
      }
      const int64_t before = hot.plan_ops();
      std::thread consumer([&] {
        for (int run = 0; run < 4; ++run) values(relu(x) - 2);
        EXPECT_EQ(values(relu(made) - 2)[0], 3.0f);
      });
      consumer.join();
      served += hot.plan_ops() - before;
    });
    producer.join();
  }
  EXPECT_GE(served, 6 * 4);
}

#if !defined(__SANITIZE_THREAD__)
// There is no memory for what a fork would have to compute.
TEST(Fork, LosesValuesThatThereIsNoMemoryForAndNothingElse) {
  HotScope hot;
  const Tensor x = ones({64});
  const auto fork_and_wait = [] {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = -1;
    waitpid(child, &status, 0);
  };
  Tensor lost;
  for (int i = 0; i < 6; ++i) {
    const Tensor a = x * 2;
    if (i == 4) {
      base::allocation_hook.store(+[] { return false; });
      fork_and_wait();
      base::allocation_hook.store(nullptr);
      lost = a;
    }
    if (i == 5) {
      EXPECT_THROW(lost.copy_(x), Error);
    }
    if (i != 4) {
      EXPECT_EQ(values(a + 1)[63], 3.0f) << i;
    }
  }
  EXPECT_THROW(values(lost), Error);
  EXPECT_GE(hot.plan_entries(), 1);
}
#endif

// The address sanitizer's allocator takes none of its locks at a fork, so that a child may wait for
// a thread it does not have.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
// The child must find every lock free and its own work done, whatever others were at.
void fork_while_others_work(const std::function<void(int)>& others) {
  std::atomic<bool> stop{false};
  const auto work = [&](int seed) {
    for (int round = seed; !stop.load(); round += 2) others(round);
  };
  std::thread first(work, 1), second(work, 2);
  const Tensor x = ones({16});
  for (int i = 0; i < 30; ++i) {
    const Tensor pending = x * 2 + 1;
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      bool right = values(pending)[15] == 3.0f;
      for (int run = 0; run < 5; ++run) right = right && values(x * 3 + 1)[15] == 4.0f;
      _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "fork " << i;
    if (status != 0) break;
    EXPECT_EQ(values(pending)[0], 3.0f);
  }
  stop = true;
  first.join();
  second.join();
}

void compile_and_run(int round) {
  const Tensor x = ones({round % 50 + 1});
  Tensor y;
  for (int i = 0; i < 4; ++i) y = relu(x * round + 1) - round;
  if (round % 3 == 0) trim();
}

TEST(Fork, MayHappenWhileOthersCompileAndHavePendingWork) {
  HotScope hot;
  fork_while_others_work(compile_and_run);
}

TEST(Fork, MayHappenWhileAWorkerBuilds) {
  HotScope hot(0);
  CompileOptions options;
  options.async = true;
  fork_while_others_work([&](int round) {
    const auto f = compile([=](const Tensor& x) { return relu(x * round + 1) - round; }, options);
    const Tensor x = ones({round % 50 + 1});
    for (int i = 0; i < 4; ++i) f(x);
    if (round % 3 == 0) trim();
  });
}

TEST(Fork, MayHappenWhileOthersRunKernelsWithoutMachineCode) {
  HotScope hot;
  base::mutable_flags().no_exec = true;
  fork_while_others_work(compile_and_run);
}

TEST(Fork, MayHappenWhileAnotherBorrowsScratchMemory) {
  runtime::ScratchPool& pool = runtime::ScratchPool::get();
  std::atomic<bool> stop{false};
  std::thread borrower([&] {
    while (!stop) runtime::ScratchPool::Loan(pool, 64);
  });
  bool served = true;
  for (int i = 0; i < 200 && served; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);
      runtime::ScratchPool::Loan(pool, 64);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    served = status == 0;
  }
  stop = true;
  borrower.join();
  EXPECT_TRUE(served) << "the lock was held in a child";
}
#endif

TEST(Plan, ThatThrowsFallsBackToEager) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  int calls = 0;
  register_backend("test_throws", [&](const BackendInput& input) -> CompiledGraph {
    return [&calls, graph = input.graph](std::span<const GraphArg> args) {
      if (++calls > 1) throw std::runtime_error("backend down");
      return interpret(graph, args);
    };
  });
  const auto fast =
      compile([](const Tensor& x) { return relu(x * 2) + 1; }, {.backend = "test_throws"});
  const Tensor x = tensor({1.0f, -2.0f});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(values(fast(x)), (std::vector<float>{3, 1}));
  EXPECT_EQ(values(x + 1)[0], 2.0f);
  EXPECT_GE(hot.reason("plan_failed"), 1);
}

TEST(Plan, RunsUnderTheRoundingModeOfItsCalls) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  const Tensor x = full({8}, 0.1f);
  float nearest = 0;
  for (int i = 0; i < 5; ++i) {
    const Tensor w = x * 1.5, y = w / 3;
    if (i == 4) std::fesetround(FE_UPWARD);
    const float got = values(y)[0];
    std::fesetround(FE_TONEAREST);
    if (i == 0) nearest = got;
    EXPECT_EQ(got, nearest) << i;
  }
}

TEST(Plan, IsLeftWhenTheRoundingModeChangesBetweenItsCalls) {
  HotScope hot;
  base::mutable_flags().shadow = false;
  const Tensor x = full({8}, 0.1f);
  const auto mixed = [&] {
    const Tensor w = x * 1.5;
    std::fesetround(FE_UPWARD);
    const Tensor y = w / 3;
    std::fesetround(FE_TONEAREST);
    return values(y)[0];
  };
  set_jit_mode("off");
  const float expected = mixed();
  set_jit_mode("on");
  for (int i = 0; i < 5; ++i) {
    const Tensor w = x * 1.5, y = w / 3;
    values(y);
  }
  EXPECT_EQ(mixed(), expected);
}

// The literal 0.1 is rounded to f32 where it is put into a kernel: at the build. A form that is
// built when another mode has been set must hold what the calls under the default mode meant.
TEST(Plan, OfAnotherLivenessIsBuiltInTheModeOfItsCalls) {
  const Tensor x = full({8}, 3.0f);
  for (const unsigned mode : {0x8040u, 0x4000u, 0x2000u}) {  // denormals are zero; up; down
    HotScope hot;
    base::mutable_flags().shadow = false;
    const auto run = [&](unsigned mode_of_read, Tensor* kept) {
      Tensor w = x * 0.1;
      const Tensor y = w * 1e-38 + w;
      if (kept != nullptr) *kept = w;
      w = Tensor();  // alive at the read only where it is kept
      const unsigned saved = __builtin_ia32_stmxcsr();
      __builtin_ia32_ldmxcsr(saved | mode_of_read);
      std::vector<float> got(8);
      std::memcpy(got.data(), y.const_data_ptr<float>(), sizeof(float) * 8);
      __builtin_ia32_ldmxcsr(saved);
      return got;
    };
    set_jit_mode("off");
    Tensor eager_kept;
    const std::vector<float> eager = run(0, &eager_kept);
    set_jit_mode("on");
    for (int i = 0; i < 4; ++i) EXPECT_EQ(run(0, nullptr), eager);
    EXPECT_GE(hot.plan_entries(), 1);
    for (int i = 0; i < 2; ++i) {
      Tensor kept;
      EXPECT_EQ(run(mode, &kept), eager) << mode;
      EXPECT_EQ(values(kept), values(eager_kept)) << mode;
    }
    EXPECT_GE(hot.plans(), 2);  // one for each liveness
  }
}

}  // namespace
}  // namespace frit
