// Follows the registry lazily: a list is compared with it when it is used and the registry changed.
#include "src/engine/thread_plans.h"

#include <algorithm>
#include <iterator>

#include "src/base/flags.h"
#include "src/engine/plan_registry.h"
#include "src/tensor/observer.h"

namespace frit::engine {
namespace {

constexpr size_t kMaxLists = 256;      // of one root; what is forgotten is found in the registry
constexpr int64_t kEagerPerBuild = 4;  // eager this much longer than a build: always worth it
constexpr int64_t kFreeBuilds = 4, kMaxBuilds = 16;

void update(EntryList* list) {
  const auto current = PlanRegistry::get().plans(list->key);
  auto& entries = list->entries;
  const MuteScope mute;  // what a plan holds may call Frit when it goes, which is at the very end
  std::vector<std::unique_ptr<Entry>> dropped;
  dropped.reserve(entries.size());
  const auto gone = std::stable_partition(entries.begin(), entries.end(), [&](const auto& entry) {
    return std::find(current.begin(), current.end(), entry->plan) != current.end();
  });
  std::move(gone, entries.end(), std::back_inserter(dropped));
  entries.erase(gone, entries.end());
  for (const auto& plan : current) {
    const bool known = std::any_of(entries.begin(), entries.end(),
                                   [&](const auto& entry) { return entry->plan == plan; });
    if (!known) entries.insert(entries.begin(), std::make_unique<Entry>(plan));
  }
}

}  // namespace

void Entry::drop_placeholders() {
  for (TensorImpl* placeholder : placeholders)
    if (placeholder != nullptr) Tensor::adopt(placeholder);
  placeholders.clear();
}

bool RootPlans::affords_build(const Plan& from) const {
  if (base::flags().hot > 0) return true;
  return eager_ns(from) >= kEagerPerBuild * from.build_ns || credit_ns_ >= from.build_ns;
}

int64_t RootPlans::eager_ns(const Plan& plan) const {
  return eager_ns_ == 0 ? plan.eager_ns : std::min(plan.eager_ns, eager_ns_);
}

void RootPlans::note_eager(uint64_t path, int64_t ns) {
  if (pattern == nullptr || pattern->table.trace.ops.back().path != path) return;
  eager_ns_ = eager_ns_ == 0 ? ns : (eager_ns_ * 3 + std::min(ns, eager_ns_ * 4)) / 4;
}

void RootPlans::note_plan(const std::shared_ptr<Plan>& plan) {
  if (pattern == nullptr) credit_ns_ = kFreeBuilds * plan->build_ns;
  const MuteScope mute;  // the plan before it may call Frit when it goes
  const bool same_path = pattern != nullptr &&
                         pattern->table.trace.ops.back().path == plan->table.trace.ops.back().path;
  if (!same_path) eager_ns_ = 0;
  pattern = plan;
}

void RootPlans::note_run(const std::shared_ptr<Plan>& plan) {
  if (pattern != plan) note_plan(plan);
  // A run saves a part of eager's time.
  credit_ns_ = std::min(credit_ns_ + eager_ns(*plan) / 4, kMaxBuilds * plan->build_ns);
}

EntryList* RootPlans::find_list(uint64_t key) {
  auto it = by_layouts_.find(key);
  if (it == by_layouts_.end()) {
    const MuteScope mute;
    decltype(by_layouts_) dropped;
    if (by_layouts_.size() >= kMaxLists) by_layouts_.swap(dropped);
    recent_ = nullptr;
    it = by_layouts_.emplace(key, EntryList{}).first;
    it->second.key = key;
  }
  return &it->second;
}

EntryList& RootPlans::list(uint64_t root_key, const OpCall& first) {
  const uint64_t key = plan_key(root_key, first);
  if (!PlanRegistry::get().may_have(key)) {
    none_.key = key;
    return none_;
  }
  const uint64_t version = PlanRegistry::get().version();
  if (recent_ == nullptr || recent_->key != key) recent_ = find_list(key);
  if (recent_->version != version) {
    update(recent_);
    recent_->version = version;
  }
  return *recent_;
}

}  // namespace frit::engine
