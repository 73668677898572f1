// What a plan relies on, as text for people and as data for backends.
#pragma once

#include <vector>

#include "frit/graph.h"
#include "frit/guard.h"
#include "src/capture/trace.h"

namespace frit::engine {

// The layouts of the captured graph's tensor inputs, the scalars of the trace that are `guarded`,
// and the environment.
GuardSet guards_of(const Graph& captured, const capture::Trace& trace,
                   const std::vector<bool>& guarded, uint64_t environment);

}  // namespace frit::engine
