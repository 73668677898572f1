// The state machine of one thread.
#include "src/engine/thread_engine.h"

#include <xmmintrin.h>

#include <algorithm>
#include <cstdio>

#include "src/base/check.h"
#include "src/base/flags.h"
#include "src/eager/dispatch.h"
#include "src/engine/backends.h"
#include "src/engine/build.h"
#include "src/engine/shadow.h"
#include "src/engine/traceable.h"

namespace frit::engine {

using capture::PathEnd;
using capture::Reason;
using capture::Root;
using capture::Trace;
using capture::ValueRef;

namespace {

std::atomic<uint64_t> next_engine_id{1};

constexpr uint32_t kStickyFlags = 0x3f;  // of MXCSR: exceptions that have occurred
constexpr size_t kMaxEntries = 8;        // plans of one root that a thread tries

// The environment of the calls, while a plan runs or calls are replayed for them.
class EnvironmentScope {
 public:
  explicit EnvironmentScope(uint64_t environment)
      : saved_(_mm_getcsr()),
        differs_(((saved_ ^ static_cast<uint32_t>(environment)) & ~kStickyFlags) != 0) {
    if (differs_)
      _mm_setcsr((saved_ & kStickyFlags) | (static_cast<uint32_t>(environment) & ~kStickyFlags));
  }
  ~EnvironmentScope() {
    if (differs_) _mm_setcsr((saved_ & ~kStickyFlags) | (_mm_getcsr() & kStickyFlags));
  }
  EnvironmentScope(const EnvironmentScope&) = delete;

 private:
  uint32_t saved_;
  bool differs_;
};

// Boundaries that a region's own structure makes are no graph breaks.
bool breaks_graph(Reason reason) {
  return reason != Reason::region_begin && reason != Reason::region_end &&
         reason != Reason::plan_end;
}

uint64_t mxcsr_mode() { return _mm_getcsr() & ~kStickyFlags; }

}  // namespace

uint64_t environment_word() {
  return mxcsr_mode() | static_cast<uint64_t>(base::isa()) << 32 |
         static_cast<uint64_t>(base::flags().threads & 0xfff) << 36 |
         static_cast<uint64_t>(backend_generation() & 0xffff) << 48;
}

ThreadEngine::Entry::~Entry() {
  for (TensorImpl* placeholder : placeholders)
    if (placeholder != nullptr) Tensor::adopt(placeholder);
}

ThreadEngine::ThreadEngine() { recorder_.set_id(next_engine_id.fetch_add(1)); }

ThreadEngine::~ThreadEngine() = default;

void ThreadEngine::set_state(State state) {
  state_ = state;
  pending_flag_.store(state != State::kObserve, std::memory_order_relaxed);
}

// Whether an operand was made in the current run, so that it is pending when the run is hot.
bool ThreadEngine::touches_run(const OpCall& call) const {
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() && recorder_.made_here(operand.tensor)) return true;
  return false;
}

bool ThreadEngine::before_op(const OpCall& call, Tensor* results) {
  skip_note_ = false;
  if (state_ == State::kFollow && follow(call, results)) return true;
  if (state_ == State::kEnded) {
    const bool same_mode = mxcsr_mode() == static_cast<uint32_t>(pending_.table()->environment);
    if (same_mode && try_switch(call, results)) return true;
    boundary(Reason::plan_end);
  }
  if (!recorder_.at_anchor() && recorder_.num_ops() == 0)
    recorder_.abandon();  // its first op threw
  const Traceability kind = traceability(call);
  if (kind != Traceability::kTraceable) {
    const bool in_run = !recorder_.at_anchor() && touches_run(call);
    if (kind == Traceability::kWrites || in_run)
      boundary(kind == Traceability::kExposed ? Reason::exposed_operand : Reason::untraceable_op);
    skip_note_ = true;
    return false;
  }
  if (!recorder_.at_anchor() || state_ != State::kObserve) return false;
  return try_enter(call, results);
}

bool ThreadEngine::follow(const OpCall& call, Tensor* results) {
  Reason reason = Reason::environment;
  int scalar = -1;
  const bool same_mode = mxcsr_mode() == static_cast<uint32_t>(pending_.table()->environment);
  if (same_mode && pending_.match(call, results, &reason, &scalar)) {
    after_match();
    return true;
  }
  // What cannot be deferred but reads nothing pending runs beside the plan, which goes on after it.
  const Traceability kind = traceability(call);
  if (kind != Traceability::kTraceable && kind != Traceability::kWrites && !touches_run(call)) {
    skip_note_ = true;
    return false;
  }
  if (same_mode && kind == Traceability::kTraceable && try_switch(call, results)) return true;
  side_exit(reason, scalar);
  return false;
}

void ThreadEngine::after_match() {
  if (pending_.complete()) set_state(State::kEnded);
}

ThreadEngine::RootPlans& ThreadEngine::plans_of(Root& root) {
  if (root.plans == nullptr) root.plans = std::make_shared<RootPlans>();
  RootPlans& plans = *static_cast<RootPlans*>(root.plans.get());
  PlanRegistry& registry = PlanRegistry::get();
  const uint64_t version = registry.version();
  if (plans.version == version) return plans;
  plans.version = version;
  const auto current = registry.plans(root.key);
  // Nothing is pending at an anchor, so entries may go.
  std::erase_if(plans.entries, [&](const auto& entry) {
    return std::find(current.begin(), current.end(), entry->plan) == current.end();
  });
  for (const auto& plan : current) {
    const bool known = std::any_of(plans.entries.begin(), plans.entries.end(),
                                   [&](const auto& entry) { return entry->plan == plan; });
    if (known) continue;
    auto entry = std::make_unique<Entry>();
    entry->plan = plan;
    plans.entries.insert(plans.entries.begin(), std::move(entry));
  }
  if (plans.entries.size() > kMaxEntries) plans.entries.resize(kMaxEntries);
  return plans;
}

bool ThreadEngine::try_enter(const OpCall& call, Tensor* results) {
  Root* root = recorder_.anchor(call, boundary_, region_id());
  RootPlans& plans = plans_of(*root);
  if (!plans.entries.empty()) {
    const uint64_t environment = environment_word();
    std::pair<Plan*, int> narrow{nullptr,
                                 -1};  // a plan that only a scalar's value kept from serving
    for (size_t i = 0; i < plans.entries.size(); ++i) {
      Entry* entry = plans.entries[i].get();
      if (entry->plan->table.environment != environment) continue;
      pending_.begin(&entry->plan->table, &entry->placeholders, this, recorder_.begin_births());
      Reason reason{};
      int scalar = -1;
      if (!pending_.match(call, results, &reason, &scalar)) {
        if (reason == Reason::other_scalar) narrow = {entry->plan.get(), scalar};
        continue;
      }
      const auto used = plans.entries.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(plans.entries.begin(), used, used + 1);
      entry_ = entry;
      entry_root_ = root;
      set_state(State::kFollow);
      after_match();
      return true;
    }
    pending_.clear();
    if (narrow.first != nullptr) generalise(*root, *narrow.first, narrow.second);
  }
  recorder_.begin(root, !calls_.empty());
  run_environment_ = environment_word();
  if (recorder_.recording()) ThreadCounters::add(counters_.recordings);
  return false;
}

bool ThreadEngine::try_switch(const OpCall& call, Tensor* results) {
  RootPlans& plans = *static_cast<RootPlans*>(entry_root_->plans.get());
  for (auto& candidate : plans.entries) {
    if (candidate.get() == entry_ || !pending_.agrees(candidate->plan->table)) continue;
    const capture::MatchTable* before = pending_.table();
    pending_.switch_to(&candidate->plan->table, &candidate->placeholders);
    Reason reason{};
    int scalar = -1;
    if (pending_.match(call, results, &reason, &scalar)) {
      entry_ = candidate.get();
      set_state(State::kFollow);
      after_match();
      return true;
    }
    pending_.switch_to(before, &entry_->placeholders);
  }
  return false;
}

void ThreadEngine::side_exit(Reason reason, int scalar) {
  Plan& plan = *entry_->plan;
  const int cursor = pending_.cursor();
  counters_.count(reason);
  ThreadCounters::add(counters_.exits);
  plan.exits.fetch_add(1, std::memory_order_relaxed);
  plan.last_exit_op.store(cursor, std::memory_order_relaxed);
  plan.last_exit.store(reason, std::memory_order_relaxed);
  if (base::flags().log >= 1)
    std::fprintf(stderr, "exit plan=%lu op=%d reason=%s\n", static_cast<unsigned long>(plan.id),
                 cursor, std::string(capture::info(reason).name).c_str());
  replay_or_drop(cursor);
  set_state(State::kObserve);
  recorder_.resume(entry_root_, pending_);
  run_environment_ = pending_.table()->environment;
  release_pending();
  if (reason == Reason::other_scalar) generalise(*entry_root_, plan, scalar);
  entry_ = nullptr;
}

// Runs the first calls of the pending trace eagerly, into the tensors that were handed out.
void ThreadEngine::replay(int num_ops) {
  MuteScope mute;
  EnvironmentScope environment(pending_.table()->environment);
  const Trace& trace = pending_.table()->trace;
  const std::vector<TensorImpl*>& slots = pending_.placeholders();
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
  }
  ThreadCounters::add(counters_.eager_ops, num_ops);
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

void ThreadEngine::run_variant(const Variant& variant) {
  scalars_.clear();
  for (int s : variant.scalar_of_input) scalars_.push_back(pending_.scalars()[s]);
  outputs_.resize(variant.output_slots.size());
  {
    MuteScope mute;
    EnvironmentScope environment(pending_.table()->environment);
    variant.executable->run(pending_.externals(), scalars_, outputs_);
  }
  const std::vector<TensorImpl*>& slots = pending_.placeholders();
  for (size_t s = 0; s < slots.size(); ++s) {
    if (slots[s]->refs.count() == 1) continue;
    const SlotPlace& place = variant.places[s];
    if (place.output >= 0) {
      Storage* storage = outputs_[place.output].get();
      retain(storage);
      attach(slots[s], storage, place.offset);
    } else {
      FRIT_CHECK(place.external >= 0) << "slot " << s << " is alive and was not produced";
      const TensorImpl* base = pending_.externals()[place.external];
      retain(base->storage);
      attach(slots[s], base->storage, base->offset + place.offset);
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
  struct Finishing {
    bool& flag;
    explicit Finishing(bool* f) : flag(*f) { flag = true; }
    ~Finishing() { flag = false; }
  } finishing(&finishing_);
  Plan& plan = *entry_->plan;
  const int num_ops = static_cast<int>(plan.table.trace.ops.size());
  const bool same = same_liveness(entry_);
  if (entry_->variant == nullptr || !same) entry_->variant = variant_for(plan, entry_->alive);
  const Variant* variant = entry_->variant;
  if (variant == nullptr || !run_plan(plan, *variant)) replay_or_drop(num_ops);
  // Its path gets hot anew, as it is by now.
  if (variant == nullptr) PlanRegistry::get().remove(entry_root_->key, &plan);
  release_pending();
  recorder_.skip_births(num_ops);
  set_state(State::kObserve);
  entry_ = nullptr;
}

void ThreadEngine::after_op(const OpCall& call, Tensor* results) {
  ThreadCounters::add(counters_.eager_ops);
  if (skip_note_) {
    skip_note_ = false;
    return;
  }
  if (recorder_.at_anchor()) return;  // a boundary came while the op ran
  if (!recorder_.note(call, results)) boundary(Reason::trace_too_long);
}

void ThreadEngine::boundary(Reason reason) {
  if (finishing_) return;  // a backend that touches what its own plan is to compute
  if (state_ == State::kEnded) {
    finish();
  } else {
    if (state_ == State::kFollow) side_exit(Reason::early_end, -1);
    if (!recorder_.at_anchor()) end_path();
  }
  counters_.count(reason);
  boundary_ = reason;
  if (calls_.empty() || !breaks_graph(reason)) return;
  RegionCall& call = calls_.back();
  call.region->breaks[static_cast<int>(reason)].fetch_add(1, std::memory_order_relaxed);
  if (!call.first_break) call.first_break = reason;
}

void ThreadEngine::value_observed(const TensorImpl* tensor) {
  const bool running = state_ != State::kObserve || !recorder_.at_anchor();
  if (running && recorder_.made_here(tensor)) boundary(Reason::value_read);
}

void ThreadEngine::end_path() {
  if (recorder_.num_ops() == 0) return recorder_.abandon();
  PathEnd end = recorder_.end();
  if (end.differs) counters_.count(Reason::recordings_differ);
  if (end.second == nullptr) return;
  // Ops that ran under different rounding modes are no one plan.
  const bool one_mode = run_environment_ == environment_word();
  if (one_mode && base::flags().jit == JitMode::kOn) return build(end);
  capture::Recorder::failed(end.root, end.path);
}

// A trace that a plan should have served but for what guards do not see (memory that was exposed
// for a while).
bool ThreadEngine::has_plan_for(const Root& root, const Trace& trace) const {
  for (const auto& plan : PlanRegistry::get().plans(root.key)) {
    bool serves = plan->table.environment == environment_word() &&
                  capture::same_path(plan->table.trace, trace);
    for (size_t i = 0; serves && i < trace.scalars.size(); ++i)
      serves = !plan->table.guarded[i] || plan->table.trace.scalars[i].identical(trace.scalars[i]);
    if (serves) return true;
  }
  return false;
}

void ThreadEngine::build(PathEnd& end) {
  BuildRequest request;
  request.trace = std::move(end.second);
  request.varying.resize(request.trace->scalars.size());
  for (size_t i = 0; i < request.varying.size(); ++i)
    request.varying[i] =
        end.first != nullptr && !end.first->scalars[i].identical(request.trace->scalars[i]);
  request.region = region();
  Reason reason = Reason::plan_exists;
  std::shared_ptr<Plan> plan;
  if (!has_plan_for(*end.root, *request.trace)) plan = build_plan(std::move(request), &reason);
  if (plan == nullptr) {
    counters_.count(reason);
    capture::Recorder::failed(end.root, end.path);
    return;
  }
  capture::Recorder::succeeded(end.root, end.path);
  PlanRegistry::get().add(end.root->key, std::move(plan), nullptr);
}

// A scalar that was taken for constant has changed: the plan is built again with it as an argument.
// After the second time all scalars are arguments but those that the plan's form depends on.
void ThreadEngine::generalise(const Root& root, Plan& plan, int scalar) {
  if (plan.varying[scalar]) return;  // the form depends on it: another plan for another value
  if (plan.cannot_generalise.load(std::memory_order_relaxed)) return;
  BuildRequest request;
  request.trace = std::make_unique<Trace>(plan.table.trace);
  request.varying = plan.varying;
  const bool again =
      std::find(plan.varying.begin(), plan.varying.end(), true) != plan.varying.end();
  if (again) {
    request.varying.assign(plan.varying.size(), true);
  } else {
    request.varying[scalar] = true;
  }
  request.region = region();
  Reason reason{};
  std::shared_ptr<Plan> wider = build_plan(std::move(request), &reason);
  if (wider == nullptr) {
    counters_.count(reason);
    plan.cannot_generalise.store(true, std::memory_order_relaxed);
    return;
  }
  PlanRegistry::get().add(root.key, std::move(wider), &plan);
}

void ThreadEngine::forget() {
  boundary(Reason::environment);
  boundary_ = Reason{};  // as on a new thread
  recorder_.clear();
}

void ThreadEngine::enter_region(detail::Region* region) {
  boundary(Reason::region_begin);
  calls_.push_back({region, {}});
}

std::optional<Reason> ThreadEngine::leave_region(bool failed) {
  struct Leave {  // also when finishing throws
    ThreadEngine* engine;
    ~Leave() {
      engine->boundary_ = Reason::region_end;
      engine->calls_.pop_back();
    }
  } leave{this};
  if (!failed || state_ != State::kObserve) boundary(Reason::region_end);
  if (failed) recorder_.abandon();
  return calls_.back().first_break;
}

}  // namespace frit::engine
