// The end of what is pending: the plan runs, or its calls are replayed.
#include <algorithm>

#include "src/base/check.h"
#include "src/base/flags.h"
#include "src/base/memory.h"
#include "src/base/profiler.h"
#include "src/eager/dispatch.h"
#include "src/engine/build.h"
#include "src/engine/commit.h"
#include "src/engine/environment.h"
#include "src/engine/log_events.h"
#include "src/engine/plan_inputs.h"
#include "src/engine/plan_registry.h"
#include "src/engine/shadow.h"
#include "src/engine/thread_engine.h"
#include "src/ops/custom.h"

namespace frit::engine {

using capture::Reason;
using capture::Trace;
using capture::ValueRef;

// Runs the first calls of the pending trace eagerly, into the tensors that were handed out.
void ThreadEngine::replay(int num_ops) {
  if (computed_ops_ == num_ops) return;
  const ComputingScope computing(this);  // a call that reads what one before it wrote
  MuteScope mute;
  EnvironmentScope environment(pending_.table()->environment);
  const Trace& trace = pending_.table()->trace;
  const std::vector<int> last_uses = capture::last_uses(trace, num_ops);
  const int first = computed_ops_;
  while (computed_ops_ < num_ops) {
    const int number = computed_ops_;
    replay_op(number);
    computed_ops_ = number + 1;
    drop_dead(trace.operands_of(trace.ops[number]), last_uses, number);
  }
  ThreadCounters::add(counters_.eager_ops, num_ops - first);
}

void ThreadEngine::replay_op(int number) {
  const Trace& trace = pending_.table()->trace;
  const capture::TraceOp& op = trace.ops[number];
  std::vector<TensorImpl*>& slots = pending_.placeholders();
  const std::vector<Operand> operands =
      capture::operands_in_run(trace, op, pending_.externals(), pending_.scalars(),
                               [&](size_t slot) { return Operand(slots[slot]); });
  Tensor results[kMaxResults];
  const DefaultDeviceScope device(capture::device_of(trace, op));
  run_eager({op.op, operands, Attrs(pending_.attrs_of(op))}, results);
  for (int r = 0; r < op.num_results; ++r) {
    TensorImpl* slot = slots[op.first_slot + r];
    const TensorImpl* made = results[r].impl();
    custom::check_made(op.op, *slot->layout, *made->layout);
    retain(made->storage);
    attach(slot, made->storage, made->offset);
    slot->owner.store(nullptr, std::memory_order_release);
  }
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
// next run. Nothing is pending from here on.
void ThreadEngine::release_pending() {
  std::vector<TensorImpl*>& slots = pending_.placeholders();
  const int count = pending_.num_slots();
  for (int s = 0; s < count; ++s) {
    if (slots[s] == nullptr || slots[s]->storage == nullptr) continue;
    Tensor::adopt(slots[s]);
    slots[s] = nullptr;
  }
  pending_.clear();
  stopwatch_.stop();
  drop_reserved();
  set_state(State::kObserve);
  computed_ops_ = 0;
  replaying_ = false;
  entry_ = nullptr;
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

namespace {

// Whether the form makes all that is wanted.
bool serves(const Variant& variant, const std::vector<bool>& wanted) {
  for (size_t s = 0; s < wanted.size(); ++s)
    if (wanted[s] && !variant.produced[s]) return false;
  return true;
}

}  // namespace

// The variant that stores the least of those that serve; a new one where none serves, or where they
// all store what is alive and not expected to be read.
Variant* ThreadEngine::variant_for(Plan& plan, const Entry& entry) {
  const std::vector<bool> wanted = slots_to_store(plan, entry);
  const auto stores_unread = [&](const Variant& v) {
    for (size_t s = 0; s < wanted.size(); ++s)
      if (v.produced[s] && !wanted[s] && entry.is_alive(s)) return true;
    return false;
  };
  Variant* best = nullptr;
  for (auto& slot : plan.variants) {
    Variant* variant = slot.load(std::memory_order_acquire);
    if (variant == nullptr) break;
    if (!serves(*variant, wanted)) continue;
    if (best == nullptr || variant->captured.outputs().size() < best->captured.outputs().size())
      best = variant;
  }
  if (best == nullptr) counters_.count(Reason::liveness);
  if (best != nullptr && (!stores_unread(*best) || !plan.may_store_less())) return best;
  Variant* added = add_variant(plan, wanted, examples());
  if (added != nullptr || best == nullptr) return added;
  plan.cannot_store_less.store(true, std::memory_order_relaxed);
  return best;
}

// The calls that a plan was followed by pattern with have a plan of their own from before, or get
// one.
Variant* ThreadEngine::variant_for_pattern() {
  const MuteScope mute;  // a plan that goes may call Frit
  auto trace = std::make_unique<Trace>(pending_.table()->trace);
  trace->scalars.assign(pending_.scalars().begin(), pending_.scalars().end());
  for (size_t s = 0; s < trace->slots.size(); ++s) trace->alive[s] = entry_->is_alive(s);
  const uint64_t key = layouts_key(entry_root_->key, *trace);
  std::shared_ptr<Plan> plan = plan_for(key, *trace);
  const bool known = plan != nullptr;
  if (!known) plan = build_for_pattern(std::move(trace));
  if (plan == nullptr) return nullptr;
  entry_->plan = std::move(plan);
  // What the plan takes as views that move was matched by where it lies.
  pending_.switch_to(&entry_->plan->table, &entry_->placeholders);
  if (!known) return entry_->plan->variants[0].load(std::memory_order_acquire);
  Variant* variant = variant_for(*entry_->plan, *entry_);
  if (variant == nullptr) PlanRegistry::get().remove(key, entry_->plan.get());
  return variant;
}

Examples ThreadEngine::examples() const {
  return wants_examples(entry_->plan->backend) ? examples_of(pending_.externals()) : Examples();
}

std::shared_ptr<Plan> ThreadEngine::build_for_pattern(std::unique_ptr<Trace> trace) {
  const Plan& pattern = *entry_->plan;
  const uint64_t key = plan_key(entry_root_->key, *trace);
  const uint64_t own_key = layouts_key(entry_root_->key, *trace);
  BuildRequest request = new_request(region());
  request.trace = std::move(trace);
  if (entry_->room) request.habits = pattern.learnt->habits();
  request.varying = pattern.varying;
  for (size_t i = 0; i < request.varying.size(); ++i)
    if (pattern.table.guarded[i] && !pending_.table()->guarded[i]) request.varying[i] = true;
  request.moving = capture::moving_ops(pattern.table.trace);
  request.eager_ns = pattern.eager_ns;
  request.like = &pattern;
  request.examples = examples();
  Reason reason{};
  std::shared_ptr<Plan> plan = build_plan(std::move(request), &reason);
  RootPlans& plans = *static_cast<RootPlans*>(entry_root_->plans.get());
  plans.note_build(plan != nullptr ? *plan : pattern);
  if (plan == nullptr) {
    counters_.count(reason);
    return nullptr;
  }
  PlanRegistry::get().add(key, plan, nullptr);
  PlanRegistry::get().add(own_key, plan, nullptr);
  return plan;
}

void ThreadEngine::run_variant(const Variant& variant) {
  Frame* frame = entry_->recipes.empty() ? nullptr : entry_->frames.take(recipe_budget_);
  if (frame != nullptr) frame->reserve(pending_.placeholders().size());
  scalars_.clear();
  for (int s : variant.scalar_of_input) scalars_.push_back(pending_.scalars()[s]);
  std::vector<StorageRef>& outputs = reserved_.variant == &variant ? reserved_.outputs : outputs_;
  outputs.resize(variant.captured.outputs().size());
  const PlanInputs inputs(pending_, pending_.externals());
  {
    MuteScope mute;
    variant.executable->run(inputs.impls(), scalars_, outputs);
    if (!variant.commits.empty())
      CommitScope(variant.commits, inputs.impls(), outputs, pending_.scalars()).run();
  }
  const std::vector<TensorImpl*>& slots = pending_.placeholders();
  for (size_t s = 0; s < slots.size(); ++s) {
    if (slots[s]->refs.count() == 1) continue;
    const capture::PlanMemory& place = variant.places[s];
    const int64_t offset = place.offset / byte_size(slots[s]->layout->dtype);
    if (place.output < 0 && place.external < 0) {
      FRIT_CHECK(frame != nullptr) << "slot " << s << " is alive and was not produced";
      continue;
    }
    if (place.output >= 0) {
      Storage* storage = outputs[place.output].get();
      retain(storage);
      attach(slots[s], storage, offset);
    } else {
      const TensorImpl* base = inputs.impls()[place.external];
      retain(base->storage);
      attach(slots[s], base->storage, base->offset + offset);
    }
    slots[s]->owner.store(nullptr, std::memory_order_release);
  }
  for (StorageRef& output : outputs) output.reset();
  if (frame != nullptr) leave_recipes(frame);
}

// False when it failed: a backend threw, or there was no memory. Then nothing has been computed.
bool ThreadEngine::run_plan(Plan& plan, const Variant& variant) {
  std::unique_ptr<base::ProfileEvent> event;
  if (base::profiling()) event = begin_plan_event(plan);
  custom_failure_ = nullptr;
  const custom::FailureScope failure(&custom_failure_);
  try {
    if (base::flags().shadow) shadow_check(plan, variant, pending_);
    run_variant(variant);
    computed_ops_ = static_cast<int>(plan.table.trace.ops.size());
  } catch (...) {
    outputs_.clear();
    counters_.count(Reason::plan_failed);
    return false;
  }
  ThreadCounters::add(counters_.plan_ops, static_cast<int64_t>(plan.table.trace.ops.size()));
  ThreadCounters::add(counters_.plan_entries);
  pace_.note_plan();
  plan.entries.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// Memory for the form of the plan that served last, or for its first one. False when there is none:
// the calls are then left to eager, which throws where it needs it.
bool ThreadEngine::reserve(const Entry& entry) {
  const Variant* variant = entry.variant;
  if (variant == nullptr) variant = entry.plan->variants[0].load(std::memory_order_acquire);
  try {
    reserved_.outputs.resize(variant->captured.outputs().size());
    variant->executable->reserve(reserved_.outputs);
    reserved_.entry = &entry;
    reserved_.variant = variant;
    return true;
  } catch (const Error&) {
  } catch (const std::bad_alloc&) {
  }
  drop_reserved();
  counters_.count(Reason::no_memory);
  return false;
}

// Where there is no memory for another form of the plan: by the one that has its memory, if that
// is of the plan that the calls have ended as, and serves as well.
bool ThreadEngine::run_reserved() {
  const Variant* variant = std::exchange(reserved_.variant, nullptr);
  if (variant == nullptr || reserved_.entry != entry_ || variant == entry_->variant ||
      !serves(*variant, slots_to_store(*entry_->plan, *entry_)))
    return false;
  entry_->variant = nullptr;  // what follows is not for the next run
  sort_living(entry_, *variant);
  reserved_.variant = variant;
  return run_plan(*entry_->plan, *variant);
}

void ThreadEngine::drop_reserved() {
  for (StorageRef& output : reserved_.outputs) output.reset();
  reserved_.variant = nullptr;
}

// Replays. If there is no memory for that, what has not been computed stays pending; if it fails
// otherwise, that is lost.
void ThreadEngine::replay_or_drop(int num_ops) {
  stopwatch_.stop();
  drop_reserved();
  replaying_ = true;
  try {
    replay(num_ops);
  } catch (const std::bad_alloc&) {
    base::throw_out_of_memory("deferred calls");
  } catch (const Error& error) {
    custom_failure_ = nullptr;
    if (error.kind() != ErrorKind::kOutOfMemory) drop_pending();
    throw;
  } catch (...) {
    custom_failure_ = nullptr;
    drop_pending();
    throw;
  }
}

void ThreadEngine::drop_pending() {
  if (state_ == State::kObserve) return;
  recorder_.skip_births(pending_.cursor());
  for (TensorImpl*& slot : pending_.placeholders()) {
    if (slot == nullptr) continue;
    Tensor::adopt(slot);
    slot = nullptr;
  }
  release_pending();
}

void ThreadEngine::finish() {
  stopwatch_.resume();
  const ComputingScope computing(this);
  // Plans are built and run, and calls replayed, under the mode that the calls were made in.
  const EnvironmentScope environment(pending_.table()->environment);
  const bool by_pattern = pending_.by_pattern();
  const int num_ops = static_cast<int>(pending_.table()->trace.ops.size());
  if (replaying_) {
    replay_or_drop(num_ops);
  } else {
    compute_pending(by_pattern, num_ops);
  }
  release_pending();
  {
    const MuteScope mute;  // a plan that goes may call Frit
    drop_pattern();
  }
  recorder_.skip_births(num_ops);
  // What a registered op has thrown in the plan, and not when it was called again: Ctrl-C, say.
  if (custom_failure_ != nullptr) std::rethrow_exception(std::exchange(custom_failure_, nullptr));
}

namespace {

// What a run with a plan costs over one without it outside of the stopwatch's time: finding the
// plan, and letting go of what it handed out. Measured with bench/capture_bench.
constexpr int64_t kEntryNs = 60;

}  // namespace

void ThreadEngine::note_plan_run() {
  Worth& worth = entry_->worth;
  worth.note_complete();
  if (!stopwatch_.is(Stopwatch::Of::kPlan)) return;
  if (worth.note_plan_time(stopwatch_.ticks() + capture::ticks_of(kEntryNs)))
    counters_.count(Reason::slower_than_eager);
}

// By the plan where it serves, else eagerly.
void ThreadEngine::compute_pending(bool by_pattern, int num_ops) {
  RootPlans& plans = *static_cast<RootPlans*>(entry_root_->plans.get());
  if (!by_pattern && !pending_.lies_together()) {
    counters_.count(Reason::other_aliases);
    entry_->worth.note_exit();
    return replay_or_drop(num_ops);
  }
  if (!entry_->watched.empty()) learn_from_watches();
  const bool same_slots = same_liveness(entry_), same = same_knowledge(entry_) && same_slots;
  if (by_pattern || entry_->variant == nullptr || !same) {
    entry_->variant = nullptr;  // also when what follows throws
    stopwatch_.stop();          // a build is no part of a run
    entry_->variant = by_pattern ? variant_for_pattern() : variant_for(*entry_->plan, *entry_);
    if (entry_->variant != nullptr) sort_living(entry_, *entry_->variant);
  }
  const Variant* variant = entry_->variant;
  // Bisecting: a plan that is left out is replayed, and all else goes on as if it had run.
  const bool left_out = !base::flags().plans.has(entry_->plan->id);
  bool ran = variant != nullptr && !left_out && run_plan(*entry_->plan, *variant);
  if (ran) note_plan_run();
  if (variant != nullptr && (ran || left_out)) plans.note_run(entry_->plan);
  if (!ran && !left_out && run_reserved()) ran = true;
  if (!ran) replay_or_drop(num_ops);
  if (ran && !entry_->undecided.empty() && !by_pattern) watch_undecided();
  // Its path gets hot anew, as it is by now.
  if (variant == nullptr && !by_pattern)
    PlanRegistry::get().remove(entry_list_->key, entry_->plan.get());
}

}  // namespace frit::engine
