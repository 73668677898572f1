// From a graph of core ops to what runs it by kernels of our own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frit/compile.h"
#include "frit/graph.h"
#include "src/runtime/executor.h"

namespace frit::engine {

// Eager made the outputs in the layouts of its graph; what is compiled must make them in the same.
bool same_output_layouts(const Graph& captured, const Graph& core);

// The one that all values lie on; nothing where there are several.
std::optional<Device> device_of(const Graph& graph);

// Null, with the reason, where the graph cannot be scheduled or no writer takes one of its kernels.
std::unique_ptr<runtime::Executor> make_executor(const Graph& core, std::string* reason);

// Whether its outputs have eager's bits: no plug-in made a kernel.
bool is_exact(const runtime::Executor& executor);

// Fills in kernels, fallbacks, listings and writers.
void describe_executor(const runtime::Executor& executor, PlanForm* form);

// Counts, by its text, why something runs by eager kernels or not at all.
void note_fallback(const std::string& text);
void add_fallbacks(Stats* stats);

}  // namespace frit::engine
