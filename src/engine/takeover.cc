// The biased lock around each thread's engine, and the list of all engines.
#include "src/engine/takeover.h"
#include "src/base/fork.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "src/base/blocking.h"
#include "src/contraction/pack_cache.h"
#include "src/engine/plan_registry.h"
#include "src/runtime/executor.h"

namespace frit::engine {
namespace {

struct Engines {
  base::ForkMutex mutex{base::ForkLevel::kThreads};  // held for moments, nothing is called under it
  std::vector<std::shared_ptr<ThreadEngine>> live;
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
  sum(from.recipes, to->recipes);
  sum(from.recordings, to->recordings);
  sum(from.exits, to->exits);
  for (int i = 0; i < capture::kNumReasons; ++i) sum(from.reasons[i], to->reasons[i]);
}

constinit thread_local bool ended = false;

// Lives until its thread ends; then finishes what is pending and takes the engine off the list.
struct EngineHolder {
  std::shared_ptr<ThreadEngine> engine = std::make_shared<ThreadEngine>();
  EngineHolder() {
    // First, so that it is there until this is gone.
    contraction::prepare_thread();
    current_engine = engine.get();
    std::lock_guard lock(engines().mutex);
    engines().live.push_back(engine);
  }
  ~EngineHolder() {
    try {
      OwnerScope scope(engine.get());
      engine->boundary(capture::Reason::thread_end);
    } catch (...) {
      // Out of memory at the very end of a thread: whoever holds the values gets the error when
      // reading them.
      engine->drop_pending();
    }
    runtime::release_arena();
    // Whoever is taking over finishes first; who comes later finds that nothing is pending.
    std::lock_guard waiting(engine->taking_over);
    std::lock_guard lock(engines().mutex);
    std::erase(engines().live, engine);
    add(engine->counters(), &engines().past);
    current_engine = nullptr;
    ended = true;
  }
};

// Orders what this thread wrote before what it reads next, and every owner's "inside" mark before
// what that owner reads next.
void barrier_for_owners() {
  if (detail::has_membarrier) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

void enter_as_stranger(ThreadEngine* engine) {
  engine->stranger.store(1, std::memory_order_seq_cst);
  barrier_for_owners();
  if (engine->busy.load(std::memory_order_acquire) == 0) return;
  base::BlockingScope blocking;
  while (engine->busy.load(std::memory_order_acquire) != 0) sched_yield();
}

// The caller holds engine->taking_over. That one is recursive: a plan that this thread runs for the
// other one may need another value of it.
void finish_as_stranger(ThreadEngine* engine, const TensorImpl* needed) {
  const auto finish = [&] {
    if (needed != nullptr) engine->note_read(needed);
    engine->boundary(capture::Reason::foreign_thread);
  };
  const bool inside = engine->stranger.load(std::memory_order_relaxed) != 0;
  if (inside) return finish();
  enter_as_stranger(engine);
  struct Leave {
    ThreadEngine* engine;
    ~Leave() { engine->stranger.store(0, std::memory_order_release); }
  } leave{engine};
  finish();
}

std::vector<std::shared_ptr<ThreadEngine>> other_engines() {
  std::lock_guard lock(engines().mutex);
  std::vector<std::shared_ptr<ThreadEngine>> others;
  for (const auto& engine : engines().live)
    if (engine.get() != current_engine) others.push_back(engine);
  return others;
}

// `needed` may be null.
void take_over_held(const std::shared_ptr<ThreadEngine>& engine, const TensorImpl* needed) {
  base::lock_blocking(engine->taking_over);
  std::lock_guard taking(engine->taking_over, std::adopt_lock);
  finish_as_stranger(engine.get(), needed);
}

// A child process has only the thread that forked: the other threads' engines have finished what
// was pending and are gone, and what they held locked is made anew. Plans are left behind, since
// another thread may have been adding to one.
void keep_only_this_thread() {
  std::erase_if(engines().live, [](const auto& engine) { return engine.get() != current_engine; });
  if (current_engine != nullptr) {
    new (&current_engine->taking_over) std::recursive_mutex;
    current_engine->stranger.store(0, std::memory_order_relaxed);
    current_engine->forget();
  }
  PlanRegistry::get().clear();
}

void finish_before_fork() {
  try {
    if (current_engine != nullptr) {
      OwnerScope scope(current_engine);
      current_engine->boundary(capture::Reason::storage_exposed);
    }
  } catch (...) {
    // The values are lost; who reads them gets the error.
    current_engine->drop_pending();
  }
  finish_all_others();
}

const bool registered_fork = [] {
  base::at_fork(finish_before_fork, keep_only_this_thread);
  return true;
}();

}  // namespace

constinit thread_local ThreadEngine* current_engine = nullptr;

ThreadEngine* make_engine() {
  if (ended) return nullptr;
  thread_local EngineHolder holder;
  return current_engine;
}

const bool detail::has_membarrier =
    !kSanitized && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;

void detail::let_stranger_pass(ThreadEngine* engine) {
  while (engine->stranger.load(std::memory_order_acquire) != 0) {
    engine->busy.store(0, std::memory_order_release);
    {
      base::BlockingScope blocking;
      while (engine->stranger.load(std::memory_order_acquire) != 0) sched_yield();
    }
    mark_inside(engine);
  }
}

void take_over(ThreadEngine* engine, const TensorImpl* needed) {
  std::shared_ptr<ThreadEngine> held;
  {
    std::lock_guard lock(engines().mutex);
    for (const auto& live : engines().live)
      if (live.get() == engine) held = live;
  }
  if (held != nullptr) take_over_held(held, needed);
}

void finish_all_others() {
  for (const auto& engine : other_engines()) {
    if (!engine->has_pending()) continue;
    try {
      take_over_held(engine, nullptr);
    } catch (...) {
      // Lost on the way: who reads those values gets the error.
    }
  }
}

void wait_for_owners_inside() {
  const auto others = other_engines();
  if (others.empty()) return;
  barrier_for_owners();
  const auto inside = [](const ThreadEngine& engine) {
    return engine.busy.load(std::memory_order_acquire) != 0 && !engine.computing();
  };
  for (const auto& engine : others) {
    if (!inside(*engine)) continue;
    base::BlockingScope blocking;
    while (inside(*engine)) sched_yield();
  }
}

void count(capture::Reason reason) {
  std::lock_guard lock(engines().mutex);
  engines().past.count(reason);
}

void add_counters(Stats* stats) {
  ThreadCounters sum;
  Engines& all = engines();
  {
    std::lock_guard lock(all.mutex);
    add(all.past, &sum);
    for (const auto& engine : all.live) add(engine->counters(), &sum);
  }
  stats->eager_ops = sum.eager_ops;
  stats->plan_ops = sum.plan_ops;
  stats->plan_entries = sum.plan_entries;
  stats->recipes = sum.recipes;
  stats->recordings = sum.recordings;
  stats->exits = sum.exits;
  for (int i = 0; i < capture::kNumReasons; ++i)
    if (sum.reasons[i] != 0)
      stats->reasons[std::string(capture::info(static_cast<capture::Reason>(i)).name)] +=
          sum.reasons[i];
}

}  // namespace frit::engine
