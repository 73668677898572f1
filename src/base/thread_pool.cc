// Frit's own pool: one job at a time, workers asleep on a condition variable between jobs.
#include "src/base/thread_pool.h"

#include <sched.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "src/base/flags.h"
#include "src/base/fork.h"

namespace frit::base {
namespace {

constexpr unsigned kMxcsrControl = 0xffc0;  // without the sticky exception flags
constexpr int64_t kRangesPerThread = 4;     // evens out threads of unequal speed

// Whether this thread is inside a parallel_for, as caller or worker.
constinit thread_local bool in_job = false;

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Never destroyed: its workers may outlive static objects.
class OwnPool : public ThreadPool {
 public:
  int num_threads() override { return base::num_threads(); }

  void run(int count, FunctionRef<void(int)> task) override {
    std::unique_lock lock(mutex_);
    start_workers(count - 1);
    task_ = &task;
    next_ = 0;
    count_ = count;
    wake_.notify_all();
    work(lock);
    done_.wait(lock, [&] { return active_ == 0; });
    task_ = nullptr;
  }

 private:
  // Where no more threads may start (a limit of the system), fewer workers share the tasks.
  void start_workers(int wanted) {
    try {
      for (; workers_ < wanted; ++workers_) std::thread([this] { worker(); }).detach();
    } catch (const std::system_error&) {
    }
  }

  void worker() {
    in_job = true;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return task_ != nullptr && next_ < count_; });
      work(lock);
      if (active_ == 0) done_.notify_one();
    }
  }

  // Takes tasks until none is left. The lock is held on entry and on return.
  void work(std::unique_lock<std::mutex>& lock) {
    ++active_;
    while (next_ < count_) {
      const int index = next_++;
      const FunctionRef<void(int)>* task = task_;
      lock.unlock();
      (*task)(index);
      lock.lock();
    }
    --active_;
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const FunctionRef<void(int)>* task_ = nullptr;
  int next_ = 0, count_ = 0, active_ = 0, workers_ = 0;
};

std::atomic<OwnPool*> own_pool{nullptr};
std::atomic<ThreadPool*> host_pool{nullptr};
std::atomic_flag busy = ATOMIC_FLAG_INIT;

ThreadPool& current_pool() {
  if (ThreadPool* host = host_pool.load(std::memory_order_acquire)) return *host;
  OwnPool* pool = own_pool.load(std::memory_order_acquire);
  if (pool == nullptr) {
    // Only the holder of `busy` comes here.
    pool = new OwnPool;
    own_pool.store(pool, std::memory_order_release);
    static const bool registered = [] {
      // The child of a fork has none of the workers, and perhaps a locked mutex: it starts afresh.
      at_fork(nullptr, [] {
        own_pool.store(nullptr);
        busy.clear();
      });
      return true;
    }();
    (void)registered;
  }
  return *pool;
}

// Marks the thread as inside a job, and frees the pool at the end.
class JobScope {
 public:
  JobScope() { in_job = true; }
  ~JobScope() {
    in_job = false;
    busy.clear(std::memory_order_release);
  }
};

// What the tasks of one parallel_for share.
struct Job {
  int64_t n, range;
  FunctionRef<void(int64_t, int64_t)> fn;
  unsigned mxcsr;
  std::atomic<int64_t> next{0};
  std::mutex mutex{};
  std::exception_ptr error{};

  void run_ranges() {
    for (;;) {
      const int64_t begin = next.fetch_add(range, std::memory_order_relaxed);
      if (begin >= n) return;
      fn(begin, std::min(n, begin + range));
    }
  }

  void run() noexcept {
    const unsigned before = _mm_getcsr();
    const bool was_in_job = in_job;
    in_job = true;
    _mm_setcsr(mxcsr);
    try {
      run_ranges();
    } catch (...) {
      next.store(n, std::memory_order_relaxed);
      std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
    _mm_setcsr(before);
    in_job = was_in_job;
  }
};

}  // namespace

void set_thread_pool(ThreadPool* pool) { host_pool.store(pool, std::memory_order_release); }

int num_threads() {
  static const int cores = usable_cores();
  const int wanted = flags().threads;
  return wanted > 0 ? wanted : cores;
}

void set_num_threads(int count) { mutable_flags().threads = count; }

void parallel_for_slow(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> fn) {
  grain = std::max<int64_t>(grain, 1);
  if (in_job || num_threads() == 1 || busy.test_and_set(std::memory_order_acquire)) return fn(0, n);
  JobScope scope;
  ThreadPool& pool = current_pool();
  const int64_t threads = std::min<int64_t>(pool.num_threads(), (n + grain - 1) / grain);
  if (threads <= 1) return fn(0, n);
  const int64_t even = (n + threads * kRangesPerThread - 1) / (threads * kRangesPerThread);
  Job job{n, std::max(grain, even), fn, _mm_getcsr() & kMxcsrControl};
  pool.run(static_cast<int>(threads), [&](int) { job.run(); });
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace frit::base
