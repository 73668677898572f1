// The end of what is pending: the plan runs, or its calls are replayed.
#include <algorithm>

#include "src/base/check.h"
#include "src/base/flags.h"
#include "src/eager/dispatch.h"
#include "src/engine/build.h"
#include "src/engine/commit.h"
#include "src/engine/environment.h"
#include "src/engine/plan_registry.h"
#include "src/engine/shadow.h"
#include "src/engine/thread_engine.h"

namespace frit::engine {

using capture::Reason;
using capture::Trace;
using capture::ValueRef;

// Runs the first calls of the pending trace eagerly, into the tensors that were handed out.
void ThreadEngine::replay(int num_ops) {
  const ComputingScope computing(this);  // a call that reads what one before it wrote
  MuteScope mute;
  EnvironmentScope environment(pending_.table()->environment);
  const Trace& trace = pending_.table()->trace;
  const std::vector<int> last_uses = capture::last_uses(trace, num_ops);
  std::vector<TensorImpl*>& slots = pending_.placeholders();
  for (int i = 0; i < num_ops; ++i) {
    const capture::TraceOp& op = trace.ops[i];
    std::vector<Operand> operands;
    for (ValueRef ref : trace.operands_of(op)) {
      switch (ref.kind()) {
        case ValueRef::Kind::kSlot:
          operands.emplace_back(slots[ref.index()]);
          break;
        case ValueRef::Kind::kExternal:
          operands.emplace_back(pending_.externals()[ref.index()]);
          break;
        case ValueRef::Kind::kScalar:
          operands.emplace_back(pending_.scalars()[ref.index()]);
          break;
      }
    }
    Tensor results[kMaxResults];
    run_eager({op.op, operands, Attrs(trace.attrs_of(op))}, results);
    for (int r = 0; r < op.num_results; ++r) {
      TensorImpl* slot = slots[op.first_slot + r];
      const TensorImpl* made = results[r].impl();
      FRIT_CHECK(made->layout == slot->layout)
          << name(op.op) << " gave another layout than when recorded";
      retain(made->storage);
      attach(slot, made->storage, made->offset);
      slot->owner.store(nullptr, std::memory_order_release);
    }
    drop_dead(trace.operands_of(op), last_uses, i);
  }
  ThreadCounters::add(counters_.eager_ops, num_ops);
}

// As when the program had run the calls: what it has dropped and no later call reads is freed.
void ThreadEngine::drop_dead(std::span<const ValueRef> operands, const std::vector<int>& last_uses,
                             int op) {
  std::vector<TensorImpl*>& slots = pending_.placeholders();
  for (ValueRef ref : operands) {
    if (ref.kind() != ValueRef::Kind::kSlot || last_uses[ref.index()] != op) continue;
    TensorImpl*& slot = slots[ref.index()];
    if (slot == nullptr || slot->refs.count() > 1) continue;
    Tensor::adopt(slot);
    slot = nullptr;
  }
}

// Lets go of externals, and of those placeholders that got memory; the others are ready for the
// next run.
void ThreadEngine::release_pending() {
  std::vector<TensorImpl*>& slots = pending_.placeholders();
  const int count = pending_.num_slots();
  for (int s = 0; s < count; ++s) {
    if (slots[s] == nullptr || slots[s]->storage == nullptr) continue;
    Tensor::adopt(slots[s]);
    slots[s] = nullptr;
  }
  pending_.clear();
}

bool ThreadEngine::same_liveness(Entry* entry) const {
  const std::vector<TensorImpl*>& slots = pending_.placeholders();
  const size_t count = slots.size();
  bool same = entry->alive.size() == (count + 63) / 64;
  entry->alive.resize((count + 63) / 64);
  for (size_t first = 0; first < count; first += 64) {
    uint64_t word = 0;
    const size_t last = std::min(first + 64, count);
    for (size_t s = first; s < last; ++s)
      word |= static_cast<uint64_t>(slots[s]->refs.count() > 1) << (s - first);
    same = same && entry->alive[first / 64] == word;
    entry->alive[first / 64] = word;
  }
  return same;
}

Variant* ThreadEngine::variant_for(Plan& plan, const std::vector<uint64_t>& alive) {
  std::vector<bool> slots(plan.table.trace.slots.size());
  for (size_t s = 0; s < slots.size(); ++s) slots[s] = alive[s / 64] >> (s % 64) & 1;
  const std::vector<bool> wanted = capture::roots_to_produce(plan.table.trace, slots);
  const auto serves = [&](const Variant& v) {
    for (size_t s = 0; s < wanted.size(); ++s)
      if (wanted[s] && !v.produced[s]) return false;
    return true;
  };
  for (auto& slot : plan.variants) {
    Variant* variant = slot.load(std::memory_order_acquire);
    if (variant == nullptr) break;
    if (serves(*variant)) return variant;
  }
  counters_.count(Reason::liveness);
  return add_variant(plan, wanted);
}

Variant* ThreadEngine::build_for_pattern() {
  const MuteScope mute;  // a plan that goes may call Frit
  const Plan& pattern = *entry_->plan;
  BuildRequest request;
  request.trace = std::make_unique<Trace>(pending_.table()->trace);
  Trace& trace = *request.trace;
  trace.scalars.assign(pending_.scalars().begin(), pending_.scalars().end());
  for (size_t s = 0; s < trace.slots.size(); ++s)
    trace.alive[s] = entry_->alive[s / 64] >> (s % 64) & 1;
  request.varying = pattern.varying;
  request.region = region();
  request.eager_ns = pattern.eager_ns;
  const uint64_t key = plan_key(entry_root_->key, trace);
  Reason reason{};
  std::shared_ptr<Plan> plan = build_plan(std::move(request), &reason);
  RootPlans& plans = *static_cast<RootPlans*>(entry_root_->plans.get());
  plans.note_build(plan != nullptr ? *plan : pattern);
  if (plan == nullptr) {
    counters_.count(reason);
    return nullptr;
  }
  entry_->plan = plan;
  PlanRegistry::get().add(key, plan, nullptr);
  return plan->variants[0].load(std::memory_order_acquire);
}

void ThreadEngine::run_variant(const Variant& variant) {
  scalars_.clear();
  for (int s : variant.scalar_of_input) scalars_.push_back(pending_.scalars()[s]);
  outputs_.resize(variant.captured.outputs().size());
  {
    MuteScope mute;
    variant.executable->run(pending_.externals(), scalars_, outputs_);
    if (!variant.commits.empty())
      CommitScope(variant.commits, pending_.externals(), outputs_, pending_.scalars()).run();
  }
  const std::vector<TensorImpl*>& slots = pending_.placeholders();
  for (size_t s = 0; s < slots.size(); ++s) {
    if (slots[s]->refs.count() == 1) continue;
    const capture::PlanMemory& place = variant.places[s];
    const int64_t offset = place.offset / byte_size(slots[s]->layout->dtype);
    if (place.output >= 0) {
      Storage* storage = outputs_[place.output].get();
      retain(storage);
      attach(slots[s], storage, offset);
    } else {
      FRIT_CHECK(place.external >= 0) << "slot " << s << " is alive and was not produced";
      const TensorImpl* base = pending_.externals()[place.external];
      retain(base->storage);
      attach(slots[s], base->storage, base->offset + offset);
    }
    slots[s]->owner.store(nullptr, std::memory_order_release);
  }
  for (StorageRef& output : outputs_) output.reset();
}

// False when it failed: a backend threw, or there was no memory. Then nothing has been computed.
bool ThreadEngine::run_plan(Plan& plan, const Variant& variant) {
  try {
    if (base::flags().shadow) shadow_check(plan, variant, pending_);
    run_variant(variant);
  } catch (...) {
    outputs_.clear();
    counters_.count(Reason::plan_failed);
    return false;
  }
  ThreadCounters::add(counters_.plan_ops, static_cast<int64_t>(plan.table.trace.ops.size()));
  ThreadCounters::add(counters_.plan_entries);
  plan.entries.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// Replays; if that fails as well, what is pending is lost: who reads it later gets an error.
void ThreadEngine::replay_or_drop(int num_ops) {
  try {
    replay(num_ops);
  } catch (...) {
    for (TensorImpl*& slot : pending_.placeholders()) {
      if (slot == nullptr) continue;
      Tensor::adopt(slot);
      slot = nullptr;
    }
    pending_.clear();
    recorder_.skip_births(num_ops);
    set_state(State::kObserve);
    entry_ = nullptr;
    throw;
  }
}

void ThreadEngine::finish() {
  const ComputingScope computing(this);
  // Plans are built and run, and calls replayed, under the mode that the calls were made in.
  const EnvironmentScope environment(pending_.table()->environment);
  RootPlans& plans = *static_cast<RootPlans*>(entry_root_->plans.get());
  const bool by_pattern = pending_.by_pattern();
  const int num_ops = static_cast<int>(pending_.table()->trace.ops.size());
  const bool same = same_liveness(entry_);
  if (by_pattern) {
    entry_->variant = build_for_pattern();
  } else if (entry_->variant == nullptr || !same) {
    entry_->variant = nullptr;  // also when what follows throws
    entry_->variant = variant_for(*entry_->plan, entry_->alive);
  }
  const Variant* variant = entry_->variant;
  if (variant == nullptr || !run_plan(*entry_->plan, *variant)) {
    replay_or_drop(num_ops);
  } else {
    plans.note_run(entry_->plan);
  }
  // Its path gets hot anew, as it is by now.
  if (variant == nullptr && !by_pattern)
    PlanRegistry::get().remove(entry_list_->key, entry_->plan.get());
  release_pending();
  {
    const MuteScope mute;  // a plan that goes may call Frit
    drop_pattern();
  }
  recorder_.skip_births(num_ops);
  set_state(State::kObserve);
  entry_ = nullptr;
}

}  // namespace frit::engine
