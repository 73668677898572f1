// Records op calls in full and compares recordings.
#include "src/capture/trace.h"

#include <algorithm>

namespace frit::capture {
namespace {

// Layouts beyond the interning limit die with their tensors; no guard can hold them.
bool all_interned(const OpCall& call, const Tensor* results) {
  for (const Operand& operand : call.operands)
    if (operand.is_tensor() && !operand.tensor->layout->interned()) return false;
  for (int i = 0; i < info(call.op).results; ++i)
    if (!results[i].impl()->layout->interned()) return false;
  return true;
}

// Of those externals that calls name.
bool same_aliases(const Trace& a, const Trace& b) {
  const auto count = static_cast<std::ptrdiff_t>(a.num_externals());
  return std::equal(a.aliases.begin(), a.aliases.begin() + count, b.aliases.begin());
}

}  // namespace

Place place_of(const Trace& trace, ValueRef ref) {
  constexpr uint64_t kSlots = 1u << 31;
  if (ref.kind() == ValueRef::Kind::kExternal) {
    const Alias& alias = trace.aliases[ref.index()];
    return {static_cast<uint64_t>(alias.first), trace.externals[ref.index()], alias.offset};
  }
  const SlotInfo& slot = trace.slots[ref.index()];
  const int64_t bytes = slot.offset * byte_size(slot.layout->dtype);
  if (slot.root.kind() == ValueRef::Kind::kSlot)
    return {kSlots | static_cast<uint64_t>(slot.root.index()), slot.layout, bytes};
  const Alias& alias = trace.aliases[slot.root.index()];
  return {static_cast<uint64_t>(alias.first), slot.layout, alias.offset + bytes};
}

bool same_pattern(const Trace& a, const Trace& b) {
  if (a.ops.size() != b.ops.size() || a.operands != b.operands ||
      a.externals.size() != b.externals.size() || a.scalars.size() != b.scalars.size() ||
      a.slots.size() != b.slots.size() || a.moving.size() != b.moving.size() ||
      (a.writes_externals && !same_aliases(a, b)))
    return false;
  for (size_t i = 0; i < a.moving.size(); ++i)
    if (a.moving[i].op != b.moving[i].op) return false;
  for (size_t i = 0; i < a.ops.size(); ++i)
    if (a.ops[i].op != b.ops[i].op || a.ops[i].num_operands != b.ops[i].num_operands ||
        a.ops[i].num_attrs != b.ops[i].num_attrs)
      return false;
  for (size_t i = 0; i < a.externals.size(); ++i)
    if (a.externals[i]->dtype != b.externals[i]->dtype ||
        a.externals[i]->rank != b.externals[i]->rank)
      return false;
  for (size_t i = 0; i < a.scalars.size(); ++i)
    if (a.scalars[i].kind() != b.scalars[i].kind()) return false;
  for (size_t i = 0; i < a.slots.size(); ++i)
    if (!(a.slots[i].root == b.slots[i].root)) return false;
  return true;
}

bool same_path(const Trace& a, const Trace& b) {
  if (!same_pattern(a, b) || a.externals != b.externals) return false;
  std::vector<bool> moves(a.ops.size());
  for (const Moving& moving : a.moving) moves[static_cast<size_t>(moving.op)] = true;
  for (size_t i = 0; i < a.ops.size(); ++i) {
    const IntArrayRef x = a.attrs_of(a.ops[i]), y = b.attrs_of(b.ops[i]);
    if (moves[i] ? !alike(a.ops[i].op, x, y) : x != y) return false;
  }
  for (size_t i = 0; i < a.slots.size(); ++i)
    if (a.slots[i].layout != b.slots[i].layout || a.slots[i].offset != b.slots[i].offset)
      return false;
  return true;
}

void set_slots(Trace* trace, const TraceOp& op, const ResultTypes& types) {
  for (int i = 0; i < types.count; ++i) {
    const ResultType& type = types.results[i];
    const int number = static_cast<int>(op.first_slot) + i;
    SlotInfo& slot = trace->slots[number];
    slot.layout = type.layout;
    slot.root = {ValueRef::Kind::kSlot, number};
    slot.offset = 0;
    if (type.view_of < 0) continue;
    slot.root = trace->operands_of(op)[type.view_of];
    slot.offset = type.offset;
    if (slot.root.kind() != ValueRef::Kind::kSlot) continue;
    const SlotInfo& base = trace->slots[slot.root.index()];
    slot.root = base.root;
    slot.offset += base.offset;
  }
}

std::vector<bool> roots_to_produce(const Trace& trace, const std::vector<bool>& alive) {
  std::vector<bool> produced(trace.slots.size());
  for (size_t s = 0; s < trace.slots.size(); ++s) {
    const SlotInfo& slot = trace.slots[s];
    if (!alive[s] && slot.consumed) continue;
    if (slot.root.kind() == ValueRef::Kind::kSlot) produced[slot.root.index()] = true;
  }
  return produced;
}

std::vector<int> last_uses(const Trace& trace, int num_ops) {
  std::vector<int> last(trace.slots.size(), -1);
  for (int i = 0; i < num_ops; ++i)
    for (ValueRef ref : trace.operands_of(trace.ops[i]))
      if (ref.kind() == ValueRef::Kind::kSlot) last[ref.index()] = i;
  return last;
}

void TraceWriter::begin() {
  abandon();
  active_ = true;
}

void TraceWriter::begin_with(const Trace& trace, int num_ops,
                             std::span<TensorImpl* const> externals,
                             std::span<const Scalar> scalars, std::span<TensorImpl* const> slots) {
  begin();
  for (TensorImpl* external : externals) add_external(external);
  trace_.scalars.assign(scalars.begin(), scalars.end());
  for (int i = 0; i < num_ops; ++i) {
    const TraceOp& op = trace.ops[i];
    const auto operands = trace.operands_of(op);
    const IntArrayRef attrs = trace.attrs_of(op);
    trace_.ops.push_back(op);
    trace_.operands.insert(trace_.operands.end(), operands.begin(), operands.end());
    trace_.attrs.insert(trace_.attrs.end(), attrs.begin(), attrs.end());
    for (ValueRef ref : operands) consume(ref);
    for (int r = 0; r < op.num_results; ++r) {
      trace_.slots.push_back(trace.slots[op.first_slot + r]);
      trace_.slots.back().consumed = false;
      TensorImpl* slot = slots[op.first_slot + r];
      slot_tensors_.push_back(slot != nullptr ? Tensor::share(slot) : Tensor());
    }
    if (op.op == Op::store) note_store(operands[0]);
  }
}

void TraceWriter::abandon() {
  active_ = false;
  trace_ = Trace{};
  slot_tensors_.clear();
  external_tensors_.clear();
  external_addresses_.clear();
}

ValueRef TraceWriter::reference(const Operand& operand) {
  if (!operand.is_tensor()) {
    trace_.scalars.push_back(operand.scalar);
    return {ValueRef::Kind::kScalar, static_cast<int>(trace_.scalars.size()) - 1};
  }
  const auto position = [&](const std::vector<Tensor>& list) {
    const auto it = std::find_if(list.rbegin(), list.rend(),
                                 [&](const Tensor& t) { return t.impl() == operand.tensor; });
    return static_cast<int>(list.rend() - it) - 1;
  };
  if (const int slot = position(slot_tensors_); slot >= 0) return {ValueRef::Kind::kSlot, slot};
  int external = position(external_tensors_);
  if (external < 0) {
    external = static_cast<int>(external_tensors_.size());
    add_external(operand.tensor);
  }
  return {ValueRef::Kind::kExternal, external};
}

void TraceWriter::add_external(TensorImpl* tensor) {
  Alias alias{static_cast<int>(external_tensors_.size()), 0};
  for (size_t i = 0; i < external_addresses_.size(); ++i) {
    if (external_addresses_[i].storage != tensor->storage->id) continue;
    alias = {static_cast<int>(i), tensor->data - external_addresses_[i].data};
    break;
  }
  external_tensors_.push_back(Tensor::share(tensor));
  external_addresses_.push_back({tensor->storage->id, tensor->data});
  trace_.externals.push_back(tensor->layout);
  trace_.aliases.push_back(alias);
}

void TraceWriter::note_store(ValueRef target) {
  trace_.writes = true;
  const bool external = target.kind() == ValueRef::Kind::kExternal ||
                        trace_.slots[target.index()].root.kind() == ValueRef::Kind::kExternal;
  trace_.writes_externals |= external;
}

SlotInfo TraceWriter::describe_slot(const OpCall& call, const TraceOp& op, const Tensor& result,
                                    int slot) const {
  SlotInfo info{result.impl()->layout, {ValueRef::Kind::kSlot, slot}, 0, false};
  const auto refs = trace_.operands_of(op);
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const TensorImpl* operand = call.operands[i].tensor;
    if (operand == nullptr || operand->storage != result.impl()->storage) continue;
    info.root = refs[i];
    info.offset = result.impl()->offset - operand->offset;
    if (refs[i].kind() == ValueRef::Kind::kSlot) {
      const SlotInfo& base = trace_.slots[refs[i].index()];
      info.root = base.root;
      info.offset += base.offset;
    }
    break;
  }
  return info;
}

void TraceWriter::consume(ValueRef ref) {
  if (ref.kind() != ValueRef::Kind::kSlot) return;
  SlotInfo& slot = trace_.slots[ref.index()];
  slot.consumed = true;
  if (slot.root.kind() == ValueRef::Kind::kSlot) trace_.slots[slot.root.index()].consumed = true;
}

bool TraceWriter::append(const OpCall& call, Tensor* results, uint64_t path) {
  if (!all_interned(call, results)) return false;
  drop_dead();
  TraceOp op{call.op,
             static_cast<uint16_t>(call.operands.size()),
             static_cast<uint16_t>(info(call.op).results),
             static_cast<uint32_t>(trace_.operands.size()),
             static_cast<uint32_t>(trace_.attrs.size()),
             static_cast<uint32_t>(call.attrs.flat().size()),
             static_cast<uint32_t>(trace_.slots.size()),
             path};
  if (trace_.ops.size() == kMaxOps || trace_.slots.size() + op.num_results > kMaxSlots ||
      external_tensors_.size() + op.num_operands > kMaxExternals)
    return false;
  for (const Operand& operand : call.operands) {
    // Named before the push: reference() may add scalars and externals but not operands.
    const ValueRef ref = reference(operand);
    trace_.operands.push_back(ref);
    consume(ref);
  }
  if (call.op == Op::store) note_store(trace_.operand(op, 0));
  trace_.attrs.insert(trace_.attrs.end(), call.attrs.flat().begin(), call.attrs.flat().end());
  trace_.ops.push_back(op);
  for (int i = 0; i < op.num_results; ++i) {
    const int slot = static_cast<int>(slot_tensors_.size());
    trace_.slots.push_back(describe_slot(call, trace_.ops.back(), results[i], slot));
    slot_tensors_.push_back(results[i]);
  }
  return true;
}

// No later call can name a tensor that only the writer holds, and eager would have freed it.
void TraceWriter::drop_dead() {
  const auto drop = [](std::vector<Tensor>& tensors) {
    for (Tensor& t : tensors)
      if (t.defined() && t.use_count() == 1) t = Tensor();
  };
  drop(slot_tensors_);
  drop(external_tensors_);
}

std::vector<SlotWatch> TraceWriter::watch_living() {
  std::vector<SlotWatch> watches;
  for (size_t s = 0; s < slot_tensors_.size(); ++s) {
    const Tensor& t = slot_tensors_[s];
    if (!trace_.slots[s].consumed || t.use_count() <= 1) continue;
    if (Watch watch = Watch::on(t.impl()))
      watches.push_back({static_cast<int>(s), std::move(watch)});
  }
  return watches;
}

std::vector<Tensor> TraceWriter::living_externals() {
  drop_dead();
  return external_tensors_;
}

Trace TraceWriter::end() {
  for (const Tensor& t : slot_tensors_) trace_.alive.push_back(t.use_count() > 1);
  Trace done = std::move(trace_);
  abandon();
  return done;
}

}  // namespace frit::capture
