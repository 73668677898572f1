// A foreign backend's callable as an executable.
#pragma once

#include <memory>

#include "frit/backend.h"
#include "src/engine/plan.h"

namespace frit::engine {

// What a backend gave for output i, in memory of its own, at offset 0 and in the layout that its
// graph states; an Error naming the backend where that cannot be.
Tensor own_output(const std::string& backend, const Layout* stated, Tensor result, size_t i);

// `graph` states the layouts of the outputs, which are checked at each run: what does not fit is an
// Error naming the backend.
std::unique_ptr<Executable> foreign_executable(std::string backend, Graph graph,
                                               CompiledGraph compiled, bool exact);

}  // namespace frit::engine
