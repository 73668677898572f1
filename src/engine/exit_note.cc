// Names values by kind and number: v3 is the trace's slot 3, x1 an external, s0 a scalar.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/engine/exit_note.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "src/base/log.h"
#include "src/base/profiler.h"
#include "src/engine/environment.h"
#include "src/engine/plan.h"
#include "src/graph/types.h"

namespace frit::engine {

using capture::MatchTable;
using capture::Pending;
using capture::Reason;
using capture::TraceOp;
using capture::ValueRef;

namespace {

// Which value of the trace a tensor is, as far as it has been matched.
std::optional<ValueRef> reference(const Pending& pending, const TensorImpl* t) {
  const auto& slots = pending.placeholders();
  for (int s = 0; s < pending.num_slots(); ++s)
    if (slots[s] == t) return ValueRef(ValueRef::Kind::kSlot, s);
  for (size_t x = 0; x < pending.externals().size(); ++x)
    if (pending.externals()[x] == t)
      return ValueRef(ValueRef::Kind::kExternal, static_cast<int>(x));
  return std::nullopt;
}

NotedOperand note_operand(const Pending& pending, const Operand& operand) {
  NotedOperand noted;
  noted.scalar = operand.scalar;
  const TensorImpl* t = operand.tensor;
  if (t == nullptr) return noted;
  noted.is_tensor = true;
  if (t->layout->interned()) noted.layout = t->layout;
  noted.exposed =
      t->storage != nullptr && t->storage->write_exposed.load(std::memory_order_relaxed) != 0;
  const std::optional<ValueRef> ref = reference(pending, t);
  noted.known = ref.has_value();
  if (ref) noted.ref = *ref;
  return noted;
}

ExitNote make_note(const Pending& pending, const OpCall* call, Reason reason, Reason boundary) {
  ExitNote note;
  note.op = pending.cursor();
  note.reason = reason;
  note.boundary = boundary;
  note.mode = mxcsr_mode();
  if (call == nullptr) return note;
  note.has_call = true;
  note.call_op = call->op;
  for (const Operand& operand : call->operands)
    note.operands.push_back(note_operand(pending, operand));
  note.attrs = call->attrs.flat().vec();
  return note;
}

std::string numbered(char kind, int number) {
  return std::string(1, kind).append(std::to_string(number));
}

std::string text_of(ValueRef ref) {
  switch (ref.kind()) {
    case ValueRef::Kind::kSlot:
      return numbered('v', ref.index());
    case ValueRef::Kind::kExternal:
      return numbered('x', ref.index());
    case ValueRef::Kind::kScalar:
      return numbered('s', ref.index());
  }
  __builtin_unreachable();
}

std::string layout_text(const Layout* layout) {
  return layout == nullptr ? "a layout that is not interned" : to_string(*layout);
}

std::string text_of(const NotedOperand& operand) {
  if (!operand.is_tensor) return graph::print_scalar(operand.scalar);
  return operand.known ? text_of(operand.ref) : layout_text(operand.layout);
}

// mul(v3, x1)
template <class List, class Text>
std::string call_text(Op op, const List& operands, Text text) {
  std::string call(name(op));
  call += '(';
  const char* separator = "";
  for (const auto& operand : operands) {
    call += separator + text(operand);
    separator = ", ";
  }
  return call + ')';
}

std::string expected_call(const MatchTable& table, const TraceOp& op) {
  return call_text(op.op, table.trace.operands_of(op), [&](ValueRef ref) {
    return ref.kind() == ValueRef::Kind::kScalar && table.guarded[ref.index()]
               ? graph::print_scalar(table.trace.scalars[ref.index()])
               : text_of(ref);
  });
}

std::string hex(uint32_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

// The number of the first operand for which `differs(expected, actual)` holds, or -1.
template <class Differs>
int first_operand(const MatchTable& table, const ExitNote& note, Differs differs) {
  const auto refs = table.trace.operands_of(table.trace.ops[note.op]);
  for (size_t i = 0; i < std::min(refs.size(), note.operands.size()); ++i)
    if (differs(refs[i], note.operands[i])) return static_cast<int>(i);
  return -1;
}

bool has_other_layout(const MatchTable& table, ValueRef ref, const NotedOperand& operand) {
  return ref.kind() == ValueRef::Kind::kExternal && operand.is_tensor &&
         operand.layout != table.trace.externals[ref.index()];
}

bool has_other_value(const MatchTable& table, ValueRef ref, const NotedOperand& operand) {
  return ref.kind() == ValueRef::Kind::kScalar && table.guarded[ref.index()] &&
         !operand.is_tensor && !operand.scalar.identical(table.trace.scalars[ref.index()]);
}

// The guard that failed, where one did. False where the call itself is another.
bool describe_guard(const MatchTable& table, const ExitNote& note, PlanExit* exit) {
  const auto refs = table.trace.operands_of(table.trace.ops[note.op]);
  const auto find = [&](auto differs) {
    const int i = first_operand(table, note, [&](ValueRef ref, const NotedOperand& operand) {
      return differs(ref, operand);
    });
    if (i >= 0) exit->subject = text_of(refs[i]);
    return i;
  };
  if (note.reason == Reason::other_layout) {
    const int i = find([&](auto ref, auto& o) { return has_other_layout(table, ref, o); });
    if (i < 0) return false;
    exit->expected = to_string(*table.trace.externals[refs[i].index()]);
    exit->actual = layout_text(note.operands[i].layout);
    return true;
  }
  if (note.reason == Reason::other_scalar) {
    const int i = find([&](auto ref, auto& o) { return has_other_value(table, ref, o); });
    if (i < 0) return false;
    exit->expected = graph::print_scalar(table.trace.scalars[refs[i].index()]);
    exit->actual = graph::print_scalar(note.operands[i].scalar);
    return true;
  }
  if (note.reason == Reason::exposed_operand) {
    const int i = find([](auto, auto& o) { return o.exposed; });
    exit->expected = "memory that only Frit writes to";
    exit->actual = "memory that the host may write to";
    return i >= 0;
  }
  return false;
}

std::string actual_call(const ExitNote& note) {
  if (!note.has_call) return "the end: " + std::string(capture::info(note.boundary).text);
  return call_text(note.call_op, note.operands,
                   [](const NotedOperand& operand) { return text_of(operand); });
}

void log_exit(const Plan& plan, const PlanExit& exit) {
  base::LogLine("exit")
      .add("plan", plan.id)
      .add("step", exit.step)
      .add("reason", exit.reason)
      .add("call", exit.call)
      .add("subject", exit.subject)
      .add("expected", exit.expected)
      .add("actual", exit.actual);
}

void profile_exit(const Plan& plan, const PlanExit& exit) {
  base::ProfileEvent event("exit", "exit: " + exit.reason);
  event.note("plan", static_cast<int64_t>(plan.id)).note("step", exit.step);
  event.note("call", exit.call).note("subject", exit.subject);
  event.note("expected", exit.expected).note("actual", exit.actual);
}

}  // namespace

PlanExit describe_exit(const MatchTable& table, const ExitNote& note) {
  PlanExit exit;
  if (note.op < 0 || note.op >= static_cast<int>(table.trace.ops.size())) return exit;
  const TraceOp& op = table.trace.ops[note.op];
  exit.step = note.op;
  exit.reason = capture::info(note.reason).name;
  exit.text = capture::info(note.reason).text;
  exit.call = expected_call(table, op);
  if (note.reason == Reason::environment) {
    exit.subject = "MXCSR";
    exit.expected = hex(static_cast<uint32_t>(table.environment));
    exit.actual = hex(note.mode);
  } else if (note.reason == Reason::other_attributes) {
    exit.subject = "attributes";
    exit.expected = to_string(op.op, Attrs(table.trace.attrs_of(op)));
    exit.actual = to_string(op.op, Attrs(note.attrs));
  } else if (!describe_guard(table, note, &exit)) {
    exit.subject = "call";
    exit.expected = exit.call;
    exit.actual = actual_call(note);
  }
  return exit;
}

void note_exit(Plan& plan, const Pending& pending, const OpCall* call, Reason reason,
               Reason boundary) {
  ExitNote note = make_note(pending, call, reason, boundary);
  if (base::logs(base::LogCategory::guard)) log_exit(plan, describe_exit(*pending.table(), note));
  if (base::profiling()) profile_exit(plan, describe_exit(*pending.table(), note));
  // By pattern the plan's own trace says what was expected just as well, but for layouts.
  const std::unique_lock lock(plan.noting, std::try_to_lock);
  if (lock.owns_lock()) plan.last_exit = std::move(note);
}

}  // namespace frit::engine
