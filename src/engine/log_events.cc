// Lines and events about recordings and plans.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/engine/log_events.h"

#include <string>

namespace frit::engine {

using base::LogCategory;
using base::LogLine;

void log_recording_begins(const OpCall& first) {
  if (base::logs(LogCategory::trace)) LogLine("recording").add("first", describe(first));
}

void log_recording_ends(const capture::PathEnd& end) {
  if (base::logs(LogCategory::trace)) {
    const char* what = end.second != nullptr ? "agrees" : end.differs ? "differs" : "ends";
    LogLine("recorded").add("ops", end.path->num_ops).add("result", what);
  }
  if (end.differs) log_abort(end.path->num_ops, capture::Reason::recordings_differ, {});
}

void log_abort(int num_ops, capture::Reason reason, std::string_view detail) {
  if (!base::logs(LogCategory::abort)) return;
  const capture::ReasonInfo& info = capture::info(reason);
  LogLine("abort")
      .add("ops", num_ops)
      .add("reason", info.name)
      .add("why", detail.empty() ? info.text : detail);
}

std::unique_ptr<base::ProfileEvent> begin_plan_event(const Plan& plan) {
  const auto id = static_cast<int64_t>(plan.id);
  auto event = std::make_unique<base::ProfileEvent>("plan", "plan " + std::to_string(id));
  event->note("plan", id).note("ops", static_cast<int64_t>(plan.table.trace.ops.size())).start();
  return event;
}

}  // namespace frit::engine
