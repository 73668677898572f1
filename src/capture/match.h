// Matching: holding one call after another against the recorded trace of a plan.
//
// A match table is a recorded trace plus which of its scalars are guarded. Externals and scalars
// are numbered in order of first use, so binding is an append. Sizes, strides and dtypes of
// externals are guarded by their interned layouts; those of slots follow.
//
// Where only layouts or attributes differ, matching can go on by *pattern*: ops and operands must
// be those of the trace, and layouts are inferred call by call into a trace of their own, which a
// plan is then built from.
#pragma once

#include <memory>
#include <vector>

#include "src/base/flat_map.h"
#include "src/capture/moving.h"
#include "src/capture/reason.h"

namespace frit::capture {

// See Pending::root_of_slot.
struct MemoryRoot {
  ValueRef root;
  int64_t offset;
};

struct MatchTable {
  Trace trace;
  std::vector<bool> guarded;  // per scalar: must be bit-identical to the recorded one
  uint64_t environment = 0;   // see environment_word()
};

// What is pending on a thread: how far the table has been matched, and the operands bound so far.
// Holds one count of each external and of each placeholder.
class Pending {
 public:
  ~Pending();
  // Starts over with this table; `placeholders`, one per slot, null where none is ready.
  void begin(const MatchTable* table, std::vector<TensorImpl*>* placeholders, void* owner,
             uint64_t first_birth);
  // True: the call is the expected one; `results` are the slots' pending tensors. Else nothing
  // changed but for `reason` and, for other_scalar, `*scalar`.
  bool match(const OpCall& call, Tensor* results, Reason* reason, int* scalar);
  // Whether another table expects what has been matched so far, or ends with it, with the operands
  // bound so far.
  bool agrees(const MatchTable& other) const;
  // Goes on with that table, which agrees.
  void switch_to(const MatchTable* table, std::vector<TensorImpl*>* placeholders);
  // Goes on by pattern, with placeholders made as they are needed. False where the trace writes
  // through views: whether they overlap depends on their layouts.
  bool follow_pattern(std::vector<TensorImpl*>* placeholders);
  bool by_pattern() const { return table_ == &own_; }
  // By pattern: the path's hash up to and including the last matched call.
  void set_path(uint64_t path) { own_.trace.ops[cursor_ - 1].path = path; }

  const MatchTable* table() const { return table_; }
  int cursor() const { return cursor_; }
  bool complete() const { return cursor_ == static_cast<int>(table_->trace.ops.size()); }
  std::span<TensorImpl* const> externals() const { return externals_; }
  std::span<const Scalar> scalars() const { return scalars_; }
  std::vector<TensorImpl*>& placeholders() { return *placeholders_; }
  const std::vector<TensorImpl*>& placeholders() const { return *placeholders_; }
  int num_slots() const;  // handed out so far
  // Whether operands that the program has dropped hold more memory than deferring is worth.
  bool pins_too_much() const;
  // How many of the bound externals lie in that storage.
  int pins_on(const Storage* storage) const;
  // Where a tensor that is pending here lies; false for one that is not.
  bool locate(const TensorImpl* t, MemoryPlace* place) const;
  // The storage of an external that a tensor pending here is a view of; null for other ones.
  const Storage* viewed_storage(const TensorImpl* t) const;

  // The attributes of a call as it was made.
  IntArrayRef attrs_of(const TraceOp& op) const {
    const Trace& trace = table_->trace;
    return trace.moving.empty() ? trace.attrs_of(op)
                                : IntArrayRef(attrs_.data() + op.first_attr, op.num_attrs);
  }
  // Where the first element of a slot's value lies: from that of its root, which is a slot or one
  // of externals(), in elements.
  MemoryRoot root_of_slot(int slot) const;
  // Where the first element of the k-th moving view lies, from its external's, in elements.
  int64_t moved_to(size_t k) const { return moved_to_[k]; }
  // Whether views that a plan takes to lie at one place do so in this run.
  bool lies_together() const;
  // Whether the call differs from the expected one in where the view lies that it makes, and in
  // nothing that a plan could not take as an argument.
  bool only_moves(const OpCall& call) const;
  // The calls so far, as they were made.
  Trace trace_so_far() const;
  // Drops the externals, and the marks of storages that were to be written.
  void clear();
  // Gives the externals, with their counts and pins, the scalars, and the attributes where they are
  // not the recorded ones, away; for what it gets back it has no use but the memory.
  void give(std::vector<TensorImpl*>* externals, std::vector<Scalar>* scalars,
            std::vector<int64_t>* attrs);
  int64_t pinned_bytes() const { return pinned_bytes_; }

 private:
  [[gnu::always_inline]] bool match_or_throw(const OpCall& call, Tensor* results, Reason* reason,
                                             int* scalar);
  [[gnu::always_inline]] bool match_operand(ValueRef ref, const Operand& operand, Reason* reason);
  // Few calls need those that are not to be inlined: the others then keep little on the stack.
  [[gnu::noinline]] bool bind_external(size_t index, TensorImpl* t, Reason* reason);
  [[gnu::always_inline]] bool match_attrs(const TraceOp& expected, const OpCall& call);
  const Moving* next_moving() const;
  [[gnu::noinline]] bool match_moving(const TraceOp& expected, const OpCall& call,
                                      const Moving& moving);
  const std::byte* address_in_run(ValueRef ref) const;
  void take_moved(const Trace& trace);
  void switch_moved(const Trace& to);
  bool agrees_on_attrs(const Trace& other, int i) const;
  [[gnu::noinline]] bool infer_slots(const TraceOp& expected, const OpCall& call);
  [[gnu::noinline]] void unbind(size_t num_externals, size_t num_scalars);
  bool lies_as_recorded(size_t index, const TensorImpl* t) const;
  bool lie_as_in(const Trace& trace) const;
  void note_bound();
  [[gnu::noinline]] bool defer_store(const TraceOp& expected, Reason* reason);
  [[gnu::always_inline]] bool match_operands(const TraceOp& expected, const OpCall& call,
                                             Reason* reason, int* scalar);
  [[gnu::noinline]] TensorImpl* make_placeholder(uint32_t slot);
  [[gnu::always_inline]] void hand_out(const TraceOp& expected, Tensor* results);

  const MatchTable* table_ = nullptr;
  MatchTable own_;  // by pattern: what has been matched, with its layouts
  std::vector<TensorImpl*>* placeholders_ = nullptr;
  void* owner_ = nullptr;
  uint64_t first_birth_ = 0;
  int cursor_ = 0;
  std::vector<TensorImpl*> externals_;
  // Where many externals are bound and some are written: the first in each storage, and how many
  // there are. Few are looked through.
  struct Bound {
    int first, count;
  };
  bool indexes(const Trace& trace) const {
    return trace.writes_externals && trace.externals.size() > 16;
  }
  int slot_of(const TensorImpl* t) const;      // -1 for what is not pending here
  int first_in(const Storage* storage) const;  // -1: none
  base::FlatMap<const Storage*, Bound> bound_;
  std::vector<Storage*> marked_;  // to be written at the plan's end
  int64_t pinned_bytes_ = 0;      // of their storages
  std::vector<Scalar> scalars_;
  // Where views move: the attributes as they are in this run, and where the views lie.
  std::vector<int64_t> attrs_, moved_to_;
};

}  // namespace frit::capture
