// Trace: the op calls between two boundaries in full detail, as a recording run writes them down.
//
// Values are numbered: results of the trace's ops are *slots*, tensors made before it are
// *externals* (one per tensor object, in order of first use), host numbers are *scalars* (one per
// place, since two places with equal values today may differ tomorrow).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/capture/writes.h"
#include "src/ops/call.h"
#include "src/ops/infer.h"
#include "src/tensor/watch.h"

namespace frit::capture {

inline constexpr int kMaxOps = 512;
inline constexpr int kMaxSlots = 1024;
inline constexpr int kMaxExternals = 512;
// A trace ends where less than this is left of slots or externals: more than all but a few calls of
// ops with lists take. What does not fit after all makes the recording void.
inline constexpr int kRoomForCall = 16;

class ValueRef {
 public:
  enum class Kind : uint8_t { kSlot, kExternal, kScalar };
  ValueRef() = default;
  ValueRef(Kind kind, int index)
      : bits_(static_cast<uint32_t>(kind) << 30 | static_cast<uint32_t>(index)) {}
  Kind kind() const { return static_cast<Kind>(bits_ >> 30); }
  int index() const { return static_cast<int>(bits_ & 0x3fffffff); }
  friend bool operator==(ValueRef a, ValueRef b) = default;

 private:
  uint32_t bits_ = 0;
};

struct TraceOp {
  Op op;
  uint16_t num_operands, num_results;
  uint32_t first_operand;          // in Trace::operands
  uint32_t first_attr, num_attrs;  // in Trace::attrs
  uint32_t first_slot;
  uint64_t path;  // hash of the path up to and including this op
};

// Where a slot's memory comes from.
struct SlotInfo {
  const Layout* layout;
  ValueRef root;   // itself, or the slot or external whose storage it views
  int64_t offset;  // of its first element from the root's first element, in elements
  bool consumed;   // an op of this trace used it or a view of it
};

// How an external lies to the first one in the same storage: which may be itself.
struct Alias {
  int first;
  int64_t offset;  // of its first element from that one's, in bytes
  friend bool operator==(const Alias&, const Alias&) = default;
};

// A view of an external that lies elsewhere in each run: see moving.h.
struct Moving {
  int op;
  int external;    // whose memory it is in
  int64_t offset;  // when recorded: of its first element from the external's, in elements
};

struct Trace {
  std::vector<TraceOp> ops;
  std::vector<ValueRef> operands;
  std::vector<int64_t> attrs;
  std::vector<const Layout*> externals;  // those that calls name, then the moving views
  std::vector<Alias> aliases;            // per external
  std::vector<Moving> moving;
  std::vector<std::pair<ValueRef, ValueRef>> same_places;  // that a plan rests on: see moving.h
  bool writes = false;                                     // some op is a store
  bool writes_externals = false;  // into an external's storage: then aliases are guarded
  std::vector<Scalar> scalars;
  std::vector<SlotInfo> slots;
  std::vector<bool> alive;  // per slot, at the end

  // Those that calls name.
  size_t num_externals() const { return externals.size() - moving.size(); }
  // Null for an external that calls name.
  const Moving* moving_at(int external) const {
    const auto named = static_cast<int>(num_externals());
    return external < named ? nullptr : &moving[static_cast<size_t>(external - named)];
  }
  ValueRef operand(const TraceOp& op, int i) const { return operands[op.first_operand + i]; }
  std::span<const ValueRef> operands_of(const TraceOp& op) const {
    return {operands.data() + op.first_operand, op.num_operands};
  }
  IntArrayRef attrs_of(const TraceOp& op) const {
    return {attrs.data() + op.first_attr, op.num_attrs};
  }
};

// Where the call's results lie: what ops of no tensors are to be run for again.
inline Device device_of(const Trace& trace, const TraceOp& op) {
  return op.num_results > 0 ? trace.slots[op.first_slot].layout->device : kCPU;
}

// Where an external or a slot lies. Memory is numbered: externals' storages, then roots' slots.
Place place_of(const Trace& trace, ValueRef ref);

// Whether two traces are one path with equal layouts: they may differ in scalars' values, in where
// moving views lie, and in liveness.
bool same_path(const Trace& a, const Trace& b);
// The same but for layouts and attributes.
bool same_pattern(const Trace& a, const Trace& b);

// The operands of a call of the trace in a run that has these externals and scalars; `slot` gives
// the tensor of a slot.
template <class Slot>
std::vector<Operand> operands_in_run(const Trace& trace, const TraceOp& op,
                                     std::span<TensorImpl* const> externals,
                                     std::span<const Scalar> scalars, Slot slot) {
  std::vector<Operand> operands;
  operands.reserve(op.num_operands);
  for (ValueRef ref : trace.operands_of(op)) {
    const auto index = static_cast<size_t>(ref.index());
    switch (ref.kind()) {
      case ValueRef::Kind::kSlot:
        operands.emplace_back(slot(index));
        break;
      case ValueRef::Kind::kExternal:
        operands.emplace_back(externals[index]);
        break;
      case ValueRef::Kind::kScalar:
        operands.emplace_back(scalars[index]);
        break;
    }
  }
  return operands;
}

// Says what a call of the trace makes by the rules: layouts, and what is a view of what. `types`
// has as many results as the op.
void set_slots(Trace* trace, const TraceOp& op, const ResultTypes& types);

// The slots whose storage must exist after the trace, as roots: those alive, and those that no op
// consumed.
std::vector<bool> roots_to_produce(const Trace& trace, const std::vector<bool>& alive);

// For each slot, which of the first `num_ops` calls reads it last; -1 where none does.
std::vector<int> last_uses(const Trace& trace, int num_ops);

struct SlotWatch {
  int slot;
  Watch watch;
};

// Writes a trace down, call by call.
class TraceWriter {
 public:
  void begin();
  // Starts as if the first `num_ops` calls of `trace` had been appended with these values.
  void begin_with(const Trace& trace, int num_ops, std::span<TensorImpl* const> externals,
                  std::span<const Scalar> scalars, std::span<TensorImpl* const> slots);
  // After a call that ran. Holds its tensors for as long as the program does, so that they keep
  // their addresses. False when the trace is full.
  bool append(const OpCall& call, Tensor* results, uint64_t path);
  // Watches the slots that are alive and that the trace has consumed: those it can do without.
  std::vector<SlotWatch> watch_living();
  // Reads liveness: a slot is alive when somebody else holds it.
  Trace end();
  // Before the end: the externals, undefined where the program has dropped them.
  std::vector<Tensor> living_externals();
  void abandon();
  bool active() const { return active_; }
  // Whether the next call might not fit.
  bool full() const {
    return trace_.slots.size() + kRoomForCall > kMaxSlots ||
           external_tensors_.size() + kRoomForCall > kMaxExternals;
  }

 private:
  ValueRef reference(const Operand& operand);
  void add_external(TensorImpl* tensor);
  void drop_dead();
  SlotInfo describe_slot(const OpCall& call, const TraceOp& op, const Tensor& result,
                         int slot) const;
  void consume(ValueRef ref);
  void note_store(ValueRef target);

  bool active_ = false;
  Trace trace_;
  std::vector<Tensor> slot_tensors_, external_tensors_;  // undefined once the program dropped them
  struct Address {
    uint64_t storage;  // its id
    std::byte* data;
  };
  std::vector<Address> external_addresses_;
};

}  // namespace frit::capture
