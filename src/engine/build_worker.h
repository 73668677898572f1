// BuildWorker: a thread that builds plans while calls go on eagerly.
//
// It starts with the first request. The child of a fork has none of it: its requests are forgotten,
// and their paths get hot anew.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "src/base/fork.h"
#include "src/engine/build.h"

namespace frit::engine {

class BuildWorker {
 public:
  static BuildWorker& get();

  // The plan goes to the registry's list of that key. Nothing happens where one for the same path
  // waits already. False when too many wait, or no thread can start.
  bool add(uint64_t key, BuildRequest request);
  // Until nothing is built and nothing waits.
  void wait();

 private:
  struct Task {
    uint64_t key, path;
    BuildRequest request;
  };

  bool start();
  void work();

  base::ForkMutex building_{base::ForkLevel::kReplay};  // held during a build: fork() waits for it
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<Task> tasks_;  // the first is being built
  bool started_ = false;
};

}  // namespace frit::engine
