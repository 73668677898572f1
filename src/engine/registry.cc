// The plans of all threads.
#include "src/engine/thread_engine.h"

namespace frit::engine {
namespace {

constexpr size_t kMaxPerRoot = 8;
constexpr int kMaxPlans = 2048;

}  // namespace

PlanRegistry& PlanRegistry::get() {
  static PlanRegistry* registry = new PlanRegistry;
  return *registry;
}

std::vector<std::shared_ptr<Plan>> PlanRegistry::plans(uint64_t root_key) {
  std::lock_guard lock(mutex_);
  const auto it = by_root_.find(root_key);
  return it == by_root_.end() ? std::vector<std::shared_ptr<Plan>>{} : it->second;
}

void PlanRegistry::add(uint64_t root_key, std::shared_ptr<Plan> plan, const Plan* replaces) {
  std::lock_guard lock(mutex_);
  if (count_ >= kMaxPlans) {
    by_root_.clear();  // a program of endless new plans: start over rather than grow
    count_ = 0;
  }
  auto& list = by_root_[root_key];
  for (auto& old : list) {
    if (old.get() != replaces) continue;
    old = std::move(plan);
    version_.fetch_add(1, std::memory_order_release);
    return;
  }
  if (list.size() == kMaxPerRoot) {
    list.erase(list.begin());
    --count_;
  }
  list.push_back(std::move(plan));
  ++count_;
  version_.fetch_add(1, std::memory_order_release);
}

void PlanRegistry::remove(uint64_t root_key, const Plan* plan) {
  std::lock_guard lock(mutex_);
  const auto it = by_root_.find(root_key);
  if (it == by_root_.end()) return;
  count_ -= static_cast<int>(
      std::erase_if(it->second, [&](const auto& held) { return held.get() == plan; }));
  version_.fetch_add(1, std::memory_order_release);
}

std::vector<std::shared_ptr<Plan>> PlanRegistry::all() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Plan>> plans;
  for (const auto& [key, list] : by_root_) plans.insert(plans.end(), list.begin(), list.end());
  return plans;
}

void PlanRegistry::clear() {
  std::lock_guard lock(mutex_);
  by_root_.clear();
  count_ = 0;
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace frit::engine
