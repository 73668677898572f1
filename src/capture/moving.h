// Moving views: views of externals that lie elsewhere in each run of a path, like x.select(0, t) in
// a loop over t.
//
// A plan takes such a view as an input of its own: as an external after those that calls name,
// whose layout is guarded and whose place is found out when its call is matched. The trace still
// holds the call, which makes no node; views of the view have it as their root.
//
// Where memory is written, a plan rests on which views lie at the same place (see writes.h). Two
// moving ones that did so when recorded must do so in each run: `Trace::same_places`.
#pragma once

#include <span>

#include "src/capture/trace.h"

namespace frit::capture {

// Whether the op gives a view of an external, at a place that its attributes say.
bool may_move(const Trace& trace, int op);
// Lets the views that these ops give move. In the order of the ops; all may move, and none does.
void set_moving(Trace* trace, std::span<const int> ops);
std::vector<int> moving_ops(const Trace& trace);
// The trace in which nothing moves, with the views where `offset(k)` says that the k-th moving one
// lies, from its external's first element, in elements.
template <class Offset>
Trace without_moving(const Trace& trace, Offset offset);
// With them where they were recorded.
Trace without_moving(const Trace& trace);

// Those ops whose views can be let move so that the plan for `second` serves `first` as well.
std::vector<int> ops_that_moved(const Trace& first, const Trace& second);

// ---- inline bodies ----

template <class Offset>
Trace without_moving(const Trace& trace, Offset offset) {
  Trace fixed = trace;
  for (SlotInfo& slot : fixed.slots) {
    if (slot.root.kind() != ValueRef::Kind::kExternal) continue;
    const Moving* moving = trace.moving_at(slot.root.index());
    if (moving == nullptr) continue;
    slot.root = {ValueRef::Kind::kExternal, moving->external};
    slot.offset += offset(static_cast<size_t>(moving - trace.moving.data()));
  }
  fixed.externals.resize(trace.num_externals());
  fixed.aliases.resize(trace.num_externals());
  fixed.moving.clear();
  fixed.same_places.clear();
  return fixed;
}

}  // namespace frit::capture
