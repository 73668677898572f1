// Splits the work of one op over threads.
//
//   parallel_for(n, 16384, [&](int64_t begin, int64_t end) { ... });
//
// The caller takes part. Ranges are claimed as threads become free, so `fn` must give the same
// result for any split. Workers sleep between calls, run under the caller's MXCSR, and start with
// the first call that needs them. A nested call, and one made while another thread's call runs,
// stays on its own thread. The first exception that `fn` throws is thrown to the caller when all
// ranges have ended.
#pragma once

#include <cstdint>

#include "src/base/function_ref.h"

namespace frit::base {

// What a host implements to lend its own threads.
class ThreadPool {
 public:
  virtual ~ThreadPool() = default;
  // How many tasks can run at once, the caller's included.
  virtual int num_threads() = 0;
  // Runs task(0) ... task(count - 1), each once, in any order on any threads, and returns when all
  // have ended. Tasks do not throw and do not wait for each other.
  virtual void run(int count, FunctionRef<void(int)> task) = 0;
};

// Lends a host's pool; null goes back to Frit's own. Does not own. Not while other threads run ops.
void set_thread_pool(ThreadPool* pool);

// Threads for one op: the flag `threads`, or one per core that this process may use.
int num_threads();
// Sets the flag; 0 means one per core. Not while other threads run ops.
void set_num_threads(int count);

// Calls fn on ranges that cover [0, n), each at least `grain` long but for the last.
void parallel_for_slow(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> fn);

template <class F>
void parallel_for(int64_t n, int64_t grain, F&& fn) {
  if (n <= 0) return;
  if (n <= grain) return fn(int64_t{0}, n);
  parallel_for_slow(n, grain, fn);
}

}  // namespace frit::base
