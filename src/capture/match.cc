// Holds calls against a recorded trace and hands out ready-made pending tensors.
//
// A call that does not match leaves no trace of itself: operands bound for it are unbound again, so
// that the caller may hold the same call against another table.
#include "src/capture/match.h"

#include <algorithm>
#include <new>
#include <optional>

#include "frit/error.h"
#include "src/ops/divisor.h"
#include "src/ops/index_range.h"
#include "src/ops/infer.h"

namespace frit::capture {
namespace {

constexpr int64_t kMaxPinnedBytes = 64 << 20;

// Whether every store overwrites the whole of some memory that no other value of the trace is a
// view of.
bool writes_whole_values(const Trace& trace) {
  const auto is_viewed = [&](ValueRef ref) {
    for (size_t s = 0; s < trace.slots.size(); ++s)
      if (trace.slots[s].root == ref &&
          !(ref == ValueRef(ValueRef::Kind::kSlot, static_cast<int>(s))))
        return true;
    if (ref.kind() == ValueRef::Kind::kSlot) return !(trace.slots[ref.index()].root == ref);
    for (size_t i = 0; i < trace.aliases.size(); ++i)
      if (static_cast<int>(i) != ref.index() &&
          trace.aliases[i].first == trace.aliases[ref.index()].first)
        return true;
    return false;
  };
  return std::none_of(trace.ops.begin(), trace.ops.end(), [&](const TraceOp& op) {
    return op.op == Op::store && is_viewed(trace.operand(op, 0));
  });
}

// Where the view that the call makes lies from its operand; nothing if it is not of that layout, or
// if the call is an error.
std::optional<int64_t> place_of_view(const OpCall& call, const Layout* expected) {
  ResultTypes types;
  try {
    types = infer(call);
  } catch (const Error&) {
    return std::nullopt;
  }
  const bool same = types.results[0].layout == expected;
  release_layout(types.results[0].layout);
  if (!same) return std::nullopt;
  return types.results[0].offset;
}

}  // namespace

Pending::~Pending() { clear(); }

void Pending::begin(const MatchTable* table, std::vector<TensorImpl*>* placeholders, void* owner,
                    uint64_t first_birth) {
  clear();
  table_ = table;
  placeholders_ = placeholders;
  owner_ = owner;
  first_birth_ = first_birth;
  cursor_ = 0;
  const Trace& trace = table->trace;
  placeholders_->resize(trace.slots.size());
  externals_.reserve(trace.num_externals());
  scalars_.reserve(trace.scalars.size());
  take_moved(trace);
}

// As they were recorded.
void Pending::take_moved(const Trace& trace) {
  moved_to_.clear();
  if (trace.moving.empty()) return;
  attrs_ = trace.attrs;
  for (const Moving& moving : trace.moving) moved_to_.push_back(moving.offset);
}

void Pending::clear() {
  // First: who sees no mark may read the memory.
  for (Storage* storage : marked_)
    storage->deferred_write.store(nullptr, std::memory_order_release);
  marked_.clear();
  unbind(0, 0);
}

int Pending::pins_on(const Storage* storage) const {
  if (indexes(table_->trace)) {
    const Bound* bound = bound_.find(storage);
    return bound != nullptr ? bound->count : 0;
  }
  return static_cast<int>(std::count_if(externals_.begin(), externals_.end(),
                                        [&](const auto* e) { return e->storage == storage; }));
}

int Pending::slot_of(const TensorImpl* t) const {
  if (t->owner.load(std::memory_order_relaxed) != owner_) return -1;
  // One that was lost in an earlier run (see ThreadEngine::drop_pending) still names its owner.
  const uint64_t number = t->birth - first_birth_;
  if (number >= static_cast<uint64_t>(cursor_)) return -1;
  const TraceOp& op = table_->trace.ops[number];
  for (uint32_t s = op.first_slot; s < op.first_slot + op.num_results; ++s)
    if ((*placeholders_)[s] == t) return static_cast<int>(s);
  return -1;
}

bool Pending::locate(const TensorImpl* t, MemoryPlace* place) const {
  const int s = slot_of(t);
  if (s < 0) return false;
  const MemoryRoot lies = root_of_slot(s);
  const int64_t offset = lies.offset * byte_size(t->layout->dtype);
  if (lies.root.kind() == ValueRef::Kind::kSlot) {
    *place = {(*placeholders_)[lies.root.index()], offset};
  } else {
    const TensorImpl* root = externals_[lies.root.index()];
    *place = {root->storage, root->data - root->storage->data + offset};
  }
  return true;
}

const Storage* Pending::viewed_storage(const TensorImpl* t) const {
  const int s = slot_of(t);
  if (s < 0) return nullptr;
  const ValueRef root = root_of_slot(s).root;
  return root.kind() == ValueRef::Kind::kSlot ? nullptr : externals_[root.index()]->storage;
}

MemoryRoot Pending::root_of_slot(int s) const {
  const Trace& trace = table_->trace;
  const SlotInfo& slot = trace.slots[s];
  if (slot.root.kind() == ValueRef::Kind::kSlot) return {slot.root, slot.offset};
  const Moving* moving = trace.moving_at(slot.root.index());
  if (moving == nullptr) return {slot.root, slot.offset};
  return {{ValueRef::Kind::kExternal, moving->external},
          moved_to_[static_cast<size_t>(moving - trace.moving.data())] + slot.offset};
}

const std::byte* Pending::address_in_run(ValueRef ref) const {
  if (ref.kind() == ValueRef::Kind::kExternal) return externals_[ref.index()]->data;
  const MemoryRoot lies = root_of_slot(ref.index());
  const int64_t bytes = lies.offset * byte_size(table_->trace.slots[ref.index()].layout->dtype);
  return externals_[lies.root.index()]->data + bytes;
}

bool Pending::lies_together() const {
  const auto& pairs = table_->trace.same_places;
  return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return address_in_run(pair.first) == address_in_run(pair.second);
  });
}

Trace Pending::trace_so_far() const {
  Trace trace = without_moving(table_->trace, [&](size_t k) { return moved_to_[k]; });
  if (!table_->trace.moving.empty()) trace.attrs = attrs_;
  return trace;
}

void Pending::give(std::vector<TensorImpl*>* externals, std::vector<Scalar>* scalars,
                   std::vector<int64_t>* attrs) {
  externals_.swap(*externals);
  scalars_.swap(*scalars);
  attrs->clear();
  if (!moved_to_.empty()) attrs_.swap(*attrs);
  externals_.clear();
  scalars_.clear();
  bound_.clear();
  pinned_bytes_ = 0;
}

int Pending::num_slots() const {
  const Trace& trace = table_->trace;
  return complete() ? static_cast<int>(trace.slots.size())
                    : static_cast<int>(trace.ops[cursor_].first_slot);
}

bool Pending::pins_too_much() const {
  if (pinned_bytes_ <= kMaxPinnedBytes) return false;
  int64_t bytes = 0;
  for (const TensorImpl* external : externals_)
    if (external->refs.count() == 1) bytes += external->storage->bytes;
  return bytes > kMaxPinnedBytes;
}

inline bool Pending::match_operand(ValueRef ref, const Operand& operand, Reason* reason) {
  TensorImpl* t = operand.tensor;
  if (t == nullptr) return *reason = Reason::other_operand, false;
  if (ref.kind() == ValueRef::Kind::kSlot) {
    const bool expected =
        t == (*placeholders_)[ref.index()] && t->owner.load(std::memory_order_relaxed) == owner_;
    if (!expected) *reason = Reason::other_operand;
    return expected;
  }
  const size_t index = static_cast<size_t>(ref.index());
  if (index < externals_.size()) {
    if (externals_[index] != t) *reason = Reason::other_operand;
    return externals_[index] == t;
  }
  return bind_external(index, t, reason);
}

// At an external's first use.
bool Pending::bind_external(size_t index, TensorImpl* t, Reason* reason) {
  // A value of another thread, or memory that one will write to: its call is a boundary of its own.
  if (t->pending()) return *reason = Reason::other_operand, false;
  void* writer = t->storage->deferred_write.load(std::memory_order_acquire);
  if (writer != nullptr && writer != owner_) return *reason = Reason::other_operand, false;
  if (table_->trace.writes_externals && !lies_as_recorded(index, t))
    return *reason = Reason::other_aliases, false;
  const Layout* expected = table_->trace.externals[index];
  if (t->layout != expected) {
    const bool fits = by_pattern() && t->layout->interned() && t->layout->rank == expected->rank &&
                      t->layout->dtype == expected->dtype && t->layout->device == expected->device;
    if (!fits) return *reason = Reason::other_layout, false;
    own_.trace.externals[index] = t->layout;
  }
  if (t->storage->write_exposed.load(std::memory_order_relaxed) != 0)
    return *reason = Reason::exposed_operand, false;
  externals_.push_back(t);  // first, since it may fail
  t->refs.add();
  t->storage->pinned.add(1);
  pinned_bytes_ += t->storage->bytes;
  if (indexes(table_->trace)) note_bound();
  return true;
}

// Of the last external.
void Pending::note_bound() {
  const int index = static_cast<int>(externals_.size()) - 1;
  ++bound_.insert(externals_[index]->storage, Bound{index, 0}).count;
}

// Where externals are written, which of them share storage, and how, is guarded.
bool Pending::lies_as_recorded(size_t index, const TensorImpl* t) const {
  const Trace& trace = table_->trace;
  const Alias& alias = trace.aliases[index];
  const int first = first_in(t->storage);
  if (first < 0) return alias.first == static_cast<int>(index);
  return first == alias.first && t->data - externals_[first]->data == alias.offset;
}

int Pending::first_in(const Storage* storage) const {
  if (indexes(table_->trace)) {
    const Bound* bound = bound_.find(storage);
    return bound != nullptr ? bound->first : -1;
  }
  for (size_t i = 0; i < externals_.size(); ++i)
    if (externals_[i]->storage == storage) return static_cast<int>(i);
  return -1;
}

// The same for all that are bound, and another trace.
bool Pending::lie_as_in(const Trace& trace) const {
  if (!trace.writes_externals) return true;
  for (size_t i = 0; i < externals_.size(); ++i) {
    size_t first = 0;
    while (externals_[first]->storage != externals_[i]->storage) ++first;
    const Alias alias{static_cast<int>(first), externals_[i]->data - externals_[first]->data};
    if (!(trace.aliases[i] == alias)) return false;
  }
  return true;
}

// The target's storage is marked, so that whoever reads it finishes the plan first.
bool Pending::defer_store(const TraceOp& expected, Reason* reason) {
  const Trace& trace = table_->trace;
  ValueRef target = trace.operand(expected, 0);
  if (target.kind() == ValueRef::Kind::kSlot) target = root_of_slot(target.index()).root;
  if (target.kind() == ValueRef::Kind::kSlot) return true;  // pending itself
  Storage* storage = externals_[target.index()]->storage;
  if (storage->read_exposed.load(std::memory_order_relaxed) != 0)
    return *reason = Reason::exposed_operand, false;
  if (storage->deferred_write.load(std::memory_order_relaxed) == nullptr) {
    marked_.push_back(storage);
    storage->deferred_write.store(owner_, std::memory_order_release);
  }
  return true;
}

inline bool Pending::match_operands(const TraceOp& expected, const OpCall& call, Reason* reason,
                                    int* scalar) {
  const Trace& trace = table_->trace;
  const ValueRef* refs = trace.operands.data() + expected.first_operand;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Operand& operand = call.operands[i];
    if (refs[i].kind() != ValueRef::Kind::kScalar) {
      if (!match_operand(refs[i], operand, reason)) return false;
      continue;
    }
    const int index = refs[i].index();
    const Scalar& recorded = trace.scalars[index];
    if (operand.is_tensor() || operand.scalar.kind() != recorded.kind())
      return *reason = Reason::other_operand, false;
    if (table_->guarded[index] && !operand.scalar.identical(recorded)) {
      *scalar = index;
      if (!by_pattern()) return *reason = Reason::other_scalar, false;
      own_.guarded[index] = false;  // another plan is to be built anyway
    }
    scalars_.push_back(operand.scalar);
  }
  return true;
}

bool Pending::match(const OpCall& call, Tensor* results, Reason* reason, int* scalar) {
  const size_t num_externals = externals_.size(), num_scalars = scalars_.size();
  try {
    if (match_or_throw(call, results, reason, scalar)) return true;
  } catch (const std::bad_alloc&) {
    *reason = Reason::no_memory;
  }
  unbind(num_externals, num_scalars);
  return false;
}

// When it fails, operands may be bound.
inline bool Pending::match_or_throw(const OpCall& call, Tensor* results, Reason* reason,
                                    int* scalar) {
  const Trace& trace = table_->trace;
  const TraceOp& expected = trace.ops[cursor_];
  if (expected.op != call.op || expected.num_operands != call.operands.size())
    return *reason = Reason::other_op, false;
  const Moving* moving = next_moving();
  if (moving == nullptr && !match_attrs(expected, call))
    return *reason = Reason::other_attributes, false;
  if (!match_operands(expected, call, reason, scalar)) return false;
  if (goes_by_indices(call.op) && !indices_in_range(call))
    return *reason = Reason::index_out_of_range, false;
  if (minds_second_operand(call.op) && !second_operand_is_fine(call))
    return *reason = Reason::zero_divisor, false;
  if (moving != nullptr && !match_moving(expected, call, *moving))
    return *reason = Reason::other_attributes, false;
  if (by_pattern() && !infer_slots(expected, call)) return *reason = Reason::other_layout, false;
  if (call.op == Op::store && !defer_store(expected, reason)) return false;
  hand_out(expected, results);
  ++cursor_;
  return true;
}

void Pending::unbind(size_t num_externals, size_t num_scalars) {
  for (; externals_.size() > num_externals; externals_.pop_back()) {
    Storage* storage = externals_.back()->storage;
    storage->pinned.add(-1);
    pinned_bytes_ -= storage->bytes;
    // Not there when there was no memory to note it. Who was bound last goes first.
    Bound* bound = bound_.find(storage);
    if (bound != nullptr && --bound->count == 0) bound_.pop_back();
    Tensor::adopt(externals_.back());
  }
  scalars_.resize(num_scalars);
}

// What the next call makes; null where it makes no moving view.
const Moving* Pending::next_moving() const {
  const std::vector<Moving>& moving = table_->trace.moving;  // in the order of the ops
  if (moving.empty()) return nullptr;
  const auto next = std::ranges::lower_bound(moving, cursor_, {}, &Moving::op);
  return next != moving.end() && next->op == cursor_ ? &*next : nullptr;
}

// Its operands are bound.
bool Pending::match_moving(const TraceOp& expected, const OpCall& call, const Moving& moving) {
  const Trace& trace = table_->trace;
  const IntArrayRef attrs = call.attrs.flat();
  if (!alike(call.op, trace.attrs_of(expected), attrs)) return false;
  const auto offset = place_of_view(call, trace.slots[expected.first_slot].layout);
  if (!offset) return false;
  std::copy(attrs.begin(), attrs.end(), attrs_.begin() + expected.first_attr);
  const ValueRef base = trace.operand(expected, 0);
  const int64_t start =
      base.kind() == ValueRef::Kind::kSlot ? root_of_slot(base.index()).offset : 0;
  moved_to_[static_cast<size_t>(&moving - trace.moving.data())] = start + *offset;
  return true;
}

bool Pending::only_moves(const OpCall& call) const {
  if (by_pattern() || complete()) return false;
  const Trace& trace = table_->trace;
  const TraceOp& expected = trace.ops[cursor_];
  return call.op == expected.op && next_moving() == nullptr && may_move(trace, cursor_) &&
         alike(call.op, trace.attrs_of(expected), call.attrs.flat()) &&
         place_of_view(call, trace.slots[expected.first_slot].layout).has_value();
}

inline bool Pending::match_attrs(const TraceOp& expected, const OpCall& call) {
  const Trace& trace = table_->trace;
  const IntArrayRef attrs = call.attrs.flat();
  if (attrs.size() != expected.num_attrs) return false;
  if (std::equal(attrs.begin(), attrs.end(), trace.attrs.begin() + expected.first_attr))
    return true;
  if (!by_pattern()) return false;
  // Sizes, mostly: whatever they are, the plan is built for them.
  std::copy(attrs.begin(), attrs.end(), own_.trace.attrs.begin() + expected.first_attr);
  return true;
}

// By pattern: what the call returns, from the rules alone. False where they do not say all, or
// where the call is an error, which is then raised by running it.
bool Pending::infer_slots(const TraceOp& expected, const OpCall& call) {
  if (call.op == Op::as_strided) return false;  // is checked against the storage
  ResultTypes types;
  try {
    types = infer(call);
  } catch (const Error&) {
    return false;
  }
  bool interned = types.count == expected.num_results;
  for (int i = 0; i < types.count; ++i) interned = interned && types.results[i].layout->interned();
  if (!interned) {
    for (int i = 0; i < types.count; ++i) release_layout(types.results[i].layout);
    return false;
  }
  const auto first = own_.trace.slots.begin() + expected.first_slot;
  ValueRef recorded[kMaxResults];
  for (int i = 0; i < types.count; ++i) recorded[i] = first[i].root;
  set_slots(&own_.trace, expected, types);
  // Here a view, there a copy: what is written, and what sees it, is not what was recorded.
  for (int i = 0; i < types.count; ++i)
    if (own_.trace.writes && !(first[i].root == recorded[i])) return false;
  return true;
}

bool Pending::follow_pattern(std::vector<TensorImpl*>* placeholders) {
  own_ = {trace_so_far(), table_->guarded, table_->environment};
  if (!writes_whole_values(own_.trace)) return false;
  switch_to(&own_, placeholders);
  return true;
}

TensorImpl* Pending::make_placeholder(uint32_t slot) {
  const Layout* layout = table_->trace.slots[slot].layout;
  retain_layout(layout);
  TensorImpl* placeholder = new_impl(layout);
  placeholder->owner.store(owner_, std::memory_order_relaxed);
  placeholder->slot = slot;
  return placeholder;
}

inline void Pending::hand_out(const TraceOp& expected, Tensor* results) {
  for (int i = 0; i < expected.num_results; ++i) {
    const uint32_t slot = expected.first_slot + static_cast<uint32_t>(i);
    TensorImpl*& placeholder = (*placeholders_)[slot];
    if (placeholder == nullptr) placeholder = make_placeholder(slot);
    placeholder->birth = first_birth_ + static_cast<uint64_t>(cursor_);
    // Nobody else holds a placeholder that is not handed out, so no atomic addition is needed.
    placeholder->refs.set(2);
    results[i] = Tensor::adopt(placeholder);
  }
}

// Whether another trace expects the attributes that the `i`-th call had, or can take them.
bool Pending::agrees_on_attrs(const Trace& other, int i) const {
  const TraceOp &x = table_->trace.ops[i], &y = other.ops[i];
  if (attrs_of(x) == other.attrs_of(y)) return true;
  const auto moves = [&](const Moving& moving) { return moving.op == i; };
  return std::any_of(other.moving.begin(), other.moving.end(), moves) &&
         alike(x.op, attrs_of(x), other.attrs_of(y)) &&
         table_->trace.slots[x.first_slot].layout == other.slots[y.first_slot].layout;
}

bool Pending::agrees(const MatchTable& other) const {
  const Trace &a = table_->trace, &b = other.trace;
  if (other.environment != table_->environment || cursor_ > static_cast<int>(b.ops.size()))
    return false;
  for (int i = 0; i < cursor_; ++i) {
    const TraceOp &x = a.ops[i], &y = b.ops[i];
    if (x.op != y.op || x.num_operands != y.num_operands || !agrees_on_attrs(b, i)) return false;
    const auto p = a.operands_of(x), q = b.operands_of(y);
    if (!std::equal(p.begin(), p.end(), q.begin())) return false;
  }
  for (size_t i = 0; i < externals_.size(); ++i)
    if (a.externals[i] != b.externals[i]) return false;
  if (!lie_as_in(b)) return false;
  for (size_t i = 0; i < scalars_.size(); ++i)
    if (b.scalars[i].kind() != scalars_[i].kind() ||
        (other.guarded[i] && !b.scalars[i].identical(scalars_[i])))
      return false;
  return true;
}

// What has been matched keeps its attributes and places.
void Pending::switch_moved(const Trace& to) {
  const Trace& from = table_->trace;
  if (from.moving.empty() && to.moving.empty()) return;
  std::vector<int64_t> attrs = to.attrs, moved;
  for (int i = 0; i < cursor_; ++i) {
    const IntArrayRef made = attrs_of(from.ops[i]);
    std::copy(made.begin(), made.end(), attrs.begin() + to.ops[i].first_attr);
  }
  for (const Moving& moving : to.moving) {
    const auto slot = static_cast<int>(to.ops[moving.op].first_slot);
    moved.push_back(moving.op < cursor_ ? root_of_slot(slot).offset : moving.offset);
  }
  attrs_.swap(attrs);
  moved_to_.swap(moved);
}

void Pending::switch_to(const MatchTable* table, std::vector<TensorImpl*>* placeholders) {
  const int handed_out = num_slots();
  // First what may fail; then nothing has changed.
  placeholders->resize(table->trace.slots.size());
  decltype(bound_) bound;
  const bool rebinds = indexes(table->trace) != indexes(table_->trace);
  for (size_t i = 0; rebinds && indexes(table->trace) && i < externals_.size(); ++i)
    ++bound.insert(externals_[i]->storage, Bound{static_cast<int>(i), 0}).count;
  switch_moved(table->trace);
  // Ready-made ones of the new table go where the old one's were: both are of the same layouts.
  for (int s = 0; s < handed_out; ++s) std::swap((*placeholders)[s], (*placeholders_)[s]);
  if (rebinds) bound_.swap(bound);
  table_ = table;
  placeholders_ = placeholders;
}

}  // namespace frit::capture
