// Which op calls may be deferred.
#pragma once

#include "src/ops/call.h"

namespace frit::engine {

enum class Traceability : uint8_t {
  kTraceable,
  kEager,    // the size of its result or an error depends on values: runs at its call
  kExposed,  // an operand's memory may be written by the host unnoticed: runs at its call
  kWrites,   // writes to memory: runs at its call, after all that is pending
};

Traceability traceability(const OpCall& call);

}  // namespace frit::engine
