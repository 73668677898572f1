// Lists of plans, the most recently used first.
#include "src/engine/plan_registry.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/base/hash.h"

namespace frit::engine {
namespace {

constexpr size_t kMaxPerKey = 8;
constexpr int kMaxPlans = 2048;
constexpr uint64_t kStale = 64;  // changes of the registry that an unused list lives through

uint64_t add_layout(uint64_t key, const Layout* layout) {
  return base::combine(key, reinterpret_cast<uint64_t>(layout));
}

}  // namespace

uint64_t plan_key(uint64_t root_key, const OpCall& first) {
  uint64_t key = root_key;
  for (const Operand& operand : first.operands)
    if (operand.is_tensor()) key = add_layout(key, operand.tensor->layout);
  return key;
}

uint64_t plan_key(uint64_t root_key, const capture::Trace& trace) {
  uint64_t key = root_key;
  for (capture::ValueRef ref : trace.operands_of(trace.ops[0]))
    if (ref.kind() == capture::ValueRef::Kind::kExternal)
      key = add_layout(key, trace.externals[ref.index()]);
  return key;
}

uint64_t layouts_key(uint64_t root_key, const capture::Trace& trace) {
  uint64_t key = base::combine(root_key, trace.ops.back().path);
  for (size_t i = 0; i < trace.num_externals(); ++i) key = add_layout(key, trace.externals[i]);
  return key;
}

PlanRegistry& PlanRegistry::get() {
  static PlanRegistry* registry = new PlanRegistry;
  return *registry;
}

PlanRegistry::List& PlanRegistry::list_of(uint64_t key) {
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second);
  } else {
    std::list<List> made;
    made.push_front({key, {}, 0});
    by_key_.emplace(key, made.begin());
    recent_.splice(recent_.begin(), made);
  }
  recent_.front().used_at = version();
  return recent_.front();
}

// Who looks while the set is filled anew may miss plans, once.
void PlanRegistry::note_key(uint64_t key) {
  if (keys_.put(key)) return;
  keys_.clear();
  for (const List& list : recent_)
    if (!list.plans.empty()) keys_.put(list.key);
  keys_.put(key);
}

std::vector<std::shared_ptr<Plan>> PlanRegistry::plans(uint64_t key) {
  std::lock_guard lock(mutex_);
  return by_key_.contains(key) ? list_of(key).plans : std::vector<std::shared_ptr<Plan>>{};
}

void PlanRegistry::add(uint64_t key, std::shared_ptr<Plan> plan, const Plan* replaces) {
  std::shared_ptr<Plan> old_one;  // destroyed when the lock is free
  std::list<List> dropped;
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Plan>>& list = list_of(key).plans;
  list.reserve(list.size() + 1);  // from here on nothing fails
  note_key(key);
  version_.fetch_add(1, std::memory_order_release);
  for (auto& old : list) {
    if (old.get() != replaces) continue;
    old_one = std::exchange(old, std::move(plan));
    return;
  }
  if (list.size() == kMaxPerKey) {
    old_one = std::move(list.front());
    list.erase(list.begin());
    --count_;
  }
  list.push_back(std::move(plan));
  for (++count_; count_ > kMaxPlans;) {
    count_ -= static_cast<int>(recent_.back().plans.size());
    by_key_.erase(recent_.back().key);
    dropped.splice(dropped.begin(), recent_, std::prev(recent_.end()));
  }
}

void PlanRegistry::remove(uint64_t key, const Plan* plan) {
  std::shared_ptr<Plan> dropped;  // destroyed when the lock is free
  std::lock_guard lock(mutex_);
  if (!by_key_.contains(key)) return;
  std::vector<std::shared_ptr<Plan>>& list = list_of(key).plans;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& held) { return held.get() == plan; });
  if (found == list.end()) return;
  dropped = std::move(*found);
  list.erase(found);
  --count_;
  version_.fetch_add(1, std::memory_order_release);
}

bool PlanRegistry::drop_stale() {
  std::list<List> dropped;  // destroyed when the lock is free
  std::lock_guard lock(mutex_);
  while (!recent_.empty() && recent_.back().used_at + kStale < version()) {
    count_ -= static_cast<int>(recent_.back().plans.size());
    by_key_.erase(recent_.back().key);
    dropped.splice(dropped.begin(), recent_, std::prev(recent_.end()));
  }
  if (!dropped.empty()) version_.fetch_add(1, std::memory_order_release);
  return !dropped.empty();
}

std::vector<std::shared_ptr<Plan>> PlanRegistry::all() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Plan>> plans;
  for (auto list = recent_.rbegin(); list != recent_.rend(); ++list)
    plans.insert(plans.end(), list->plans.begin(), list->plans.end());
  return plans;
}

void PlanRegistry::clear() {
  std::list<List> dropped;  // destroyed when the lock is free
  std::lock_guard lock(mutex_);
  by_key_.clear();
  dropped.swap(recent_);
  keys_.clear();
  count_ = 0;
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace frit::engine
