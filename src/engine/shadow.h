// FRIT_SHADOW=1: every plan entry is also run op by op, and the bits are compared.
#pragma once

#include "src/capture/match.h"
#include "src/engine/plan.h"

namespace frit::engine {

// Runs the variant and the pending trace's ops on the side. Ends the process with a dump of graph
// and values when they differ by a bit; NaN equals NaN.
void shadow_check(const Plan& plan, const Variant& variant, capture::Pending& pending);

}  // namespace frit::engine
