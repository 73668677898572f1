// Build: from a recorded trace to a plan. build.cc reads as the table of contents of the pipeline.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/capture/reason.h"
#include "src/engine/plan.h"
#include "src/engine/region.h"

namespace frit::engine {

// Per external of a trace that its calls name, the tensor of one run. Short where not all are
// known.
using Examples = std::vector<Tensor>;

struct BuildRequest {
  std::unique_ptr<capture::Trace> trace;
  std::vector<bool> varying;  // scalars that are to be arguments
  std::vector<int> moving;    // ops whose views are to be: see capture/moving.h
  uint64_t region = 0;        // its id; 0 in automatic mode
  std::string backend;
  uint64_t environment = 0;    // see environment_word()
  int64_t eager_ns = 0;        // see Plan
  std::vector<Habit> habits;   // per slot; empty: nothing is known
  const Plan* like = nullptr;  // of the same pattern and scalars, at other sizes; may be null
  bool dynamic = false;        // see CompileOptions
  Examples examples = {};      // of the calls that it is built for
};
// Whether a build is to look for examples: Frit's own code makes none of them.
bool wants_examples(const std::string& backend);
// Those of tensors that are in memory; others are undefined.
Examples examples_of(std::span<TensorImpl* const> externals);

// For calls that are made now, in the region or in none.
BuildRequest new_request(const detail::Region* region);

// Null, with `*reason`, when the trace cannot be compiled.
std::shared_ptr<Plan> build_plan(BuildRequest request, capture::Reason* reason);

// Adds the form of `plan` that produces `wanted`; at the limit one that produces more, in the end
// every root. Null when it cannot be built.
Variant* add_variant(Plan& plan, const std::vector<bool>& wanted, const Examples& examples);

// The graph of core ops that a form comes from, made again where it was not kept; none for backends
// at capture.
std::optional<Graph> core_graph_of(const Plan& plan, const Variant& variant);

// Counts of the compiler, for stats().
void add_build_counters(Stats* stats);

}  // namespace frit::engine
