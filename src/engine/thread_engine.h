// ThreadEngine: what one thread's op calls go through: observe, follow a plan, finish it, leave it.
//
// It is in one of three states. It *observes*: ops run at once and are noted (the recorder walks
// its paths). It *follows*: a plan is being matched, and ops are deferred. It has *ended*: all ops
// of the plan have been matched, and it runs at the next event, when the last call's operands have
// been dropped by their callers.
//
// Another thread that needs a pending value takes the trace over: see takeover.h.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "src/base/fork.h"
#include "src/capture/recorder.h"
#include "src/engine/build.h"
#include "src/engine/pace.h"
#include "src/engine/region.h"
#include "src/engine/stopwatch.h"
#include "src/engine/thread_plans.h"

namespace frit::engine {

// Written by the owning thread only, read by stats().
struct ThreadCounters {
  std::atomic<int64_t> eager_ops{0}, plan_ops{0}, plan_entries{0}, recipes{0}, recordings{0},
      exits{0};
  std::array<std::atomic<int64_t>, capture::kNumReasons> reasons{};

  static void add(std::atomic<int64_t>& counter, int64_t n = 1) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void count(capture::Reason reason) { add(reasons[static_cast<int>(reason)]); }
};

// What keeps a plan from serving a call and could be one of its arguments; neither: nothing.
struct Change {
  int scalar = -1;
  int moved_op = -1;  // its view lies elsewhere
  explicit operator bool() const { return scalar >= 0 || moved_op >= 0; }
};

// Where there is no memory:
//  - for the values of calls, so that neither a plan nor a replay gets through: the event that
//  asked
//    for them throws out_of_memory, and what is pending waits for the next event;
//  - for what the engine notes: it gives the recording or the plan up, and nobody is told.
class ThreadEngine {
 public:
  ThreadEngine();
  ~ThreadEngine();

  // The observer's events; the caller holds the engine (see takeover.h).
  bool before_op(const OpCall& call, Tensor* results);
  void after_op(const OpCall& call, Tensor* results);
  void end_quiet_run();
  // Finishes what is pending and ends the path.
  void boundary(capture::Reason reason);
  // The value that is about to be finished is needed.
  void note_read(const TensorImpl* tensor);
  // A value was read: a boundary if it was made in the current run.
  void value_observed(const TensorImpl* tensor);

  // How many of the operands of deferred calls lie in that storage.
  int pins_on(const Storage* storage) const {
    return state_ == State::kObserve ? 0 : pending_.pins_on(storage);
  }
  // The memory that a write to the tensor is to change, as far as it exists; or null.
  const Storage* storage_behind(const TensorImpl* t) const {
    if (t->storage != nullptr || state_ == State::kObserve) return t->storage;
    return pending_.viewed_storage(t);
  }
  // See Observer.
  bool locate(const TensorImpl* tensor, MemoryPlace* place) const {
    return state_ != State::kObserve && !replaying_ && pending_.locate(tensor, place);
  }

  void enter_region(detail::Region* region);
  // Ends the innermost region's call. `failed`: an exception passes through. Gives the reason of
  // the call's first graph break, if it had any.
  std::optional<capture::Reason> leave_region(bool failed);

  // What is pending is lost: who reads it later gets an error.
  void drop_pending();

  // Forgets the paths that this thread has seen.
  void forget();

  bool has_pending() const { return pending_flag_.load(std::memory_order_relaxed); }
  // Whether a plan of this thread runs or is built: until that ends, no more calls are deferred.
  bool computing() const { return computing_.load(std::memory_order_acquire); }
  ThreadCounters& counters() { return counters_; }

  // For takeover.h. The mutex is held by a stranger, and by the owner when it ends.
  std::atomic<int> busy{0}, stranger{0};
  std::recursive_mutex taking_over;

 private:
  class ComputingScope {
   public:
    explicit ComputingScope(ThreadEngine* engine)
        : flag_(engine->computing_), outer_(flag_.load(std::memory_order_relaxed)) {
      flag_.store(true, std::memory_order_release);
    }
    ~ComputingScope() { flag_.store(outer_, std::memory_order_release); }
    ComputingScope(const ComputingScope&) = delete;

   private:
    std::atomic<bool>& flag_;
    bool outer_;
  };

  enum class State : uint8_t { kObserve, kFollow, kEnded };

  bool before_unfollowed(const OpCall& call, Tensor* results);
  bool go_on_or_finish(const OpCall& call, Tensor* results);
  void end_run(capture::Reason reason);
  void give_up();
  // How a call differs from the one that the plan expects.
  struct Mismatch {
    bool in_mode;  // the plan's, so that another plan may serve
    capture::Reason reason;
    Change change;
  };
  bool follow(const OpCall& call, Tensor* results);
  bool follow_otherwise(const OpCall& call, Tensor* results, Mismatch mismatch);
  bool try_enter(const OpCall& call, Tensor* results);
  bool begin_quiet_run(const Entry& entry, const OpCall& call);
  void end_quiet();
  bool enter_entry(const OpCall& call, Tensor* results, bool* other_form);
  bool enter_pattern(const OpCall& call, Tensor* results);
  void drop_pattern();
  bool try_switch(const OpCall& call, Tensor* results);
  bool try_pattern(const OpCall& call, Tensor* results);
  bool try_end();
  void now_follow(Entry* entry, const OpCall& call);
  void after_match(const OpCall& call);
  void end_window();
  void note_pattern_path(const OpCall& call);
  void side_exit(capture::Reason reason, const Change& change);
  void finish();
  void compute_pending(bool by_pattern, int num_ops);
  // By pattern: builds the plan for the layouts that were met. Null when it cannot be built.
  Variant* variant_for_pattern();
  std::shared_ptr<Plan> build_for_pattern(std::unique_ptr<capture::Trace> trace);
  // Whether the slots alive now are those of the entry's last run; notes them there.
  bool same_liveness(Entry* entry) const;
  // The same for what else decides about its variant.
  bool same_knowledge(Entry* entry) const;
  Variant* variant_for(Plan& plan, const Entry& entry);
  std::vector<bool> slots_to_store(const Plan& plan, const Entry& entry);
  void sort_living(Entry* entry, const Variant& variant);
  void learn_from_watches();
  void watch_undecided();
  void leave_recipes(Frame* frame);
  void run_variant(const Variant& variant);
  void note_plan_run();
  bool run_plan(Plan& plan, const Variant& variant);
  void replay(int num_ops);
  void replay_op(int number);
  void drop_dead(std::span<const capture::ValueRef> operands, const std::vector<int>& last_uses,
                 int op);
  void replay_or_drop(int num_ops);
  void release_pending();
  bool reserve(const Entry& entry);
  bool run_reserved();
  void drop_reserved();
  // A plan of that list which a trace's calls are served by; or null.
  std::shared_ptr<Plan> plan_for(uint64_t key, const capture::Trace& trace) const;
  void end_path();
  void build(capture::PathEnd& end);
  bool on_worker(const BuildRequest& request) const;
  void build_elsewhere(const capture::PathEnd& end, uint64_t key, BuildRequest request);
  void generalise(const capture::Root& root, Plan& plan, const Change& change,
                  Examples examples = {});
  // Those of the calls that are pending, where a build would look at them.
  Examples examples() const;
  detail::Region* region() const { return calls_.empty() ? nullptr : calls_.back().region; }
  // Whether plans are for one value and one size each.
  bool is_static() const {
    return region() != nullptr && !region()->options.dynamic.value_or(true);
  }
  uint64_t region_id() const { return calls_.empty() ? 0 : calls_.back().region->id; }
  bool touches_run(const TensorImpl* t) const;
  bool touches_run(const OpCall& call) const;
  bool makes_its_indices(const OpCall& call) const;
  void set_state(State state);

  capture::Recorder recorder_;
  capture::Pending pending_;
  State state_ = State::kObserve;
  capture::Reason boundary_{};    // the kind that the next path starts after
  uint64_t run_environment_ = 0;  // when the cold run began
  bool skip_note_ = false;        // the op that runs now is not part of the path
  // How far what is pending has been computed, and whether that has begun: a replay that there was
  // no memory for goes on where it was at the next event.
  int computed_ops_ = 0;
  bool replaying_ = false;
  Pace pace_;
  bool plans_rest_ = false;  // those of the path that runs
  Stopwatch stopwatch_;
  Entry* entry_ = nullptr;  // being followed
  capture::Root* entry_root_ = nullptr;
  EntryList* entry_list_ = nullptr;  // of the root, for the first call's layouts
  Entry pattern_entry_;              // what is followed by pattern
  // A call of a compiled function that this thread is in.
  struct RegionCall {
    detail::Region* region;
    std::optional<capture::Reason> first_break;
  };
  std::vector<RegionCall> calls_;  // the innermost last
  // A plan runs or is built: nothing else can be finished, and paths and plans must stay.
  std::atomic<bool> computing_{false};
  std::atomic<bool> pending_flag_{false};
  // Kept between runs so that they need no allocation.
  std::vector<Scalar> scalars_;
  std::vector<StorageRef> outputs_;
  struct Reserved {
    const Entry* entry = nullptr;      // for a run of this entry's plan: what matches may go on
    const Variant* variant = nullptr;  // as another one. The form whose run has its memory already
    std::vector<StorageRef> outputs;
  };
  Reserved reserved_;
  std::exception_ptr custom_failure_;  // what a registered op has thrown in the plan that ran last
  std::shared_ptr<RecipeBudget> recipe_budget_ = std::make_shared<RecipeBudget>();
  ThreadCounters counters_;
};

}  // namespace frit::engine
