// Recorder: watches one thread's op calls, finds paths that repeat and says when one is worth
// compiling.
//
// Requirements, in the words of docs/architecture.md:
//  1. A path is the ops from one boundary to the next. It hangs at a root, keyed by the kind of
//  boundary,
//     the region and the first op. The tree of paths is implicit: a node is the hash of the ops
//     that lead to it, so walking it is one multiplication per op.
//  2. Cold ops run at once; a token (op, attributes, dtypes, ranks, distances to producers) is
//  folded into
//     the path's hash afterwards. No sizes, positions, scalar values or addresses.
//  3. A path is hot when the time spent on it exceeds what compiling it is expected to cost, or,
//  with
//     FRIT_HOT=N, in its N-th run. Then its root's next runs are recorded in full until two
//     recordings of one path agree; in a region one recording is enough.
//  4. Nothing is for ever: attempts that fail double a penalty that later runs pay off.
//  5. A path that is seen for the first time is only noted, so that programs that never repeat pay
//  little.
//  6. Every table is bounded; when it is full it is emptied, which costs warm-up and nothing else.
//
// The recorder knows nothing of plans but that a root can have some; the engine keeps those.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "src/capture/match.h"
#include "src/capture/period_finder.h"
#include "src/capture/reason.h"
#include "src/capture/trace.h"

namespace frit::capture {

// One path that ended at a boundary.
struct Path {
  uint32_t runs = 0;     // cold ones since the last success
  int64_t spent_ns = 0;  // time of its ops, summed over those runs
  int64_t run_ns = -1;   // of the run that was timed last, which stands for those that are not
  int num_ops = 0;
  uint32_t plans = 0;  // built so far; each doubles what the next one must be worth
  uint32_t attempts =
      0;  // recordings wasted or refused since the last success; each doubles as well
  std::unique_ptr<Trace> recording;
  std::vector<SlotWatch> watches;  // on what the recording left alive
};

// Paths that start after the same kind of boundary, in the same region, with the same first op.
struct Root {
  uint64_t key = 0;
  std::unordered_map<uint64_t, Path> paths;
  bool in_region = false;
  bool record_next = false;     // some path here waits for being recorded
  std::shared_ptr<void> plans;  // the engine's
};

// What the engine is to do at the end of a path.
struct PathEnd {
  Root* root = nullptr;
  Path* path = nullptr;  // null: not seen before
  // Set when two recordings agree: compile from `second`; scalars that differ in `first` are
  // arguments. `first` is null after the one recording of a region.
  std::unique_ptr<Trace> first, second;
  std::vector<SlotWatch> watches;  // on what `first` left alive
  std::vector<Tensor> externals;   // of `second`; undefined where the program has dropped them
  bool differs = false;            // this recording is not the last one's path
  uint64_t hash = 0;               // of the path
  int64_t run_ns = -1;             // time of this run's ops, where it was taken of all of them
};

// Ticks of the time stamp counter.
uint64_t ticks_of(int64_t ns);

class Recorder {
 public:
  // At the first op after a boundary. `region` is 0 outside regions.
  Root* anchor(const OpCall& call, Reason boundary, uint64_t region);
  bool recording() const { return writer_.active(); }
  bool at_anchor() const { return root_ == nullptr; }

  // Starts the run of a path at `root`, recording it if the root asks for that.
  void begin(Root* root, bool in_region);
  // Goes on cold after the prefix of a plan that has been matched and computed: `pending` still
  // holds it. The run is recorded, prefix included, if the root asks for that.
  void resume(Root* root, const Pending& pending);
  // Before a cold op runs: only the time of ops counts towards hotness, not the host's between
  // them. One run in four is timed, at random.
  void op_begins();
  // After a cold op has run. Gives the results their births. False when the trace is full: a
  // boundary.
  bool note(const OpCall& call, Tensor* results);
  // Whether the stream of ops that nobody has looked into is a loop, and begins anew before the
  // next one.
  bool loop_begins() const { return finder_.cut(); }
  // The host has looked at a value, or could have.
  void observed() {
    unobserved_ = 0;
    finder_.reset();
  }
  // Ops run as part of a plan and are not told.
  void plan_begins() { finder_.reset(); }
  // The path ends here.
  PathEnd end();
  // Drops what a run in progress has recorded.
  void abandon();
  // Forgets all paths. At an anchor only.
  void clear();

  // The hash of a path that goes on with `call`, the `number`-th of the current run.
  uint64_t extend(uint64_t path, const OpCall& call, int number) const;
  // Whether a tensor was made in the current run.
  bool made_here(const TensorImpl* t) const { return made_since(t, first_birth_); }
  // Whether the memory of a tensor was written in the current run.
  bool wrote(const TensorImpl* t) const {
    return !writes_.empty() && !t->pending() && writes_.written(t->storage->id);
  }
  // Whether the call reads memory that was written in the current run through another view: then
  // the path must end first. All operands are materialised.
  bool reads_unknown(const OpCall& call) const { return !writes_.empty() && reads_written(call); }
  // Numbers the ops of a run that a plan serves.
  uint64_t begin_births();
  void skip_births(int ops) { next_birth_ += static_cast<uint64_t>(ops); }
  int num_ops() const { return num_ops_; }
  // So many ops were timed as a whole.
  void note_op_time(uint64_t ticks, int ops);
  // The mean time, in ns, of the cold ops that were timed since the last call, each taken as 2 us
  // at most; where there were none, what it was then.
  int64_t take_op_ns();
  // What came of building a path: see Path.
  static void succeeded(Root* root, Path* path);
  static void failed(Root* root, Path* path);

  void set_id(uint64_t id);

 private:
  bool made_since(const TensorImpl* t, uint64_t first) const {
    return t->birth >= first && t->birth >> 40 == id_;
  }
  bool reads_written(const OpCall& call) const;
  void note_time(uint64_t ticks);
  void find_period(const OpCall& call, const Tensor* results);
  void resume_writes(const Pending& pending);
  void note_writes(const OpCall& call, const Tensor* results);
  // `first`: the birth from which on producers count.
  uint64_t token(const OpCall& call, uint64_t birth, uint64_t first) const;
  // Whether the path that ends is one that has been there before, most likely.
  bool seen_before();
  // Holds the recording of the path that ends against the one before it.
  void compare(PathEnd* result);

  uint64_t id_ = 0;  // of this recorder, in the upper bits of births
  uint64_t next_birth_ = 0, first_birth_ = 0;
  Root* root_ = nullptr;
  uint64_t path_ = 0;
  int num_ops_ = 0;
  bool whole_ = true;   // the run did not begin as a plan's
  bool timed_ = false;  // the time stamp counter costs as much as what else is done for a cold op
  uint32_t random_ = 1;
  uint64_t op_start_ = 0, spent_ = 0;  // ticks: of the op that runs, and of the ops before it
  uint64_t timed_ticks_ = 0, timed_ops_ = 0;  // since take_op_ns()
  int64_t op_ns_ = 0;                         // what that gave
  TraceWriter writer_;
  PeriodFinder finder_;
  uint32_t unobserved_ = 0;    // cold ops since the host looked at a value
  uint64_t finder_birth_ = 0;  // of the first op that the finder knows
  Writes writes_;              // by ids of storages; values are not told apart
  std::unordered_map<uint64_t, std::unique_ptr<Root>> roots_;
  std::array<uint32_t, 1024> seen_{};     // paths, by the last bits of their hashes
  std::array<Root*, 64> recent_roots_{};  // by the last bits of their keys
};

}  // namespace frit::capture
