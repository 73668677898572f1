// Graph: the SSA form of a trace, handed from stage to stage and to backends.
//
//   graph %mlp(%x: f32[8,16], %w: f32[16,4]) -> f32[8,4] {
//     %0: f32[8,4] = matmul %x, %w
//     %1: f32[8,4] = relu %0
//     return %1
//   }
//
// After capture nodes are user-level ops (operands may differ in dtype and shape, as users wrote
// them); after normalization they are core ops with explicit casts and expands. A value is a
// tensor, or a scalar that is a run-time argument of the graph (type f64, i64 or bool without
// brackets). Literals stand as numbers among the operands. docs/text_forms.md has the grammar.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frit/array_ref.h"
#include "frit/dtype.h"
#include "frit/op.h"
#include "frit/scalar.h"
#include "frit/tensor.h"

namespace frit {

struct Layout;

class Graph {
 public:
  using ValueId = int;

  struct Operand {
    ValueId value = -1;  // -1: `literal`
    Scalar literal;
    bool is_value() const { return value >= 0; }
  };

  struct Node {
    Op op;
    std::vector<Operand> operands;
    std::vector<int64_t> attrs;  // flat, see src/ops/attrs.h; print() shows them by name
    std::vector<ValueId> results;
    std::string origin;  // the composite that this node came from, or empty
  };

  explicit Graph(std::string name = "g") : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  // Building. Inputs come before nodes.
  ValueId add_input(std::string name, const Layout* layout);
  ValueId add_scalar_input(std::string name, Scalar::Kind kind);
  // Appends a node; its result types follow from the op's rule. Throws frit::Error as the call
  // would.
  std::vector<ValueId> add_node(Op op, std::vector<Operand> operands, std::vector<int64_t> attrs,
                                std::string origin = {});
  void set_outputs(std::vector<ValueId> outputs) { outputs_ = std::move(outputs); }

  // Facts.
  int num_values() const { return static_cast<int>(values_.size()); }
  int num_inputs() const { return num_inputs_; }
  bool is_input(ValueId v) const { return v < num_inputs_; }
  bool is_scalar(ValueId v) const { return values_[v].layout == nullptr; }
  const Layout* layout(ValueId v) const { return values_[v].layout; }  // null for a scalar
  Scalar::Kind scalar_kind(ValueId v) const { return values_[v].scalar_kind; }
  Dtype dtype(ValueId v) const;  // of a tensor value
  IntArrayRef sizes(ValueId v) const;
  IntArrayRef strides(ValueId v) const;
  int64_t numel(ValueId v) const;
  bool is_contiguous(ValueId v) const;  // row-major
  Device device(ValueId v) const;
  bool on_cpu() const;  // all tensors are
  const std::string& input_name(ValueId v) const { return values_[v].name; }
  // The node that makes v, or -1 for an input.
  int def(ValueId v) const { return values_[v].node; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  // The text form. parse(print()) is the same graph.
  std::string print() const;
  // %x or %3, as print() names a value.
  std::string value_name(ValueId v) const;

  // Throws Error(kValue) with line and column.
  static Graph parse(std::string_view text);
  // Empty, or the first broken rule: "graph %g: %3 = add %1, %2: operand 2 is ...". `core`: also
  // that every node is a core op whose operands need no promotion or broadcasting.
  std::string verify(bool core = false) const;

 private:
  struct Value {
    const Layout* layout;
    Scalar::Kind scalar_kind;
    int node;
    std::string name;  // of an input
  };

  std::string name_;
  int num_inputs_ = 0;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> outputs_;
};

// An argument for each input of a graph: a tensor, or a scalar.
struct GraphArg {
  Tensor tensor;
  Scalar scalar;
  GraphArg(Tensor t) : tensor(std::move(t)) {}  // NOLINT
  GraphArg(Scalar s) : scalar(s) {}             // NOLINT
};

// Runs the graph op by op with the reference loops, composites expanded: the definition of what a
// graph computes. Throws when arguments do not have the inputs' types.
std::vector<Tensor> interpret(const Graph& graph, std::span<const GraphArg> args);

}  // namespace frit
