#include "src/base/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <atomic>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace frit::base {
namespace {

class ThreadPoolTest : public testing::Test {
 protected:
  ThreadPoolTest() { set_num_threads(2); }
  ~ThreadPoolTest() override {
    set_thread_pool(nullptr);
    set_num_threads(0);
  }
};

// How often each of n elements was visited.
std::vector<int> visits(int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> counts(static_cast<size_t>(n));
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++counts[static_cast<size_t>(i)];
  });
  return {counts.begin(), counts.end()};
}

TEST_F(ThreadPoolTest, VisitsEveryElementOnce) {
  for (int64_t n : {1, 7, 100, 10007})
    for (int64_t grain : {1, 3, 64, 100000})
      EXPECT_EQ(visits(n, grain), std::vector<int>(static_cast<size_t>(n), 1))
          << n << " by " << grain;
}

TEST_F(ThreadPoolTest, DoesNothingForNoElements) {
  parallel_for(0, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST_F(ThreadPoolTest, KeepsRangesAtLeastAsLongAsTheGrain) {
  parallel_for(1000, 64,
               [](int64_t begin, int64_t end) { EXPECT_TRUE(end - begin >= 64 || end == 1000); });
}

TEST_F(ThreadPoolTest, RunsANestedCallOnItsOwnThread) {
  parallel_for(8, 1, [](int64_t, int64_t) {
    const std::thread::id outer = std::this_thread::get_id();
    parallel_for(8, 1, [&](int64_t, int64_t) { EXPECT_EQ(std::this_thread::get_id(), outer); });
  });
}

TEST_F(ThreadPoolTest, GivesWorkersTheCallersRounding) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | _MM_ROUND_UP);
  std::atomic<int> wrong = 0;
  parallel_for(64, 1, [&](int64_t, int64_t) { wrong += _MM_GET_ROUNDING_MODE() != _MM_ROUND_UP; });
  _mm_setcsr(before);
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPoolTest, ThrowsToTheCallerWhatARangeThrows) {
  auto run = [] {
    parallel_for(100, 1, [](int64_t begin, int64_t) {
      if (begin >= 50) throw std::runtime_error("range");
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(visits(100, 1), std::vector<int>(100, 1)) << "the pool is unusable afterwards";
}

TEST_F(ThreadPoolTest, ServesSeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum = 0;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        parallel_for(100, 5, [&](int64_t begin, int64_t end) { sum += end - begin; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 50 * 100);
}

// A pool that runs everything on the caller and counts.
class CountingPool : public ThreadPool {
 public:
  int num_threads() override { return 3; }
  void run(int count, FunctionRef<void(int)> task) override {
    ++runs;
    for (int i = 0; i < count; ++i) task(i);
  }
  int runs = 0;
};

TEST_F(ThreadPoolTest, UsesThePoolOfTheHost) {
  CountingPool pool;
  set_thread_pool(&pool);
  EXPECT_EQ(visits(100, 1), std::vector<int>(100, 1));
  EXPECT_EQ(pool.runs, 1);
}

// New threads get stacks that no address space holds, for a scope.
class NoNewThreadsScope {
 public:
  NoNewThreadsScope() {
    pthread_getattr_default_np(&saved_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, size_t{1} << 47);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoNewThreadsScope() {
    pthread_setattr_default_np(&saved_);
    pthread_attr_destroy(&saved_);
  }

 private:
  pthread_attr_t saved_;
};

TEST_F(ThreadPoolTest, DoesWithTheWorkersThereAreWhereNoMoreCanStart) {
  set_num_threads(40);
  {
    const NoNewThreadsScope scope;
    ASSERT_THROW(std::thread([] {}), std::system_error);
    EXPECT_EQ(visits(1000, 1), std::vector<int>(1000, 1));
  }
  EXPECT_EQ(visits(1000, 1), std::vector<int>(1000, 1));
}

TEST_F(ThreadPoolTest, StartsAfreshInTheChildOfAFork) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads";
#endif
  visits(100, 1);
  const pid_t child = fork();
  if (child == 0) _exit(visits(1000, 1) == std::vector<int>(1000, 1) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace frit::base
