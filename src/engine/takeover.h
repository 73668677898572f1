// Who may touch a thread's engine: its owner cheaply, another thread by taking over.
//
// The owner marks "inside" with plain stores and looks for a waiting stranger; a stranger announces
// itself, issues membarrier(PRIVATE_EXPEDITED), which makes every owner's stores visible, and waits
// until the owner is outside. So the owner pays about a nanosecond per op. Where membarrier is
// refused, and under the thread sanitizer, the owner pays a full fence instead.
#pragma once

#include "src/engine/thread_engine.h"

namespace frit::engine {

// Null before first use and when the thread is ending.
extern constinit thread_local ThreadEngine* current_engine;
ThreadEngine* make_engine();

// This thread's engine, made on first use. Null when the thread is ending.
inline ThreadEngine* this_engine() {
  ThreadEngine* engine = current_engine;
  return __builtin_expect(engine != nullptr, true) ? engine : make_engine();
}

namespace detail {
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
extern const bool has_membarrier;  // decided before any engine exists

inline void mark_inside(ThreadEngine* engine) {
  engine->busy.store(1, kSanitized ? std::memory_order_seq_cst : std::memory_order_relaxed);
  if constexpr (!kSanitized) {  // which knows no fences
    if (!has_membarrier) std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}
// Until the stranger has gone; then marks anew.
void let_stranger_pass(ThreadEngine* engine);
}  // namespace detail

// Inside its scope the owner may use its engine.
class OwnerScope {
 public:
  explicit OwnerScope(ThreadEngine* engine)
      : engine_(engine), outer_(engine->busy.load(std::memory_order_relaxed)) {
    if (outer_ != 0) return;
    detail::mark_inside(engine);
    const bool alone = engine->stranger.load(std::memory_order_seq_cst) == 0;
    if (__builtin_expect(!alone, false)) detail::let_stranger_pass(engine);
  }
  ~OwnerScope() { engine_->busy.store(outer_, std::memory_order_release); }
  OwnerScope(const OwnerScope&) = delete;

 private:
  ThreadEngine* engine_;
  int outer_;
};

// Finishes what `engine`, another thread's, has pending, for a value that this thread needs.
// Does nothing if the engine is gone by then.
void take_over(ThreadEngine* engine, const TensorImpl* needed);

// Finishes what any other thread has pending: the host is about to write to memory. Errors are left
// to those who read the values.
void finish_all_others();

// Before the host writes in place at once, beside all ops: what waits to read the memory runs, and
// this thread's path ends. The tensor is materialised.
void before_write(const TensorImpl* target);

// Waits until every other thread has been outside its engine once. Then what this thread marked
// before the call (a storage as exposed) is seen by whatever the others defer, and what they had
// deferred (their pins) is seen here.
void wait_for_owners_inside();

// Counts for no thread of the program's: what a worker could not do.
void count(capture::Reason reason);

// Sums the counters of all threads, past ones included.
void add_counters(Stats* stats);

}  // namespace frit::engine
