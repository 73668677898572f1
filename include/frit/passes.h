// Passes over graphs: Frit's own, by name, a runner for those of a backend, and what one is written
// with.
//
//   bool fuse(frit::Graph& graph) {          // b + x * y = addcmul(b, x, y, 1)
//     frit::GraphRewriter rewriter(graph);
//     for (const frit::Graph::Node& node : graph.nodes()) {
//       const frit::Graph::Node* mul = rewriter.only_use_of("mul", node, 1);
//       if (name(node.op) != "add" || mul == nullptr) rewriter.copy(node);
//       else rewriter.replace_by(node, "addcmul",
//                                {node.operands[0], mul->operands[0], mul->operands[1],
//                                {-1, 1.0}});
//     }
//     return rewriter.finish();
//   }
//
//   std::vector<frit::NamedPass> passes = frit::list_passes();
//   passes.insert(passes.begin(), {"fuse", fuse});
//   frit::run_passes(graph, passes);
//
// docs/extending.md has a backend that does this.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frit/backend.h"
#include "frit/graph.h"

namespace frit {

// Rewrites a graph, and says whether it changed anything. It keeps the graph's inputs, and the
// dtypes and sizes of its outputs.
using Pass = std::function<bool(Graph& graph)>;
struct NamedPass {
  std::string name;
  Pass run;
};

// Frit's passes from a program's ops to core ops, in the order in which normalized() runs them:
// expand_composites, promote_and_broadcast, simplify, eliminate_common, eliminate_dead. They keep
// eager's bits where the ops do. `guards` say which arithmetic the graph is for: without them,
// denormals are kept. A pass throws Error(kNotImplemented) where the form of the graph depends on
// the value of a scalar input, of which there is no guard.
std::vector<NamedPass> list_passes(const Decompositions& decompositions = {},
                                   const GuardSet& guards = {});

// Runs the passes one after the other, and again until none changes anything; says whether any did.
// Throws Error(kRuntime) naming the pass where the graph breaks a rule after it (in debug builds,
// and with FRIT_VERIFY=1), where it has changed inputs or the types of outputs, and where after 32
// rounds there is no end.
bool run_passes(Graph& graph, std::span<const NamedPass> passes);

// Copies a graph node by node while some of the nodes are replaced. Values are the old graph's,
// unless it says otherwise. What nothing reads any more stays, for eliminate_dead.
class GraphRewriter {
 public:
  // The graph must outlive it, unchanged until finish().
  explicit GraphRewriter(Graph& graph);
  ~GraphRewriter();
  GraphRewriter(const GraphRewriter&) = delete;
  GraphRewriter& operator=(const GraphRewriter&) = delete;

  // Facts of the old graph. How many operands and outputs are this value:
  int num_uses(Graph::ValueId value) const;
  // The node that makes operand i of `node`, if it is an `op` whose one result is used there alone;
  // else null.
  const Graph::Node* only_use_of(std::string_view op, const Graph::Node& node, int i) const;

  // Appends the node as it is, of the operands' new values.
  void copy(const Graph::Node& node);
  // Appends another node, and gives its results, which are of the new graph. `attributes` as
  // attributes_of() makes them. Throws as a call of the op would.
  std::vector<Graph::ValueId> add(std::string_view op, std::vector<Graph::Operand> operands,
                                  std::vector<int64_t> attributes = {}, std::string origin = {});
  // The same for operands of the new graph.
  std::vector<Graph::ValueId> add_new(std::string_view op, std::vector<Graph::Operand> operands,
                                      std::vector<int64_t> attributes = {},
                                      std::string origin = {});
  // Puts a value of the new graph in the place of an old one. Both have the same dtype and sizes;
  // throws Error(kValue) else.
  void replace(Graph::ValueId old, Graph::ValueId made);
  // Puts one new node in the place of an old one, results in order.
  void replace_by(const Graph::Node& old, std::string_view op, std::vector<Graph::Operand> operands,
                  std::vector<int64_t> attributes = {});
  // The new value of an old one. Throws Error(kValue) where it was neither copied nor replaced.
  Graph::ValueId value(Graph::ValueId old) const;
  const Graph& made() const;

  // Makes the graph the new one, if anything was replaced: whether that is so. An output that would
  // be an input or another output is a copy of it. Once only.
  bool finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frit
