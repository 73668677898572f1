// The state machine of one thread.
#include "src/engine/thread_engine.h"

#include <algorithm>
#include <new>

#include "src/base/flags.h"
#include "src/engine/environment.h"
#include "src/engine/exit_note.h"
#include "src/engine/log_events.h"
#include "src/engine/traceable.h"
#include "src/ops/index_range.h"

namespace frit::engine {

using capture::Reason;
using capture::Root;

namespace {

std::atomic<uint64_t> next_engine_id{1};

// Boundaries at which the host sees nothing: a path is cut for our own reasons.
bool is_cut(Reason reason) {
  return reason == Reason::plan_end || reason == Reason::written_memory || reason == Reason::loop ||
         reason == Reason::trace_too_long || reason == Reason::pinned_memory ||
         reason == Reason::unprofitable;
}

// Boundaries that a region's own structure makes are no graph breaks.
bool breaks_graph(Reason reason) {
  const bool limit = reason == Reason::trace_too_long || reason == Reason::pinned_memory;
  return reason != Reason::region_begin && reason != Reason::region_end &&
         (limit || !is_cut(reason));
}

}  // namespace

ThreadEngine::ThreadEngine() { recorder_.set_id(next_engine_id.fetch_add(1)); }

ThreadEngine::~ThreadEngine() = default;

void ThreadEngine::set_state(State state) {
  state_ = state;
  pending_flag_.store(state != State::kObserve, std::memory_order_relaxed);
}

// Whether the tensor was made or written in the current run, so that it waits when the run is hot.
bool ThreadEngine::touches_run(const TensorImpl* t) const {
  return recorder_.made_here(t) || recorder_.wrote(t) ||
         (t->storage != nullptr &&
          t->storage->deferred_write.load(std::memory_order_relaxed) == this);
}

bool ThreadEngine::touches_run(const OpCall& call) const {
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() && touches_run(operand.tensor)) return true;
  return false;
}

// Indices that are made in the run are pending when a plan follows it, so that nobody can tell at
// the call whether they are in range.
bool ThreadEngine::makes_its_indices(const OpCall& call) const {
  if (!goes_by_indices(call.op) || recorder_.at_anchor()) return false;
  for (const Operand& operand : index_operands(call))
    if (operand.is_tensor() && touches_run(operand.tensor)) return true;
  return false;
}

// There is no memory to note what goes on: the calls so far are computed, and the path ends.
void ThreadEngine::give_up() {
  counters_.count(Reason::no_memory);
  if (state_ != State::kObserve) {
    const int num_ops = pending_.cursor();
    entry_->variant = nullptr;  // what its run rests on may be noted in part
    replay_or_drop(num_ops);
    recorder_.skip_births(num_ops);
    release_pending();
  }
  const MuteScope mute;  // a plan that goes may call Frit
  pending_.clear();
  drop_pattern();
  recorder_.abandon();
  recorder_.observed();
}

// What each matched call goes through; follow_otherwise() is for those that do not match.
inline void ThreadEngine::after_match(const OpCall& call) {
  if (pending_.by_pattern()) note_pattern_path(call);
  const bool complete = pending_.complete();
  if (complete) {
    set_state(State::kEnded);
    stopwatch_.pause();
  }
  const bool look = complete || pending_.cursor() % 16 == 0;
  if (look && pending_.pins_too_much()) boundary(Reason::pinned_memory);
}

inline bool ThreadEngine::follow(const OpCall& call, Tensor* results) {
  Mismatch mismatch{!replaying_ && same_mode(pending_.table()->environment),
                    replaying_ ? Reason::no_memory : Reason::environment,
                    {}};
  if (mismatch.in_mode &&
      pending_.match(call, results, &mismatch.reason, &mismatch.change.scalar)) {
    after_match(call);
    return true;
  }
  return follow_otherwise(call, results, mismatch);
}

// The plan that has ended goes on as another one, or runs.
bool ThreadEngine::go_on_or_finish(const OpCall& call, Tensor* results) {
  const bool goes_on = !replaying_ && same_mode(pending_.table()->environment);
  if (goes_on && try_switch(call, results)) return true;
  for (const Operand& operand : call.operands)
    if (operand.is_tensor()) note_read(operand.tensor);
  boundary(Reason::plan_end);
  // Before the write is deferred: from then on the memory is not what recipes are made from.
  if (call.op == Op::store) compute_recipes_made_from(call.operands[0].tensor->storage);
  return false;
}

bool ThreadEngine::before_op(const OpCall& call, Tensor* results) {
  skip_note_ = false;
  try {
    if (state_ == State::kFollow && follow(call, results)) return true;
    return before_unfollowed(call, results);
  } catch (const std::bad_alloc&) {
    give_up();
    return false;
  }
}

inline bool ThreadEngine::before_unfollowed(const OpCall& call, Tensor* results) {
  if (state_ == State::kEnded && go_on_or_finish(call, results)) return true;
  if (!recorder_.at_anchor() && recorder_.num_ops() == 0)
    recorder_.abandon();  // its first op threw
  Traceability kind = traceability(call);
  if (kind == Traceability::kTraceable && makes_its_indices(call)) kind = Traceability::kEager;
  if (kind != Traceability::kTraceable) {
    const bool in_run = !recorder_.at_anchor() && touches_run(call);
    if (kind == Traceability::kWrites || in_run)
      boundary(kind == Traceability::kExposed ? Reason::exposed_operand : Reason::untraceable_op);
    skip_note_ = true;
    return false;
  }
  if (stopwatch_.is(Stopwatch::Of::kEager)) stopwatch_.stop();  // its last call threw
  if (stopwatch_.is(Stopwatch::Of::kEagerDone)) boundary(Reason::plan_end);
  if (!recorder_.at_anchor() && recorder_.loop_begins()) boundary(Reason::loop);
  if (!recorder_.at_anchor() && recorder_.reads_unknown(call)) boundary(Reason::written_memory);
  if (recorder_.at_anchor() && try_enter(call, results)) return true;
  recorder_.op_begins();
  return false;
}

bool ThreadEngine::follow_otherwise(const OpCall& call, Tensor* results, Mismatch mismatch) {
  auto& [in_mode, reason, change] = mismatch;
  // What cannot be deferred but reads nothing pending runs beside the plan, which goes on after it.
  const Traceability kind = traceability(call);
  const bool apart = kind != Traceability::kTraceable && kind != Traceability::kWrites;
  if (apart && !replaying_ && !touches_run(call)) {
    skip_note_ = true;
    return false;
  }
  if (in_mode && kind == Traceability::kTraceable) {
    if (try_switch(call, results)) return true;
    if (reason == Reason::other_attributes && pending_.only_moves(call))
      change.moved_op = pending_.cursor();
    const bool other_form = reason == Reason::other_layout || reason == Reason::other_attributes;
    const bool widens =
        change && !is_static() && !entry_->plan->cannot_generalise.load(std::memory_order_relaxed);
    if (other_form && !widens && try_pattern(call, results)) return true;
  }
  note_exit(*entry_->plan, pending_, &call, reason, Reason{});
  side_exit(reason, change);
  return false;
}

// By pattern.
void ThreadEngine::note_pattern_path(const OpCall& call) {
  const int number = pending_.cursor() - 1;
  const uint64_t before = number == 0 ? 0 : pending_.table()->trace.ops[number - 1].path;
  pending_.set_path(recorder_.extend(before, call, number));
}

bool ThreadEngine::try_enter(const OpCall& call, Tensor* results) {
  Root* root = recorder_.anchor(call, boundary_, region_id());
  if (root->plans == nullptr) root->plans = std::make_shared<RootPlans>();
  RootPlans& plans = *static_cast<RootPlans*>(root->plans.get());
  entry_root_ = root;
  entry_list_ = &plans.list(root->key, call);
  bool other_form = entry_list_->entries.empty();
  if (enter_entry(call, results, &other_form)) return true;
  if (stopwatch_.is(Stopwatch::Of::kEager)) return false;
  if (other_form && enter_pattern(call, results)) return true;
  recorder_.begin(root, !calls_.empty());
  run_environment_ = environment_word();
  if (recorder_.recording()) {
    ThreadCounters::add(counters_.recordings);
    log_recording_begins(call);
  }
  return false;
}

// Tries the plans for the first call's layouts, the one used last first. Sets `*other_form` where
// one is for other sizes.
bool ThreadEngine::enter_entry(const OpCall& call, Tensor* results, bool* other_form) {
  auto& entries = entry_list_->entries;
  plans_rest_ = false;
  stopwatch_.stop();  // of a run that an exception ended
  if (entries.empty()) return false;
  const uint64_t environment = environment_word();
  Entry* resting = nullptr;  // the first that does
  Plan* narrow = nullptr;    // a plan that only this kept from serving
  Change change;
  for (size_t i = 0; i < entries.size(); ++i) {
    Entry* entry = entries[i].get();
    if (entry->plan->table.environment != environment) continue;
    stopwatch_.stop();
    const Worth::Way way = entry->worth.next_way(entry->plan->eager_ns);
    if (way == Worth::Way::kCompare) return begin_quiet_run(*entry, call);
    if (way == Worth::Way::kRest && resting == nullptr) resting = entry;
    if (way == Worth::Way::kRest || way == Worth::Way::kObservedRest) {
      plans_rest_ = true;
      continue;
    }
    if (way == Worth::Way::kTimedPlan) stopwatch_.start(Stopwatch::Of::kPlan);
    pending_.begin(&entry->plan->table, &entry->placeholders, this, recorder_.begin_births());
    Reason reason{};
    Change kept;
    if (!pending_.match(call, results, &reason, &kept.scalar)) {
      if (reason == Reason::other_attributes && pending_.only_moves(call)) kept.moved_op = 0;
      if (kept) narrow = entry->plan.get(), change = kept;
      *other_form |= reason == Reason::other_attributes && !kept;
      continue;
    }
    if (!reserve(*entry)) {
      for (int r = 0; r < info(call.op).results; ++r) results[r] = Tensor();
      break;
    }
    if (i > 0) {
      const auto used = entries.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(entries.begin(), used, used + 1);
    }
    now_follow(entry, call);
    return true;
  }
  if (resting != nullptr) return begin_quiet_run(*resting, call);
  pending_.clear();
  if (narrow != nullptr) generalise(*entry_root_, *narrow, change);
  return false;
}

// Follows the root's last plan by pattern.
bool ThreadEngine::enter_pattern(const OpCall& call, Tensor* results) {
  RootPlans& plans = *static_cast<RootPlans*>(entry_root_->plans.get());
  if (is_static() || plans.pattern == nullptr ||
      plans.pattern->table.environment != environment_word() ||
      !plans.affords_build(*plans.pattern))
    return false;
  pattern_entry_.plan = plans.pattern;
  pending_.begin(&plans.pattern->table, &pattern_entry_.placeholders, this,
                 recorder_.begin_births());
  Reason reason{};
  int scalar = -1;
  if (pending_.follow_pattern(&pattern_entry_.placeholders) &&
      pending_.match(call, results, &reason, &scalar)) {
    now_follow(&pattern_entry_, call);
    return true;
  }
  pending_.clear();
  drop_pattern();
  return false;
}

bool ThreadEngine::try_switch(const OpCall& call, Tensor* results) {
  for (auto& candidate : entry_list_->entries) {
    const bool longer =
        pending_.cursor() < static_cast<int>(candidate->plan->table.trace.ops.size());
    if (candidate.get() == entry_ || !longer || !pending_.agrees(candidate->plan->table)) continue;
    const capture::MatchTable* before = pending_.table();
    pending_.switch_to(&candidate->plan->table, &candidate->placeholders);
    Reason reason{};
    int scalar = -1;
    if (pending_.match(call, results, &reason, &scalar)) {
      drop_reserved();  // it is for the plan that is left
      reserve(*candidate);
      now_follow(candidate.get(), call);
      drop_pattern();
      return true;
    }
    pending_.switch_to(before, &entry_->placeholders);
  }
  return false;
}

// The calls end where those of another plan do, which is then complete.
bool ThreadEngine::try_end() {
  if (replaying_ || !same_mode(pending_.table()->environment)) return false;
  for (auto& candidate : entry_list_->entries) {
    const bool as_long =
        pending_.cursor() == static_cast<int>(candidate->plan->table.trace.ops.size());
    if (candidate.get() == entry_ || !as_long || !pending_.agrees(candidate->plan->table)) continue;
    pending_.switch_to(&candidate->plan->table, &candidate->placeholders);
    drop_reserved();
    entry_ = candidate.get();
    set_state(State::kEnded);
    drop_pattern();
    return true;
  }
  return false;
}

// What does not match by its layouts or attributes alone goes on by pattern.
bool ThreadEngine::try_pattern(const OpCall& call, Tensor* results) {
  const RootPlans& plans = *static_cast<RootPlans*>(entry_root_->plans.get());
  if (is_static() || pending_.by_pattern() || !plans.affords_build(*entry_->plan)) return false;
  const capture::MatchTable* before = pending_.table();
  if (!pending_.follow_pattern(&pattern_entry_.placeholders)) return false;
  Reason reason{};
  int scalar = -1;
  if (pending_.match(call, results, &reason, &scalar)) {
    drop_reserved();  // it is for other sizes
    pattern_entry_.plan = entry_->plan;
    now_follow(&pattern_entry_, call);
    return true;
  }
  pending_.switch_to(before, &entry_->placeholders);
  return false;
}

// What is followed by pattern no more is held by its root or its list, or by the caller.
void ThreadEngine::drop_pattern() {
  pattern_entry_.drop_placeholders();
  pattern_entry_.frames.clear();
  pattern_entry_.plan.reset();
}

// A call has matched the entry's plan.
void ThreadEngine::now_follow(Entry* entry, const OpCall& call) {
  entry_ = entry;
  stopwatch_.resume();  // where it is a longer plan than the one that has ended
  recorder_.plan_begins();
  set_state(State::kFollow);
  after_match(call);
}

void ThreadEngine::side_exit(Reason reason, const Change& change) {
  const std::shared_ptr<Plan> held = entry_->plan;
  Plan& plan = *held;
  const int cursor = pending_.cursor();
  counters_.count(reason);
  ThreadCounters::add(counters_.exits);
  plan.exits.fetch_add(1, std::memory_order_relaxed);
  entry_->worth.note_exit();
  replay_or_drop(cursor);
  recorder_.resume(entry_root_, pending_);
  run_environment_ = pending_.table()->environment;
  const bool by_pattern = entry_ == &pattern_entry_;
  const bool builds = change && !by_pattern;
  Examples seen = builds ? examples() : Examples();
  release_pending();
  drop_pattern();
  if (builds) generalise(*entry_root_, plan, change, std::move(seen));
}

void ThreadEngine::after_op(const OpCall& call, Tensor* results) {
  ThreadCounters::add(counters_.eager_ops);
  if (stopwatch_.is(Stopwatch::Of::kEager)) return end_quiet_run();  // a write, or the only call
  if (skip_note_) {
    skip_note_ = false;
    return;
  }
  if (recorder_.at_anchor()) return;  // a boundary came while the op ran
  bool noted = false;
  try {
    noted = recorder_.note(call, results);
  } catch (const std::bad_alloc&) {
    return give_up();
  }
  if (!noted) boundary(Reason::trace_too_long);
  if (pace_.note_ops()) end_window();
}

namespace {

uint64_t kinds_of(const capture::Trace& trace) {
  uint64_t kinds = 0;
  for (const capture::TraceOp& op : trace.ops)
    kinds = ObservedThread::add_kind(kinds, static_cast<uint64_t>(op.op));
  return kinds;
}

}  // namespace

// The call runs, and those after it as far as the plan goes, as if there were no engine.
bool ThreadEngine::begin_quiet_run(const Entry& entry, const OpCall& call) {
  pending_.clear();
  observed_thread.kinds = 0;
  observed_thread.quiet = static_cast<uint32_t>(entry.plan->table.trace.ops.size());
  observed_thread.skip(static_cast<uint64_t>(call.op));
  stopwatch_.start(Stopwatch::Of::kEager);
  return false;
}

// As many calls as a plan has have run: were they the plan's? What comes next is at an anchor, as
// after the plan.
void ThreadEngine::end_quiet_run() {
  if (!stopwatch_.is(Stopwatch::Of::kEager)) return;
  const uint64_t ticks = stopwatch_.ticks();
  Entry* timed = nullptr;
  bool several = false;
  for (const auto& entry : entry_list_->entries) {
    if (kinds_of(entry->plan->table.trace) != observed_thread.kinds) continue;
    several = timed != nullptr;
    if (timed == nullptr) timed = entry.get();
  }
  stopwatch_.stop();
  if (timed == nullptr) return;
  // Plans of the same ops on other sizes cannot be told apart.
  if (!several) timed->worth.note_eager_time(ticks);
  stopwatch_.eager_is_done();
  recorder_.plan_begins();
  if (!timed->worth.rests()) return;
  const auto ops = static_cast<int>(timed->plan->table.trace.ops.size());
  recorder_.note_op_time(ticks, ops);
  pace_.note_path(true);
  if (pace_.note_ops(static_cast<uint32_t>(ops))) end_window();
}

void ThreadEngine::end_quiet() {
  observed_thread.quiet = 0;
  stopwatch_.stop();
}

// With FRIT_HOT everything is to happen the same way each time; who compiles a function wants to
// see what becomes of it.
void ThreadEngine::end_window() {
  const uint32_t quiet = pace_.end_window(recorder_.take_op_ns());
  const bool may_rest = base::flags().hot == 0 && base::flags().jit == JitMode::kOn;
  if (quiet == 0 || !may_rest || !calls_.empty() || state_ != State::kObserve) return;
  boundary(Reason::unprofitable);
  observed_thread.quiet = quiet;
}

void ThreadEngine::boundary(Reason reason) {
  if (computing()) return;  // a backend that touches what its own plan is to compute
  if (stopwatch_.is_of_eager()) end_quiet();
  try {
    end_run(reason);
  } catch (const std::bad_alloc&) {
    give_up();
  }
  counters_.count(reason);
  if (!is_cut(reason)) recorder_.observed();
  // What follows a cut begins in the same way, whatever the cut was for.
  boundary_ = is_cut(reason) ? Reason::plan_end : reason;
  if (calls_.empty() || !breaks_graph(reason)) return;
  RegionCall& call = calls_.back();
  call.region->breaks[static_cast<int>(reason)].fetch_add(1, std::memory_order_relaxed);
  if (!call.first_break) call.first_break = reason;
}

// What is pending is finished, and the path ends.
void ThreadEngine::end_run(Reason reason) {
  if (state_ == State::kEnded || (state_ == State::kFollow && try_end())) return finish();
  if (state_ == State::kFollow) {
    note_exit(*entry_->plan, pending_, nullptr, Reason::early_end, reason);
    side_exit(Reason::early_end, {});
  }
  if (!recorder_.at_anchor()) end_path();
}

void ThreadEngine::value_observed(const TensorImpl* tensor) {
  const bool running = state_ != State::kObserve || !recorder_.at_anchor();
  const bool by_eager = stopwatch_.is(Stopwatch::Of::kEagerDone) && tensor->birth == 0;
  if (by_eager || (running && touches_run(tensor))) boundary(Reason::value_read);
}

void ThreadEngine::forget() {
  if (computing()) return;  // called by a backend
  boundary(Reason::environment);
  boundary_ = Reason{};  // as on a new thread
  pace_ = Pace();
  end_quiet();
  recorder_.clear();
}

void ThreadEngine::enter_region(detail::Region* region) {
  end_quiet();
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
