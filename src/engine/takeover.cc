// The biased lock around each thread's engine, and the list of all engines.
#include "src/engine/takeover.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "src/contraction/pack_cache.h"
#include "src/runtime/executor.h"

namespace frit::engine {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

bool register_membarrier() {
  return !kSanitized &&
         syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
// Decided before any engine exists.
const bool has_membarrier = register_membarrier();

struct Engines {
  // Held while a trace is taken over, and by a thread that ends: never by a thread inside its
  // engine.
  std::mutex taking_over;
  std::mutex mutex;  // of what follows; held for moments, nothing is called under it
  std::vector<ThreadEngine*> live;
  ThreadCounters past;
};
Engines& engines() {
  static Engines* engines = new Engines;
  return *engines;
}

void add(const ThreadCounters& from, ThreadCounters* to) {
  const auto sum = [](const std::atomic<int64_t>& f, std::atomic<int64_t>& t) {
    ThreadCounters::add(t, f.load(std::memory_order_relaxed));
  };
  sum(from.eager_ops, to->eager_ops);
  sum(from.plan_ops, to->plan_ops);
  sum(from.plan_entries, to->plan_entries);
  sum(from.recordings, to->recordings);
  sum(from.exits, to->exits);
  for (int i = 0; i < capture::kNumReasons; ++i) sum(from.reasons[i], to->reasons[i]);
}

constinit thread_local ThreadEngine* current __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local bool ended __attribute__((tls_model("initial-exec"))) = false;

// Lives until its thread ends; then finishes what is pending and takes the engine off the list.
struct EngineHolder {
  ThreadEngine engine;
  EngineHolder() {
    // First, so that it is there until this is gone.
    contraction::prepare_thread();
    current = &engine;
    std::lock_guard lock(engines().mutex);
    engines().live.push_back(&engine);
  }
  ~EngineHolder() {
    try {
      OwnerScope scope(&engine);
      engine.boundary(capture::Reason::thread_end);
    } catch (...) {
      // Out of memory at the very end of a thread: whoever holds the values gets the error when
      // reading them.
    }
    runtime::release_arena();
    std::lock_guard waiting(engines().taking_over);
    std::lock_guard lock(engines().mutex);
    std::erase(engines().live, &engine);
    add(engine.counters(), &engines().past);
    current = nullptr;
    ended = true;
  }
};

void make_engine() { thread_local EngineHolder holder; }

// A child process has only the thread that forked; the engines of the others are gone with their
// threads.
void keep_only_this_thread() {
  new (&engines().taking_over) std::mutex;
  new (&engines().mutex) std::mutex;
  engines().live.clear();
  if (current != nullptr) engines().live.push_back(current);
}
const int registered_fork = pthread_atfork(
    [] {
      if (current != nullptr) {
        OwnerScope scope(current);
        current->boundary(capture::Reason::storage_exposed);
      }
      finish_all_others();
    },
    nullptr, keep_only_this_thread);

void enter_as_stranger(ThreadEngine* engine) {
  engine->stranger.store(1, std::memory_order_seq_cst);
  if (has_membarrier) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  while (engine->busy.load(std::memory_order_acquire) != 0) sched_yield();
}

void finish_as_stranger(ThreadEngine* engine) {
  enter_as_stranger(engine);
  struct Leave {
    ThreadEngine* engine;
    ~Leave() { engine->stranger.store(0, std::memory_order_release); }
  } leave{engine};
  engine->boundary(capture::Reason::foreign_thread);
}

}  // namespace

ThreadEngine* this_engine() {
  if (__builtin_expect(current == nullptr && !ended, false)) make_engine();
  return current;
}

OwnerScope::OwnerScope(ThreadEngine* engine)
    : engine_(engine), nested_(engine->busy.load(std::memory_order_relaxed) != 0) {
  if (nested_) return;
  for (;;) {
    engine->busy.store(1, kSanitized ? std::memory_order_seq_cst : std::memory_order_relaxed);
    if (!has_membarrier) std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (__builtin_expect(engine->stranger.load(std::memory_order_acquire) == 0, true)) return;
    engine->busy.store(0, std::memory_order_release);
    while (engine->stranger.load(std::memory_order_acquire) != 0) sched_yield();
  }
}

void take_over(ThreadEngine* engine) {
  Engines& all = engines();
  std::lock_guard taking_over(all.taking_over);
  {
    std::lock_guard lock(all.mutex);
    if (std::find(all.live.begin(), all.live.end(), engine) == all.live.end()) return;
  }
  finish_as_stranger(engine);
}

void finish_all_others() {
  Engines& all = engines();
  std::vector<ThreadEngine*> pending;
  {
    std::lock_guard lock(all.mutex);
    for (ThreadEngine* engine : all.live)
      if (engine != current && engine->has_pending()) pending.push_back(engine);
  }
  for (ThreadEngine* engine : pending) take_over(engine);
}

void add_counters(Stats* stats) {
  ThreadCounters sum;
  Engines& all = engines();
  {
    std::lock_guard lock(all.mutex);
    add(all.past, &sum);
    for (ThreadEngine* engine : all.live) add(engine->counters(), &sum);
  }
  stats->eager_ops = sum.eager_ops;
  stats->plan_ops = sum.plan_ops;
  stats->plan_entries = sum.plan_entries;
  stats->recordings = sum.recordings;
  stats->exits = sum.exits;
  for (int i = 0; i < capture::kNumReasons; ++i)
    if (sum.reasons[i] != 0)
      stats->reasons[std::string(capture::info(static_cast<capture::Reason>(i)).name)] +=
          sum.reasons[i];
}

}  // namespace frit::engine
