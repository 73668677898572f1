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
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frit/custom_op.h"
#include "frit/graph.h"

namespace frit {

// What the arithmetic that the graph is built for does with denormals: they may be zero, as
// operands or as results, by MXCSR. Roundings are to nearest.
enum class Denormals : uint8_t { kKept, kZero };

// The kinds of facts that must be noted, see facts.def.
enum class Fact : uint8_t {
#define FRIT_FACT(kind, ...) kind,
#include "src/normalize/facts.def"
};

// A fact that a rewrite used, and who used it. It must be among the guards.
struct Assumption {
  Fact fact;
  Graph::ValueId scalar_input = -1;  // kScalar
  Scalar value;                      // kScalar
  Denormals denormals{};             // kDenormals
  std::string_view pass;
  Op op;  // whose form depends on it

  // "s1 == 2: expand_composites, pow"; "denormals are kept: simplify, mul"
  std::string str(const Graph& graph) const;
};

struct NormalizeContext {
  // The scalars seen when the graph was recorded, by value id; tensor inputs have any value. Passes
  // read them through assume_scalar().
  std::vector<Scalar> scalar_values;
  // Composites that stay whole, because the backend has its own form for them.
  std::set<Op> keep;
  // Ops that the backend decomposes itself, composite or not.
  std::map<Op, std::function<OpExpansion::Value(OpExpansion&)>> decompositions;
  // Passes read it through assume_denormals().
  Denormals denormals = Denormals::kKept;
  // Out: what the result relies on.
  std::vector<Assumption> assumptions;
  // If set, called after each pass that changed the graph.
  std::function<void(std::string_view pass, const Graph&)> after_pass;
  // The pass that runs.
  std::string_view pass;
  // Scalar inputs, by value id, whose values nobody may use; empty: none. For the verifier.
  std::vector<bool> withheld;
};

// Thrown where a pass asks for a value that is withheld.
struct WithheldFact {
  Graph::ValueId scalar_input;
};

// The value of a scalar input. Notes that the graph holds only for this value, because of `op`.
Scalar assume_scalar(NormalizeContext* context, Graph::ValueId scalar_input, Op op);

// What happens to denormals. Notes that the graph holds only for this mode, because of `op`: to be
// asked last, when all else that the rewrite needs is there.
Denormals assume_denormals(NormalizeContext* context, Op op);

struct NormalizePass {
  std::string_view name;
  bool (*run)(Graph* graph, NormalizeContext* context);
};

// The passes in order.
std::span<const NormalizePass> normalize_passes();

// Runs all passes. Throws Error(kNotImplemented) where a node has no core form.
Graph normalize(const Graph& graph, NormalizeContext* context);
Graph run_normalize(const Graph& graph, std::span<const NormalizePass> passes,
                    NormalizeContext* context);

namespace passes {
bool expand_composites(Graph* graph, NormalizeContext* context);
bool promote_and_broadcast(Graph* graph, NormalizeContext* context);
bool simplify(Graph* graph, NormalizeContext* context);
bool eliminate_common(Graph* graph, NormalizeContext* context);
bool eliminate_dead(Graph* graph, NormalizeContext* context);
}  // namespace passes

}  // namespace frit
