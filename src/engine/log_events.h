// What the engine tells FRIT_LOG and FRIT_PROFILE. Each does nothing unless it is asked for.
#pragma once

#include <memory>
#include <string_view>

#include "src/base/log.h"
#include "src/base/profiler.h"
#include "src/capture/recorder.h"
#include "src/engine/plan.h"

namespace frit::engine {

void log_recording_begins(const OpCall& first);
void log_recording_ends(const capture::PathEnd& end);
// A trace of `num_ops` calls that is not compiled.
void log_abort(int num_ops, capture::Reason reason, std::string_view detail);

// The event of one run of the plan; while profiling.
std::unique_ptr<base::ProfileEvent> begin_plan_event(const Plan& plan);

}  // namespace frit::engine
