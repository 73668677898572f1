// One detached thread that is never told to end.
#include "src/engine/build_worker.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <system_error>
#include <thread>

#include "src/base/blocking.h"
#include "src/base/fork.h"
#include "src/engine/plan_registry.h"
#include "src/engine/takeover.h"
#include "src/tensor/observer.h"

namespace frit::engine {
namespace {

constexpr size_t kMaxTasks = 64;

// Never destroyed: the thread may outlive static objects.
std::atomic<BuildWorker*> current{nullptr};

void build(uint64_t key, BuildRequest request) {
  try {
    capture::Reason reason{};
    std::shared_ptr<Plan> plan = build_plan(std::move(request), &reason);
    if (plan == nullptr) return count(reason);  // the path gets hot anew
    PlanRegistry::get().add(key, std::move(plan), nullptr);
  } catch (const std::bad_alloc&) {
    count(capture::Reason::no_memory);
  }
}

}  // namespace

BuildWorker& BuildWorker::get() {
  BuildWorker* worker = current.load(std::memory_order_acquire);
  if (worker != nullptr) return *worker;
  static const bool registered = [] {
    base::at_fork(nullptr, [] { current.store(nullptr); });
    return true;
  }();
  (void)registered;
  auto* made = new BuildWorker;
  if (current.compare_exchange_strong(worker, made)) return *made;
  delete made;
  return *worker;
}

bool BuildWorker::add(uint64_t key, BuildRequest request) {
  const uint64_t path = request.trace->ops.back().path;
  std::lock_guard lock(mutex_);
  const bool waits = std::any_of(tasks_.begin(), tasks_.end(), [&](const Task& task) {
    return task.key == key && task.path == path;
  });
  if (waits) return true;
  if (tasks_.size() >= kMaxTasks || !start()) return false;
  tasks_.push_back({key, path, std::move(request)});
  wake_.notify_one();
  return true;
}

bool BuildWorker::start() {
  if (started_) return true;
  try {
    std::thread([this] { work(); }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  return started_ = true;
}

void BuildWorker::work() {
  const MuteScope mute;  // a plan that goes may call Frit
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return !tasks_.empty(); });
    Task& task = tasks_.front();  // stays where it is while others are added
    BuildRequest request = std::move(task.request);
    const uint64_t key = task.key;
    lock.unlock();
    {
      const std::lock_guard build_lock(building_);
      build(key, std::move(request));
    }
    lock.lock();
    tasks_.pop_front();
    if (tasks_.empty()) idle_.notify_all();
  }
}

void BuildWorker::wait() {
  base::BlockingScope blocking;  // also while the lock is let go
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return tasks_.empty(); });
}

}  // namespace frit::engine
