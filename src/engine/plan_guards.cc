// Lists guards.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/engine/plan_guards.h"

#include <algorithm>
#include <string>
#include <utility>

#include "src/base/float_mode.h"

namespace frit::engine {
namespace {

Guard::Kind guard_of(Fact fact) {
  switch (fact) {
#define FRIT_FACT(kind, name, guard, meaning) \
  case Fact::kind:                            \
    return Guard::Kind::guard;
#include "src/normalize/facts.def"
  }
  __builtin_unreachable();
}

Denormals denormals_of(uint64_t environment) {
  return base::keeps_denormals(static_cast<uint32_t>(environment)) ? Denormals::kKept
                                                                   : Denormals::kZero;
}

GuardSet layouts_of(const Graph& graph) {
  GuardSet guards;
  for (int v = 0; v < graph.num_inputs(); ++v) {
    if (graph.is_scalar(v)) continue;
    Guard guard;
    guard.kind = Guard::Kind::kLayout;
    guard.subject = graph.input_name(v);
    guard.dtype = graph.dtype(v);
    guard.sizes = graph.sizes(v).vec();
    guard.strides = graph.strides(v).vec();
    guards.push_back(std::move(guard));
  }
  return guards;
}

Guard guard_on(uint64_t environment) {
  Guard guard;
  guard.kind = Guard::Kind::kEnvironment;
  guard.subject = "environment";
  guard.environment = environment;
  return guard;
}

}  // namespace

GuardSet guards_of(const Graph& captured, const capture::Trace& trace,
                   const std::vector<bool>& guarded, uint64_t environment) {
  GuardSet guards = layouts_of(captured);
  for (size_t i = 0; i < guarded.size(); ++i) {
    if (!guarded[i]) continue;
    Guard guard;
    guard.kind = Guard::Kind::kScalar;
    guard.subject = "s";
    guard.subject += std::to_string(i);
    guard.scalar = trace.scalars[i];
    guards.push_back(std::move(guard));
  }
  for (size_t i = 0; i < trace.num_externals() && trace.writes_externals; ++i) {
    Guard guard;
    guard.kind = Guard::Kind::kAliases;
    guard.subject = captured.input_name(static_cast<Graph::ValueId>(i));
    guard.shares = captured.input_name(trace.aliases[i].first);
    guard.offset = trace.aliases[i].offset;
    guards.push_back(std::move(guard));
  }
  guards.push_back(guard_on(environment));
  return guards;
}

GuardSet guards_of_part(const Graph& part, const GuardSet& whole) {
  GuardSet guards = layouts_of(part);
  guards.push_back(guard_on(environment_in(whole)));
  return guards;
}

uint64_t environment_in(const GuardSet& guards) {
  const auto found = std::find_if(guards.begin(), guards.end(), [](const Guard& guard) {
    return guard.kind == Guard::Kind::kEnvironment;
  });
  return found == guards.end() ? 0 : found->environment;
}

Denormals denormals_in(const GuardSet& guards) { return denormals_of(environment_in(guards)); }

bool is_guarded(const Assumption& fact, const Graph& captured, const GuardSet& guards) {
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    if (guard.kind != guard_of(fact.fact)) return false;
    if (fact.fact == Fact::kDenormals) return denormals_of(guard.environment) == fact.denormals;
    return guard.subject == captured.input_name(fact.scalar_input) &&
           guard.scalar.identical(fact.value);
  });
}

}  // namespace frit::engine
