// Holds calls against a recorded trace and hands out ready-made pending tensors.
//
// A call that does not match leaves no trace of itself: operands bound for it are unbound again, so
// that the caller may hold the same call against another table.
#include "src/capture/match.h"

#include <algorithm>

#include "frit/error.h"
#include "src/ops/infer.h"

namespace frit::capture {
namespace {

constexpr int64_t kMaxPinnedBytes = 64 << 20;

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
  placeholders_->resize(table->trace.slots.size());
  externals_.reserve(table->trace.externals.size());
  scalars_.reserve(table->trace.scalars.size());
}

void Pending::clear() { unbind(0, 0); }

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

bool Pending::match_operand(ValueRef ref, const Operand& operand, Reason* reason) {
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
  // A value of another thread: its call is a boundary of its own.
  if (t->pending()) return *reason = Reason::other_operand, false;
  const Layout* expected = table_->trace.externals[index];
  if (t->layout != expected) {
    const bool fits = by_pattern() && t->layout->interned() && t->layout->rank == expected->rank &&
                      t->layout->dtype == expected->dtype && t->layout->device == expected->device;
    if (!fits) return *reason = Reason::other_layout, false;
    own_.trace.externals[index] = t->layout;
  }
  if (t->storage->write_exposed.load(std::memory_order_relaxed) != 0)
    return *reason = Reason::exposed_operand, false;
  t->refs.add();
  t->storage->pinned.add(1);
  pinned_bytes_ += t->storage->bytes;
  externals_.push_back(t);
  return true;
}

bool Pending::match_operands(const TraceOp& expected, const OpCall& call, Reason* reason,
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
      return *reason = Reason::other_scalar, false;
    }
    scalars_.push_back(operand.scalar);
  }
  return true;
}

bool Pending::match(const OpCall& call, Tensor* results, Reason* reason, int* scalar) {
  const Trace& trace = table_->trace;
  const TraceOp& expected = trace.ops[cursor_];
  if (expected.op != call.op || expected.num_operands != call.operands.size())
    return *reason = Reason::other_op, false;
  if (!match_attrs(expected, call)) return *reason = Reason::other_attributes, false;
  const size_t num_externals = externals_.size(), num_scalars = scalars_.size();
  if (!match_operands(expected, call, reason, scalar)) {
    unbind(num_externals, num_scalars);
    return false;
  }
  if (by_pattern() && !infer_slots(expected, call)) {
    unbind(num_externals, num_scalars);
    return *reason = Reason::other_layout, false;
  }
  hand_out(expected, results);
  ++cursor_;
  return true;
}

void Pending::unbind(size_t num_externals, size_t num_scalars) {
  for (; externals_.size() > num_externals; externals_.pop_back()) {
    Storage* storage = externals_.back()->storage;
    storage->pinned.add(-1);
    pinned_bytes_ -= storage->bytes;
    Tensor::adopt(externals_.back());
  }
  scalars_.resize(num_scalars);
}

bool Pending::match_attrs(const TraceOp& expected, const OpCall& call) {
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
  for (int i = 0; i < types.count; ++i) {
    const ResultType& type = types.results[i];
    const int number = static_cast<int>(expected.first_slot) + i;
    SlotInfo& slot = own_.trace.slots[number];
    slot.layout = type.layout;
    slot.root = {ValueRef::Kind::kSlot, number};
    slot.offset = 0;
    if (type.view_of < 0) continue;
    slot.root = own_.trace.operands_of(expected)[type.view_of];
    slot.offset = type.offset;
    if (slot.root.kind() != ValueRef::Kind::kSlot) continue;
    const SlotInfo& base = own_.trace.slots[slot.root.index()];
    slot.root = base.root;
    slot.offset += base.offset;
  }
  return true;
}

void Pending::follow_pattern(std::vector<TensorImpl*>* placeholders) {
  own_ = *table_;
  switch_to(&own_, placeholders);
}

void Pending::hand_out(const TraceOp& expected, Tensor* results) {
  for (int i = 0; i < expected.num_results; ++i) {
    TensorImpl*& placeholder = (*placeholders_)[expected.first_slot + i];
    if (placeholder == nullptr) {
      const Layout* layout = table_->trace.slots[expected.first_slot + i].layout;
      retain_layout(layout);
      placeholder = new_impl(layout);
      placeholder->owner.store(owner_, std::memory_order_relaxed);
    }
    placeholder->birth = first_birth_ + static_cast<uint64_t>(cursor_);
    // Nobody else holds a placeholder that is not handed out, so no atomic addition is needed.
    placeholder->refs.set(2);
    results[i] = Tensor::adopt(placeholder);
  }
}

bool Pending::agrees(const MatchTable& other) const {
  const Trace &a = table_->trace, &b = other.trace;
  if (other.environment != table_->environment || cursor_ >= static_cast<int>(b.ops.size()))
    return false;
  for (int i = 0; i < cursor_; ++i) {
    const TraceOp &x = a.ops[i], &y = b.ops[i];
    if (x.op != y.op || x.num_operands != y.num_operands || a.attrs_of(x) != b.attrs_of(y))
      return false;
    const auto p = a.operands_of(x), q = b.operands_of(y);
    if (!std::equal(p.begin(), p.end(), q.begin())) return false;
  }
  for (size_t i = 0; i < externals_.size(); ++i)
    if (a.externals[i] != b.externals[i]) return false;
  for (size_t i = 0; i < scalars_.size(); ++i)
    if (b.scalars[i].kind() != scalars_[i].kind() ||
        (other.guarded[i] && !b.scalars[i].identical(scalars_[i])))
      return false;
  return true;
}

void Pending::switch_to(const MatchTable* table, std::vector<TensorImpl*>* placeholders) {
  const int handed_out = num_slots();
  placeholders->resize(table->trace.slots.size());
  // Ready-made ones of the new table go where the old one's were: both are of the same layouts.
  for (int s = 0; s < handed_out; ++s) std::swap((*placeholders)[s], (*placeholders_)[s]);
  table_ = table;
  placeholders_ = placeholders;
}

}  // namespace frit::capture
