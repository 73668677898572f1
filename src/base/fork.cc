// One pair of handlers for all locks and all that has to be made ready for a child.
#include "src/base/fork.h"

#include <pthread.h>

#include <iterator>
#include <vector>

namespace frit::base {
namespace {

constexpr int kLevels = static_cast<int>(ForkLevel::kProfile) + 1;

struct Registered {
  std::mutex mutex;  // of the lists
  std::vector<ForkMutex*> locks[kLevels];
  std::vector<void (*)()> before, in_child;
};

void before_fork();
void after_fork();
void in_child();

Registered& registered() {
  static Registered* lists = [] {
    pthread_atfork(before_fork, after_fork, in_child);
    return new Registered;
  }();
  return *lists;
}

void before_fork() {
  Registered& all = registered();
  for (auto fn : all.before) fn();
  all.mutex.lock();
  for (auto& level : all.locks)
    for (ForkMutex* lock : level) lock->lock();
}

void after_fork() {
  Registered& all = registered();
  for (auto level = std::rbegin(all.locks); level != std::rend(all.locks); ++level)
    for (auto lock = level->rbegin(); lock != level->rend(); ++lock) (*lock)->unlock();
  all.mutex.unlock();
}

void in_child() {
  after_fork();
  for (auto fn : registered().in_child) fn();
}

}  // namespace

ForkMutex::ForkMutex(ForkLevel level) {
  Registered& all = registered();
  std::lock_guard lock(all.mutex);
  all.locks[static_cast<int>(level)].push_back(this);
}

ForkMutex::~ForkMutex() {
  Registered& all = registered();
  std::lock_guard lock(all.mutex);
  for (auto& level : all.locks) std::erase(level, this);
}

void at_fork(void (*before)(), void (*in_child)()) {
  Registered& all = registered();
  std::lock_guard lock(all.mutex);
  if (before != nullptr) all.before.push_back(before);
  if (in_child != nullptr) all.in_child.push_back(in_child);
}

}  // namespace frit::base
