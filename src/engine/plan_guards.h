// What a plan relies on, as text for people and as data for backends.
#pragma once

#include <vector>

#include "frit/graph.h"
#include "frit/guard.h"
#include "src/capture/trace.h"
#include "src/normalize/normalize.h"

namespace frit::engine {

// The layouts of the captured graph's tensor inputs, the scalars of the trace that are `guarded`,
// and the environment.
GuardSet guards_of(const Graph& captured, const capture::Trace& trace,
                   const std::vector<bool>& guarded, uint64_t environment);

// The guards of a part of the graph that `whole` are of: the layouts of its tensor inputs, and the
// environment.
GuardSet guards_of_part(const Graph& part, const GuardSet& whole);

// The environment that guards ask for; 0 where they ask for none.
uint64_t environment_in(const GuardSet& guards);
// What it does with denormals.
Denormals denormals_in(const GuardSet& guards);

// Whether the guards hold the fact, of which `captured` has the inputs.
bool is_guarded(const Assumption& fact, const Graph& captured, const GuardSet& guards);

}  // namespace frit::engine
