// What is known about a side exit: kept with the plan as facts, turned into text when somebody
// asks.
#pragma once

#include <vector>

#include "frit/compile.h"
#include "src/capture/match.h"

namespace frit::engine {

struct Plan;

// An operand of the call that came.
struct NotedOperand {
  bool known = false;              // `ref` says which value of the trace it is
  capture::ValueRef ref;           // of a tensor
  const Layout* layout = nullptr;  // of a tensor; null where it is not interned
  bool is_tensor = false, exposed = false;
  Scalar scalar;
};

struct ExitNote {
  int op = -1;  // position of the expected call; -1: the plan was never left
  capture::Reason reason{};
  bool has_call = false;       // else the trace ended, for `boundary`
  capture::Reason boundary{};  // why
  Op call_op{};
  std::vector<NotedOperand> operands;
  std::vector<int64_t> attrs;
  uint32_t mode = 0;  // MXCSR's
};

// Keeps with the plan, logs and profiles that what is pending does not go on with `call`; null: the
// trace ends, for the reason `boundary`.
void note_exit(Plan& plan, const capture::Pending& pending, const OpCall* call,
               capture::Reason reason, capture::Reason boundary);

// The note as text.
PlanExit describe_exit(const capture::MatchTable& table, const ExitNote& note);

}  // namespace frit::engine
