// Builds a trace's graph call by call.
//
// A store makes no node: what it leaves is remembered as a value (see writes.h), and later calls
// read that value. At the end, a root that was overwritten as a whole simply is the last value
// stored; every other store is left to be made after the graph has run.
#include "src/capture/trace_graph.h"

#include <algorithm>

#include "frit/error.h"
#include "src/base/check.h"
#include "src/ops/custom.h"
#include "src/tensor/same_places.h"

namespace frit::capture {
namespace {

using ValueId = Graph::ValueId;

std::string numbered(char kind, size_t number) {
  return std::string(1, kind).append(std::to_string(number));
}

struct Store {
  ValueRef target, source;
  Place place;
  ValueId value;            // the source's; Writes::kUnknown for a scalar
  bool source_is_external;  // and not written before: it can be read where it lies
  bool done;                // nothing is left to do: the value is its target's memory, or another
                            // store through the same view follows
};

class Builder {
 public:
  Builder(const Trace& trace, const std::vector<bool>& constant, std::string name)
      : trace_(trace), made_{Graph(std::move(name)), {}, {}, {}}, values_(trace.slots.size()) {
    add_inputs(constant);
    for (const TraceOp& op : trace.ops) {
      if (op.op == Op::store) {
        add_store(op);
      } else if (const int external = moving_view_of(op); external >= 0) {
        add_moving_view(op, external);
      } else {
        add_node(op);
      }
    }
  }

  TraceGraph finish(const std::vector<bool>& produced) {
    drop_overwritten();
    place_outputs(produced);
    place_slots();
    for (const Store& store : stores_) add_commit(store);
    made_.graph.set_outputs(std::move(outputs_));
    return std::move(made_);
  }

 private:
  void add_inputs(const std::vector<bool>& constant) {
    for (size_t i = 0; i < trace_.externals.size(); ++i)
      made_.graph.add_input(numbered('x', i), trace_.externals[i]);
    for (size_t i = 0; i < trace_.scalars.size(); ++i) {
      Graph::Operand operand{-1, trace_.scalars[i]};
      if (!constant[i]) {
        operand.value = made_.graph.add_scalar_input(numbered('s', i), trace_.scalars[i].kind());
        made_.scalar_of_input.push_back(static_cast<int>(i));
      }
      scalars_.push_back(operand);
    }
  }

  ValueId first_value(ValueRef ref) const {
    return ref.kind() == ValueRef::Kind::kSlot ? values_[ref.index()] : ref.index();
  }

  // What the operand is at this point. Where only its place in memory matters, its first value.
  ValueId value_of(ValueRef ref, bool reads) const {
    const ValueId first = first_value(ref);
    if (writes_.empty()) return first;
    const int value = writes_.value_at(place_of(trace_, ref), first);
    if (value != Writes::kUnknown) return value;
    if (reads)
      throw Error(ErrorKind::kRuntime, "trace: memory is read that was written through a view");
    return first;
  }

  Graph::Operand operand_of(const TraceOp& op, int i) const {
    const ValueRef ref = trace_.operand(op, i);
    if (ref.kind() == ValueRef::Kind::kScalar) return scalars_[ref.index()];
    return {value_of(ref, reads_elements(op.op, static_cast<size_t>(i))), {}};
  }

  void add_node(const TraceOp& op) {
    std::vector<Graph::Operand> operands;
    for (int i = 0; i < op.num_operands; ++i) operands.push_back(operand_of(op, i));
    const bool known = writes_.empty() || is_known(trace_.operand(op, 0));
    const DefaultDeviceScope device(device_of(trace_, op));
    const auto results =
        made_.graph.add_node(op.op, std::move(operands), trace_.attrs_of(op).vec());
    for (size_t i = 0; i < results.size(); ++i) {
      const int slot = static_cast<int>(op.first_slot + i);
      if (is_custom(op.op))
        custom::check_made(op.op, *made_.graph.layout(results[i]), *trace_.slots[slot].layout);
      values_[slot] = results[i];
      if (known) writes_.add_view(place_of(trace_, {ValueRef::Kind::kSlot, slot}), results[i]);
    }
  }

  // The input that the call's result is; -1 where it is computed.
  int moving_view_of(const TraceOp& op) const {
    const auto number = static_cast<int>(&op - trace_.ops.data());
    for (size_t k = 0; k < trace_.moving.size(); ++k)
      if (trace_.moving[k].op == number) return static_cast<int>(trace_.num_externals() + k);
    return -1;
  }

  void add_moving_view(const TraceOp& op, int external) {
    const Place base = place_of(trace_, trace_.operand(op, 0));
    if (writes_.written(base.memory) && is_known(trace_.operand(op, 0)))
      throw Error(ErrorKind::kRuntime, "trace: a moving view of a value that was stored");
    values_[op.first_slot] = external;
  }

  bool is_known(ValueRef ref) const {
    return ref.kind() != ValueRef::Kind::kScalar &&
           writes_.value_at(place_of(trace_, ref), 0) != Writes::kUnknown;
  }

  void add_store(const TraceOp& op) {
    const ValueRef target = trace_.operand(op, 0), source = trace_.operand(op, 1);
    Store store{target, source, place_of(trace_, target), Writes::kUnknown, false, false};
    int left = Writes::kUnknown;
    if (source.kind() != ValueRef::Kind::kScalar) {
      store.source_is_external = root_of(source).kind() == ValueRef::Kind::kExternal &&
                                 !writes_.written(place_of(trace_, source).memory);
      store.value = in_layout(value_of(source, true), store.place.layout);
      if (known_after_store(store.place.layout, made_.graph.layout(store.value)))
        left = store.value;
    } else if (known_after_store(store.place.layout, nullptr)) {
      left = filled(store.place.layout, scalars_[source.index()]);
    }
    writes_.store(store.place, left);
    stores_.push_back(store);
  }

  // The value with the strides of where it is stored, if that is the same memory.
  ValueId in_layout(ValueId value, const Layout* want) {
    const Layout* layout = made_.graph.layout(value);
    if (layout == want || !same_places(*layout, *want)) return value;
    const Attrs attrs = Attrs().add(0).add_list(want->sizes()).add_list(want->strides());
    return made_.graph.add_node(Op::as_strided, {{value, {}}}, IntArrayRef(attrs.flat()).vec())[0];
  }

  ValueId filled(const Layout* layout, const Graph::Operand& scalar) {
    const DefaultDeviceScope device(layout->device);
    const Attrs attrs = Attrs().add(layout->dtype).add_list(layout->sizes());
    return made_.graph.add_node(Op::full, {scalar}, IntArrayRef(attrs.flat()).vec())[0];
  }

  ValueRef root_of(ValueRef ref) const {
    return ref.kind() == ValueRef::Kind::kSlot ? trace_.slots[ref.index()].root : ref;
  }

  void drop_overwritten() {
    for (size_t i = 0; i < stores_.size(); ++i)
      stores_[i].done =
          std::any_of(stores_.begin() + static_cast<std::ptrdiff_t>(i) + 1, stores_.end(),
                      [&](const Store& later) { return later.place == stores_[i].place; });
    std::erase_if(stores_, [](const Store& store) { return store.done; });
  }

  int output_of(ValueId value) {
    const auto it = std::find(outputs_.begin(), outputs_.end(), value);
    const auto index = static_cast<int>(it - outputs_.begin());
    if (it == outputs_.end()) outputs_.push_back(value);
    return index;
  }

  // Each root has memory of its own, so two roots cannot share an output.
  void place_outputs(const std::vector<bool>& produced) {
    output_of_root_.assign(trace_.slots.size(), -1);
    for (size_t s = 0; s < produced.size(); ++s)
      if (produced[s]) first_values_.push_back(values_[s]);
    for (size_t s = 0; s < produced.size(); ++s) {
      if (!produced[s]) continue;
      ValueId value = values_[s];
      if (Store* store = replacement(s); store != nullptr) {
        value = store->value;
        store->done = true;
      }
      output_of_root_[s] = output_of(value);
    }
  }

  // The store whose value can simply be the root's memory; or null.
  Store* replacement(size_t root) {
    if (!trace_.writes) return nullptr;
    const ValueRef ref{ValueRef::Kind::kSlot, static_cast<int>(root)};
    Store* found = nullptr;
    for (Store& store : stores_) {
      if (store.target.kind() != ValueRef::Kind::kSlot || !(root_of(store.target) == ref)) continue;
      if (found != nullptr || !replaces(store, root)) return nullptr;
      found = &store;
    }
    return found;
  }

  bool replaces(const Store& store, size_t root) const {
    const auto contains = [](const std::vector<ValueId>& list, ValueId value) {
      return std::find(list.begin(), list.end(), value) != list.end();
    };
    return store.value != Writes::kUnknown && store.place.offset == 0 &&
           store.place.layout == trace_.slots[root].layout &&
           made_.graph.layout(store.value) == store.place.layout &&
           !made_.graph.is_input(store.value) && !store.source_is_external &&
           !contains(first_values_, store.value) && !contains(outputs_, store.value);
  }

  PlanMemory memory_of(ValueRef ref) const {
    if (ref.kind() == ValueRef::Kind::kExternal) return {ref.index(), -1, 0};
    const SlotInfo& slot = trace_.slots[ref.index()];
    const int64_t offset = slot.offset * byte_size(slot.layout->dtype);
    if (slot.root.kind() == ValueRef::Kind::kExternal) return {slot.root.index(), -1, offset};
    return {-1, output_of_root_[slot.root.index()], offset};
  }

  void place_slots() {
    for (size_t s = 0; s < trace_.slots.size(); ++s)
      made_.places.push_back(memory_of({ValueRef::Kind::kSlot, static_cast<int>(s)}));
  }

  // The value, or a copy of it where its output is memory that a store changes: the value may have
  // been taken from where it was stored to, and come to be read after that.
  ValueId unwritten(ValueId value) {
    const auto placed = std::find(outputs_.begin(), outputs_.end(), value);
    const int output = static_cast<int>(placed - outputs_.begin());
    const bool changes = std::any_of(stores_.begin(), stores_.end(), [&](const Store& store) {
      return !store.done && memory_of(store.target).output == output;
    });
    if (placed == outputs_.end() || !changes) return value;
    return made_.graph.add_node(Op::clone, {{value, {}}}, {})[0];
  }

  void add_commit(const Store& store) {
    if (store.done) return;
    Commit commit;
    commit.target = memory_of(store.target);
    commit.target_layout = store.place.layout;
    if (commit.target.external < 0 && commit.target.output < 0) return;  // nobody will look
    if (store.source.kind() == ValueRef::Kind::kScalar) {
      commit.scalar = store.source.index();
    } else if (store.source_is_external) {
      commit.source = memory_of(store.source);
      commit.source_layout = place_of(trace_, store.source).layout;
    } else {
      const ValueId source = unwritten(store.value);
      commit.source.output = output_of(source);
      commit.source_layout = made_.graph.layout(source);
    }
    made_.commits.push_back(commit);
  }

  const Trace& trace_;
  TraceGraph made_;
  std::vector<Graph::Operand> scalars_;
  std::vector<ValueId> values_;  // per slot, as its op made it
  Writes writes_;
  std::vector<Store> stores_;
  std::vector<ValueId> outputs_, first_values_;  // the latter of the roots to produce
  std::vector<int> output_of_root_;
};

}  // namespace

TraceGraph to_graph(const Trace& trace, const std::vector<bool>& produced,
                    const std::vector<bool>& constant, std::string name) {
  return Builder(trace, constant, std::move(name)).finish(produced);
}

}  // namespace frit::capture
