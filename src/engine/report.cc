// Texts of guards, explanations and counts.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include <sstream>

#include "frit/compile.h"
#include "src/base/code_memory.h"
#include "src/eager/device_dispatch.h"
#include "src/engine/build.h"
#include "src/engine/plan_guards.h"
#include "src/engine/plan_registry.h"
#include "src/engine/region.h"
#include "src/engine/takeover.h"
#include "src/graph/types.h"

namespace frit {

std::string Guard::str() const {
  std::ostringstream out;
  out << subject;
  switch (kind) {
    case Kind::kLayout:
      out << ": " << to_string(*intern_layout(dtype, kCPU, sizes, strides));
      break;
    case Kind::kScalar:
      out << " == " << graph::print_scalar(scalar);
      break;
    case Kind::kAliases:
      if (shares == subject) {
        out << ": shares no earlier input's memory";
      } else {
        out << ": at " << offset << " bytes in the memory of " << shares;
      }
      break;
    case Kind::kEnvironment:
      out << " == 0x" << std::hex << environment;
      break;
  }
  return out.str();
}

std::string to_string(const GuardSet& guards) {
  std::string text;
  for (const Guard& guard : guards) text += guard.str() + "\n";
  return text;
}

namespace engine {
namespace {

PlanForm form_of(const Plan& plan, const Variant& variant) {
  PlanForm form;
  form.captured = variant.captured.print();
  if (const auto core = core_graph_of(plan, variant)) form.normalized = core->print();
  for (const Assumption& fact : variant.assumptions)
    form.facts.push_back(fact.str(variant.captured));
  form.exact = variant.executable->exact();
  form.build_us = variant.build_us;
  variant.executable->describe(&form);
  return form;
}

PlanReport report_of(const Plan& plan) {
  PlanReport report;
  for (const auto& place : plan.variants) {
    const Variant* variant = place.load(std::memory_order_acquire);
    if (variant == nullptr) continue;
    if (report.forms.empty())
      report.guards = guards_of(variant->captured, plan.table.trace, plan.table.guarded,
                                plan.table.environment);
    report.forms.push_back(form_of(plan, *variant));
  }
  report.id = plan.id;
  report.backend = plan.backend;
  report.entries = plan.entries.load(std::memory_order_relaxed);
  report.exits = plan.exits.load(std::memory_order_relaxed);
  const std::lock_guard lock(plan.noting);
  report.last_exit = describe_exit(plan.table, plan.last_exit);
  return report;
}

}  // namespace
}  // namespace engine

Explanation explain_region(const detail::Region& region) {
  Explanation explanation;
  for (const auto& plan : engine::PlanRegistry::get().all())
    if (plan->region == region.id) explanation.plans.push_back(engine::report_of(*plan));
  for (int i = 0; i < capture::kNumReasons; ++i) {
    const auto reason = static_cast<capture::Reason>(i);
    const int64_t count = region.breaks[i].load();
    if (count > 0) explanation.breaks[std::string(capture::info(reason).name)] = count;
  }
  return explanation;
}

Explanation explain_all() {
  Explanation explanation;
  for (const auto& plan : engine::PlanRegistry::get().all())
    explanation.plans.push_back(engine::report_of(*plan));
  return explanation;
}

std::string PlanExit::str() const {
  if (step < 0) return "never left";
  const std::string where = "step " + std::to_string(step);
  const std::string what = subject == "call" ? "" : ", " + call + ": " + subject;
  return where + what + ": expected " + expected + ", got " + actual + ": " + text;
}

std::string PlanForm::str() const {
  std::ostringstream out;
  out << "built in " << build_us << " us" << (exact ? "" : ": bits not guaranteed") << "\n";
  if (!captured.empty()) out << "captured:\n" << captured;
  if (!normalized.empty()) out << "normalized:\n" << normalized;
  if (!facts.empty()) out << "facts:\n";
  for (const std::string& fact : facts) out << "  " << fact << "\n";
  out << "kernels: " << kernels.size() << "\n";
  for (size_t i = 0; i < kernels.size(); ++i) out << "by " << writers[i] << ":\n" << kernels[i];
  out << "fallbacks: " << fallbacks.size() << "\n";
  for (const std::string& fallback : fallbacks) out << "  " << fallback << "\n";
  return out.str();
}

namespace {

void print_plan(const PlanReport& plan, std::ostream& out) {
  out << "plan " << plan.id << " (backend " << plan.backend << ", ran " << plan.entries
      << " times, left early " << plan.exits << " times)\n";
  if (plan.last_exit.step >= 0) out << "left last at " << plan.last_exit.str() << "\n";
  out << "guards:\n" << to_string(plan.guards);
  for (size_t i = 0; i < plan.forms.size(); ++i) {
    out << "form " << i + 1 << " of " << plan.forms.size() << ", " << plan.forms[i].str();
  }
}

// What a break is, and what the user can do about it.
void print_break(const std::string& name, int64_t count, std::ostream& out) {
  out << "break " << name << ": " << count;
  for (int i = 0; i < capture::kNumReasons; ++i) {
    const capture::ReasonInfo& reason = capture::info(static_cast<capture::Reason>(i));
    if (reason.name != name) continue;
    out << " (" << reason.text << (reason.hint.empty() ? "" : ": ") << reason.hint << ")";
  }
  out << "\n";
}

}  // namespace

std::string Explanation::str() const {
  std::ostringstream out;
  out << "plans: " << plans.size() << "\n";
  for (const PlanReport& plan : plans) print_plan(plan, out);
  for (const auto& [reason, count] : breaks) print_break(reason, count, out);
  return out.str();
}

Stats stats() {
  Stats s;
  engine::add_counters(&s);
  engine::add_build_counters(&s);
  const PoolStats pool = pool_stats();
  s.pool_live_bytes = pool.live_bytes;
  s.pool_cached_bytes = pool.cached_bytes;
  const LayoutStats layouts = layout_stats();
  s.layouts = layouts.count;
  s.layout_bytes = layouts.bytes;
  eager::add_device_fallbacks(&s.device_fallbacks);
  return s;
}

std::string Stats::str() const {
  std::ostringstream out;
  out << "eager_ops=" << eager_ops << " plan_ops=" << plan_ops << " plan_entries=" << plan_entries
      << " recipes=" << recipes << " recordings=" << recordings << " plans=" << plans
      << " resized=" << resized << " kernels=" << kernels << " kernel_hits=" << kernel_hits
      << " builds=" << builds << " exits=" << exits << "\n";
  for (const auto& [reason, count] : reasons) out << "reason " << reason << "=" << count << "\n";
  for (const auto& [fallback, count] : fallbacks)
    out << "fallback " << fallback << "=" << count << "\n";
  for (const auto& [writer, count] : writers)
    out << "kernels by " << writer << "=" << count << "\n";
  for (const auto& [op, count] : device_fallbacks)
    out << "device fallback " << op << "=" << count << "\n";
  for (const auto& [refusal, count] : refusals)
    out << "kernels refused by " << refusal << "=" << count << "\n";
  return out.str();
}

}  // namespace frit
