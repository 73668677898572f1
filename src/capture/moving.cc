// Turns views of externals into externals of their own, and back.
#include "src/capture/moving.h"

#include <algorithm>

namespace frit::capture {
namespace {

// The memory of externals that some op stores to, by the first external in it.
std::vector<bool> written_memory(const Trace& trace) {
  std::vector<bool> written(trace.externals.size());
  for (const TraceOp& op : trace.ops) {
    if (op.op != Op::store) continue;
    ValueRef target = trace.operand(op, 0);
    if (target.kind() == ValueRef::Kind::kSlot) target = trace.slots[target.index()].root;
    if (target.kind() == ValueRef::Kind::kExternal)
      written[static_cast<size_t>(trace.aliases[target.index()].first)] = true;
  }
  return written;
}

struct Placed {
  ValueRef value;
  Place place;
};

// What lies in memory that is written.
std::vector<Placed> placed_in_written_memory(const Trace& trace) {
  const std::vector<bool> written = written_memory(trace);
  std::vector<Placed> placed;
  const auto add = [&](ValueRef value) {
    const Place place = place_of(trace, value);
    if (place.memory < written.size() && written[place.memory]) placed.push_back({value, place});
  };
  for (size_t e = 0; e < trace.num_externals(); ++e)
    add({ValueRef::Kind::kExternal, static_cast<int>(e)});
  for (size_t s = 0; s < trace.slots.size(); ++s) add({ValueRef::Kind::kSlot, static_cast<int>(s)});
  return placed;
}

ValueRef root_of(const Trace& trace, ValueRef value) {
  return value.kind() == ValueRef::Kind::kSlot ? trace.slots[value.index()].root : value;
}

bool moves(const Trace& trace, ValueRef root) {
  return root.kind() == ValueRef::Kind::kExternal && trace.moving_at(root.index()) != nullptr;
}

void note_same_places(Trace* trace) {
  const std::vector<Placed> placed = placed_in_written_memory(*trace);
  for (size_t i = 0; i < placed.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!(placed[j].place == placed[i].place)) continue;
      const ValueRef root = root_of(*trace, placed[i].value);
      const bool together = root == root_of(*trace, placed[j].value);
      if (!together && (moves(*trace, root) || moves(*trace, root_of(*trace, placed[j].value))))
        trace->same_places.emplace_back(placed[j].value, placed[i].value);
      break;
    }
}

}  // namespace

bool may_move(const Trace& trace, int op) {
  const TraceOp& call = trace.ops[static_cast<size_t>(op)];
  const OpInfo& facts = info(call.op);
  return facts.traits == Traits::kView && facts.varies &&
         trace.slots[call.first_slot].root.kind() == ValueRef::Kind::kExternal;
}

void set_moving(Trace* trace, std::span<const int> ops) {
  if (ops.empty()) return;
  constexpr int kFixed = -1;
  std::vector<int> root_of_slot(trace->slots.size(), kFixed);  // a moving view
  const int first = static_cast<int>(trace->externals.size());
  auto next = ops.begin();
  for (int i = 0; i < static_cast<int>(trace->ops.size()); ++i) {
    const TraceOp& op = trace->ops[static_cast<size_t>(i)];
    const bool starts = next != ops.end() && *next == i;
    next += starts;
    for (uint32_t s = op.first_slot; s < op.first_slot + op.num_results; ++s) {
      SlotInfo& slot = trace->slots[s];
      if (slot.root.kind() != ValueRef::Kind::kExternal) continue;
      const ValueRef base = trace->operand(op, 0);
      if (starts) {
        const Alias& alias = trace->aliases[static_cast<size_t>(slot.root.index())];
        root_of_slot[s] = static_cast<int>(trace->moving.size());
        trace->moving.push_back({i, slot.root.index(), slot.offset});
        trace->externals.push_back(slot.layout);
        trace->aliases.push_back(
            {alias.first, alias.offset + slot.offset * byte_size(slot.layout->dtype)});
      } else if (base.kind() == ValueRef::Kind::kSlot) {
        root_of_slot[s] = root_of_slot[static_cast<size_t>(base.index())];
      }
    }
  }
  for (size_t s = 0; s < trace->slots.size(); ++s) {
    if (root_of_slot[s] == kFixed) continue;
    SlotInfo& slot = trace->slots[s];
    slot.root = {ValueRef::Kind::kExternal, first + root_of_slot[s]};
    slot.offset -= trace->moving[static_cast<size_t>(root_of_slot[s])].offset;
  }
  if (trace->writes_externals) note_same_places(trace);
}

std::vector<int> moving_ops(const Trace& trace) {
  std::vector<int> ops;
  for (const Moving& moving : trace.moving) ops.push_back(moving.op);
  return ops;
}

Trace without_moving(const Trace& trace) {
  return without_moving(trace, [&](size_t k) { return trace.moving[k].offset; });
}

std::vector<int> ops_that_moved(const Trace& first, const Trace& second) {
  std::vector<int> ops;
  for (int i = 0; i < static_cast<int>(second.ops.size()); ++i) {
    const TraceOp &a = first.ops[static_cast<size_t>(i)], &b = second.ops[static_cast<size_t>(i)];
    const bool moved = first.attrs_of(a) != second.attrs_of(b) &&
                       alike(b.op, first.attrs_of(a), second.attrs_of(b)) && may_move(second, i) &&
                       first.slots[a.first_slot].layout == second.slots[b.first_slot].layout;
    if (moved) ops.push_back(i);
  }
  return ops;
}

}  // namespace frit::capture
