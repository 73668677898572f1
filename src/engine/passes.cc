// Runs passes of others over a graph, and Frit's own for them.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "frit/passes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "frit/error.h"
#include "src/base/flags.h"
#include "src/engine/built_in_backends.h"
#include "src/engine/plan_guards.h"
#include "src/graph/types.h"
#include "src/normalize/normalize.h"

namespace frit {
namespace {

constexpr int kMaxRounds = 32;

// What one of Frit's passes is told, by every pass of a list.
struct PassFacts {
  engine::Expansions expansions;
  Denormals denormals;
};

// Whether the text is another one: a pass of ours may say so of a graph that it built anew.
bool run_ours(const NormalizePass& pass, const PassFacts& facts, Graph* graph) {
  NormalizeContext context;
  context.keep = facts.expansions.keep;
  context.decompositions = facts.expansions.own;
  context.denormals = facts.denormals;
  context.pass = pass.name;
  context.scalar_values.resize(static_cast<size_t>(graph->num_values()));
  context.withheld.assign(static_cast<size_t>(graph->num_values()), true);
  const std::string before = graph->print();
  try {
    if (!pass.run(graph, &context)) return false;
  } catch (const WithheldFact& fact) {
    throw Error(ErrorKind::kNotImplemented, std::string(pass.name) + "(%" + graph->name() +
                                                "): its form depends on the value of " +
                                                graph->value_name(fact.scalar_input) +
                                                ", which is not guarded");
  }
  return graph->print() != before;
}

// What no pass may change.
class Signature {
 public:
  explicit Signature(const Graph& graph) {
    for (Graph::ValueId v = 0; v < graph.num_inputs(); ++v) inputs_.push_back(type_of(graph, v));
    for (const Graph::ValueId v : graph.outputs()) outputs_.push_back(type_of(graph, v));
  }
  // Empty, or what differs.
  std::string difference(const Signature& other) const {
    if (inputs_ != other.inputs_) return "its inputs are others";
    return outputs_ != other.outputs_ ? "its outputs are of other types" : "";
  }

 private:
  static constexpr int kNoValue = -100;
  // A kind of number, or a dtype and sizes.
  using Type = std::pair<int, std::vector<int64_t>>;
  static Type type_of(const Graph& graph, Graph::ValueId v) {
    if (v < 0 || v >= graph.num_values()) return {kNoValue, {}};
    if (graph.is_scalar(v)) return {-1 - static_cast<int>(graph.scalar_kind(v)), {}};
    return {static_cast<int>(graph.dtype(v)), graph.sizes(v).vec()};
  }
  std::vector<Type> inputs_, outputs_;
};

void check(const NamedPass& pass, const Graph& graph, const Signature& before) {
  std::string problem = base::flags().verify ? graph.verify() : "";
  if (problem.empty()) problem = before.difference(Signature(graph));
  if (problem.empty()) return;
  throw Error(ErrorKind::kRuntime,
              "run_passes(%" + graph.name() + "): wrong graph after " + pass.name + ": " + problem);
}

}  // namespace

std::vector<NamedPass> list_passes(const Decompositions& decompositions, const GuardSet& guards) {
  const auto facts = std::make_shared<const PassFacts>(PassFacts{
      engine::expansions_of(decompositions, "list_passes"), engine::denormals_in(guards)});
  std::vector<NamedPass> passes;
  for (const NormalizePass& pass : normalize_passes())
    passes.push_back({std::string(pass.name),
                      [pass, facts](Graph& graph) { return run_ours(pass, *facts, &graph); }});
  return passes;
}

bool run_passes(Graph& graph, std::span<const NamedPass> passes) {
  for (const NamedPass& pass : passes)
    if (!pass.run)
      throw Error(ErrorKind::kValue, "run_passes(" + pass.name + "): the function is empty");
  const Signature signature(graph);
  std::string last;
  for (int round = 0; round < kMaxRounds; ++round) {
    last.clear();
    for (const NamedPass& pass : passes) {
      if (!pass.run(graph)) continue;
      last = pass.name;
      check(pass, graph, signature);
    }
    if (last.empty()) return round > 0;
  }
  throw Error(ErrorKind::kRuntime, "run_passes(%" + graph.name() + "): no end: " + last +
                                       " still changes the graph after " +
                                       std::to_string(kMaxRounds) + " rounds");
}

}  // namespace frit
