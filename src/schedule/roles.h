// Roles: what each node of a core graph can become, before any fusing, and whose memory each value
// shares.
//
//   Roles roles(graph);
//   roles.of(node).role                      // kPointwise
//   roles.base(view)                         // the value that the view looks at
#pragma once

#include <string>
#include <vector>

#include "frit/graph.h"
#include "src/ops/putting.h"

namespace frit::scheduling {

enum class Role : uint8_t {
  kDead,       // nothing needs it
  kView,       // another layout of its operand's memory
  kConstant,   // the same number everywhere; kernels write it in, see materialized_constant()
  kPointwise,  // an elementwise op, a cast, a copy, a fold of one element a row: part of a kernel
  kReduce,     // folds rows: part of a kernel
  kScan,       // goes along rows, element by element: part of a kernel
  kPut,        // writes to its operand's memory where others say: part of a kernel
  kCall,       // runs by its eager kernel
};

struct NodeRole {
  Role role = Role::kDead;
  std::string
      reason;  // kCall: why there is no kernel; empty where a library call is how it should run
};

class Roles {
 public:
  explicit Roles(const Graph& graph) : Roles(graph, graph, {}) {}
  // Of a graph some of whose nodes are made of others (-1: of none), which errors are about.
  Roles(const Graph& graph, const Graph& user_graph, std::vector<int> came_from);

  const NodeRole& of(int node) const { return nodes_[node]; }
  void make_call(int node, std::string reason) { nodes_[node] = {Role::kCall, std::move(reason)}; }
  // What the program called for this node to be here.
  struct Called {
    const Graph& graph;
    const Graph::Node& node;
  };
  Called called(int node) const;
  // Empty, or why the graph cannot be scheduled at all.
  const std::string& refusal() const { return refusal_; }

  // The value whose memory v shares (v itself where it is no view), and where v's first element
  // lies in it.
  Graph::ValueId base(Graph::ValueId v) const { return bases_[v]; }
  int64_t offset(Graph::ValueId v) const { return offsets_[v]; }

  // The value whose memory v's becomes by a put: v itself where there is none.
  Graph::ValueId memory_of(Graph::ValueId v) const;

  // The role of a scatter or one of its kin.
  NodeRole scatter(const Graph::Node& node) const;

  // Whether v is the same number everywhere; then which, as an operand to be converted to v's
  // dtype.
  bool is_constant(Graph::ValueId v) const;
  Graph::Operand constant(Graph::ValueId v) const;
  // Whether a constant's node must write its value to memory, for a call or as an output.
  bool materialized_constant(int node) const { return materialized_[node]; }

 private:
  void mark_needed();
  void note_view(int node);
  NodeRole role_of(int node) const;
  bool may_raise(const Graph::Node& node, Dtype compute) const;
  NodeRole elementwise(const Graph::Node& node) const;
  NodeRole reduce(const Graph::Node& node) const;
  NodeRole create(const Graph::Node& node) const;
  NodeRole from_memory(const Graph::Node& node) const;
  NodeRole scan(const Graph::Node& node) const;
  void mark_materialized();

  const Graph& graph_;
  const Graph& user_graph_;
  const std::vector<int> came_from_;
  std::vector<NodeRole> nodes_;
  std::vector<bool> needed_, materialized_;
  std::vector<Graph::ValueId> bases_;
  std::vector<Graph::ValueId> written_;  // per value: the result of the put into it, or -1
  std::vector<int64_t> offsets_;
  std::string refusal_;
};

// Whether a node reads its first operand where the others say: part of a kernel, all of whose
// operands are memory.
bool is_take(const Graph::Node& node);
// Whether it reads its operands from memory only: takes, and what reads backwards.
bool reads_memory(const Graph::Node& node);
// Only for a take.
Taking taking_of(const Graph& graph, const Graph::Node& node);
// Whether a node of a kernel puts what its source gives into its first operand.
bool is_put(const Graph::Node& node);
Putting putting_of(const Graph& graph, const Graph::Node& node);
// Whether it needs this operand as memory that others have made.
bool takes_memory(const Graph::Node& node, size_t operand);
// The strides of what a node reads, along each dimension of its loops; and how many elements after
// its operand's first it begins.
Dims read_strides(const Graph& graph, const Graph::Node& node, size_t operand);
int64_t read_offset(const Graph& graph, const Graph::Node& node);

// The facts that the ops' rules want of a node's operands.
ResultTypes infer_node(const Graph& graph, const Graph::Node& node);
// The dtype in which an elementwise node computes.
Dtype compute_dtype(const Graph& graph, const Graph::Node& node);
// The dimensions that a reduction folds, ascending, without those of size 1.
std::vector<int> folded_dims(const Graph& graph, const Graph::Node& node);
// The dimension along which a scan goes.
int scanned_dim(const Graph& graph, const Graph::Node& node);
// Whether a scan is best done for neighbouring rows side by side, with nothing else once a row: its
// elements lie apart while neighbouring rows do not, or its steps are long.
bool scans_side_by_side(const Graph& graph, const Graph::Node& node);
// Whether these dimensions of a layout, outer to inner, are as one.
bool collapses(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides);

}  // namespace frit::scheduling
