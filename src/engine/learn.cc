// What is learnt where a path ends: plans for recordings, and wider plans for what varies.
#include <algorithm>

#include "src/base/flags.h"
#include "src/base/thread_pool.h"
#include "src/engine/build.h"
#include "src/engine/build_worker.h"
#include "src/engine/environment.h"
#include "src/engine/log_events.h"
#include "src/engine/plan_registry.h"
#include "src/engine/thread_engine.h"

namespace frit::engine {

using capture::PathEnd;
using capture::Reason;
using capture::Root;
using capture::Trace;

namespace {

// What became of the values that the first recording left alive.
std::vector<Habit> habits_seen(const std::vector<capture::SlotWatch>& watches, size_t slots) {
  std::vector<Habit> habits(slots);
  for (const auto& [slot, watch] : watches) {
    switch (watch.fate()) {
      case Fate::kLiving:
        break;
      case Fate::kRead:
        habits[static_cast<size_t>(slot)] = Habit::kIsRead;
        break;
      case Fate::kDiedUnread:
        habits[static_cast<size_t>(slot)] = Habit::kDiesUnread;
        break;
    }
  }
  return habits;
}

// Whether the trace of a plan is that of a recording, or can take its views where they lie.
bool serves_path(const Trace& planned, const Trace& recorded) {
  if (planned.moving.empty()) return capture::same_path(planned, recorded);
  if (!capture::same_pattern(capture::without_moving(planned), recorded)) return false;
  Trace moved = recorded;
  capture::set_moving(&moved, capture::moving_ops(planned));
  return capture::same_path(planned, moved);
}

// What may differ from call to call does, as far as the plan's form allows.
void take_all_as_arguments(BuildRequest* request) {
  request->varying.assign(request->varying.size(), true);
  request->moving.clear();
  for (int op = 0; op < static_cast<int>(request->trace->ops.size()); ++op)
    if (capture::may_move(*request->trace, op)) request->moving.push_back(op);
}

Examples in_memory(const std::vector<Tensor>& tensors) {
  std::vector<TensorImpl*> impls;
  for (const Tensor& t : tensors) impls.push_back(t.impl());
  return examples_of(impls);
}

// False when the plan's form depends on what has changed: another plan for another value.
bool widen(const Trace& trace, const Change& change, std::vector<bool>* varying,
           std::vector<int>* moving) {
  if (change.scalar >= 0) {
    if ((*varying)[static_cast<size_t>(change.scalar)]) return false;
    const bool again = std::find(varying->begin(), varying->end(), true) != varying->end();
    if (again) varying->assign(varying->size(), true);
    (*varying)[static_cast<size_t>(change.scalar)] = true;
    return true;
  }
  const bool again = !moving->empty();
  moving->push_back(change.moved_op);
  for (int op = 0; again && op < static_cast<int>(trace.ops.size()); ++op)
    if (capture::may_move(trace, op)) moving->push_back(op);
  std::sort(moving->begin(), moving->end());
  moving->erase(std::unique(moving->begin(), moving->end()), moving->end());
  return true;
}

}  // namespace

void ThreadEngine::end_path() {
  if (recorder_.num_ops() == 0) return recorder_.abandon();
  const bool recorded = recorder_.recording();
  PathEnd end = recorder_.end();
  if (end.run_ns > 0 && end.root->plans != nullptr)
    static_cast<RootPlans*>(end.root->plans.get())->note_eager(end.hash, end.run_ns);
  pace_.note_path(end.path == nullptr || plans_rest_);
  if (recorded && end.path != nullptr) log_recording_ends(end);
  if (end.differs) counters_.count(Reason::recordings_differ);
  if (end.second == nullptr) return;
  // Ops that ran under different rounding modes are no one plan.
  const bool one_mode = run_environment_ == environment_word();
  if (one_mode && base::flags().jit == JitMode::kOn) return build(end);
  if (!one_mode) log_abort(end.path->num_ops, Reason::environment, {});
  capture::Recorder::failed(end.root, end.path);
}

std::shared_ptr<Plan> ThreadEngine::plan_for(uint64_t key, const Trace& trace) const {
  for (auto& plan : PlanRegistry::get().plans(key)) {
    bool serves =
        plan->table.environment == environment_word() && serves_path(plan->table.trace, trace);
    for (size_t i = 0; serves && i < trace.scalars.size(); ++i)
      serves = !plan->table.guarded[i] || plan->table.trace.scalars[i].identical(trace.scalars[i]);
    if (serves) return std::move(plan);
  }
  return nullptr;
}

void ThreadEngine::build(PathEnd& end) {
  const ComputingScope computing(this);
  const MuteScope mute;  // a plan that goes may call Frit
  BuildRequest request = new_request(region());
  request.trace = std::move(end.second);
  request.varying.resize(request.trace->scalars.size());
  for (size_t i = 0; i < request.varying.size(); ++i)
    request.varying[i] =
        end.first != nullptr && !end.first->scalars[i].identical(request.trace->scalars[i]);
  if (end.first != nullptr) request.moving = capture::ops_that_moved(*end.first, *request.trace);
  request.eager_ns = end.path->spent_ns / std::max<int64_t>(end.path->runs, 1);
  request.habits = habits_seen(end.watches, request.trace->slots.size());
  if (request.dynamic) take_all_as_arguments(&request);
  if (wants_examples(request.backend)) request.examples = in_memory(end.externals);
  end.externals.clear();
  const uint64_t key = plan_key(end.root->key, *request.trace);
  Reason reason = Reason::plan_exists;
  std::shared_ptr<Plan> plan;
  // There may be one that did not serve for what guards do not see: memory that was exposed for a
  // while.
  if (plan_for(key, *request.trace) == nullptr) {
    if (on_worker(request)) return build_elsewhere(end, key, std::move(request));
    plan = build_plan(std::move(request), &reason);
  }
  if (plan == nullptr) {
    if (reason == Reason::plan_exists) log_abort(end.path->num_ops, reason, {});
    counters_.count(reason);
    capture::Recorder::failed(end.root, end.path);
    return;
  }
  capture::Recorder::succeeded(end.root, end.path);
  if (end.root->plans == nullptr) end.root->plans = std::make_shared<RootPlans>();
  static_cast<RootPlans*>(end.root->plans.get())->note_plan(plan);
  PlanRegistry::get().add(key, std::move(plan), nullptr);
}

// In automatic mode, what takes long. With FRIT_HOT everything is to happen the same way each time.
bool ThreadEngine::on_worker(const BuildRequest& request) const {
  constexpr size_t kManyOps = 32;
  if (base::flags().hot > 0 || request.backend != "native") return false;
  const bool large = request.trace->ops.size() >= kManyOps && base::num_threads() > 1;
  return region() != nullptr ? region()->options.async : large;
}

// The path goes on cold until the plan is there.
void ThreadEngine::build_elsewhere(const PathEnd& end, uint64_t key, BuildRequest request) {
  if (BuildWorker::get().add(key, std::move(request))) {
    capture::Recorder::succeeded(end.root, end.path);
  } else {
    capture::Recorder::failed(end.root, end.path);
  }
}

// What was taken for constant has changed: a scalar, or the place of a view. The plan is built
// again with that as an argument. After the second time all scalars are arguments but those that
// the plan's form depends on, and so are all places.
void ThreadEngine::generalise(const Root& root, Plan& plan, const Change& change,
                              Examples examples) {
  const ComputingScope computing(this);
  const MuteScope mute;  // a plan that goes may call Frit
  if (is_static() || plan.cannot_generalise.load(std::memory_order_relaxed)) return;
  BuildRequest request = new_request(region());
  request.trace = std::make_unique<Trace>(capture::without_moving(plan.table.trace));
  request.varying = plan.varying;
  request.moving = capture::moving_ops(plan.table.trace);
  if (!widen(*request.trace, change, &request.varying, &request.moving)) return;
  request.eager_ns = plan.eager_ns;
  request.habits = plan.learnt->habits();
  request.examples = std::move(examples);
  Reason reason{};
  std::shared_ptr<Plan> wider = build_plan(std::move(request), &reason);
  if (wider == nullptr) {
    counters_.count(reason);
    plan.cannot_generalise.store(true, std::memory_order_relaxed);
    return;
  }
  const uint64_t key = plan_key(root.key, plan.table.trace);
  PlanRegistry::get().add(key, std::move(wider), &plan);
}

}  // namespace frit::engine
