// Normalize: from a graph of user-level ops to one of core ops, by a readable list of passes.
//
//   NormalizeContext context{.scalar_values = values};
//   Graph core = normalize(captured, &context);     // context.assumptions now hold as guards
//
// Each pass is a free function in the file of its name that rewrites the graph and says whether it
// changed anything. Passes keep shape, dtype and bits of every output (contract C1), and never let
// an output become an input or another output, since eager would have made a tensor of its own.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frit/graph.h"

namespace frit {

// A fact that a rewrite used: the scalar input has this value, bit for bit. It becomes a guard.
struct Assumption {
  Graph::ValueId scalar_input;
  Scalar value;
  std::string used_by;  // the op whose form depends on it
};

// What the arithmetic that the graph is built for does with denormals: they may be zero, as
// operands or as results, by MXCSR. Roundings are to nearest.
enum class Denormals : uint8_t { kKept, kZero };

struct NormalizeContext {
  // The scalars seen when the graph was recorded, by value id; tensor inputs have any value.
  std::vector<Scalar> scalar_values;
  // Composites that stay whole, because the backend has its own form for them.
  std::set<Op> keep;
  Denormals denormals = Denormals::kKept;
  // Out: what the result relies on.
  std::vector<Assumption> assumptions;
  // If set, called after each pass that changed the graph.
  std::function<void(std::string_view pass, const Graph&)> after_pass;
};

// Notes that the graph holds only for the recorded value of this scalar input, because of `op`.
void assume(NormalizeContext* context, Graph::ValueId scalar_input, Op op);

using Pass = bool (*)(Graph* graph, NormalizeContext* context);
struct NamedPass {
  std::string_view name;
  Pass run;
};

// The passes in order.
std::span<const NamedPass> normalize_passes();

// Runs all passes. Throws Error(kNotImplemented) where a node has no core form.
Graph normalize(const Graph& graph, NormalizeContext* context);
Graph run_passes(const Graph& graph, std::span<const NamedPass> passes, NormalizeContext* context);

namespace passes {
bool expand_composites(Graph* graph, NormalizeContext* context);
bool promote_and_broadcast(Graph* graph, NormalizeContext* context);
bool simplify(Graph* graph, NormalizeContext* context);
bool eliminate_common(Graph* graph, NormalizeContext* context);
bool eliminate_dead(Graph* graph, NormalizeContext* context);
}  // namespace passes

}  // namespace frit
