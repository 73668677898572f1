// Lists guards.
#include "src/engine/plan_guards.h"

#include <string>
#include <utility>

namespace frit::engine {

GuardSet guards_of(const Graph& captured, const capture::Trace& trace,
                   const std::vector<bool>& guarded, uint64_t environment) {
  GuardSet guards;
  for (int v = 0; v < captured.num_inputs(); ++v) {
    if (captured.is_scalar(v)) continue;
    Guard guard;
    guard.kind = Guard::Kind::kLayout;
    guard.subject = captured.input_name(v);
    guard.dtype = captured.dtype(v);
    guard.sizes = captured.sizes(v).vec();
    guard.strides = captured.strides(v).vec();
    guards.push_back(std::move(guard));
  }
  for (size_t i = 0; i < guarded.size(); ++i) {
    if (!guarded[i]) continue;
    Guard guard;
    guard.kind = Guard::Kind::kScalar;
    guard.subject = "s";
    guard.subject += std::to_string(i);
    guard.scalar = trace.scalars[i];
    guards.push_back(std::move(guard));
  }
  for (size_t i = 0; i < trace.aliases.size() && trace.writes_externals; ++i) {
    Guard guard;
    guard.kind = Guard::Kind::kAliases;
    guard.subject = captured.input_name(static_cast<Graph::ValueId>(i));
    guard.shares = captured.input_name(trace.aliases[i].first);
    guard.offset = trace.aliases[i].offset;
    guards.push_back(std::move(guard));
  }
  Guard guard;
  guard.kind = Guard::Kind::kEnvironment;
  guard.subject = "environment";
  guard.environment = environment;
  guards.push_back(std::move(guard));
  return guards;
}

}  // namespace frit::engine
