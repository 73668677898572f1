// A foreign backend's callable as an executable.
#pragma once

#include <memory>

#include "frit/backend.h"
#include "src/engine/plan.h"

namespace frit::engine {

// `graph` states the layouts of the outputs, which are checked at each run: what does not fit is an
// Error naming the backend.
std::unique_ptr<Executable> foreign_executable(std::string backend, Graph graph,
                                               CompiledGraph compiled, bool exact);

}  // namespace frit::engine
