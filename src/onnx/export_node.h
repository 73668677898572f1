// What the functions of the export table see of a node: its operands as values of the ONNX model,
// and the nodes that they append.
//
//   void write_frac(NodeWriter& w) {
//     const OnnxValue x = w.promoted()[0];
//     w.result(w.op("Sub", {x, w.op("Floor", {x})}));
//   }
//
// ONNX wants equal dtypes where Frit promotes, and has fewer of them for most ops. A row of the
// table says which its ONNX op is written in; operands of others are cast to one that holds their
// numbers, as Frit computes them: the 16-bit floats in f32, small ints in i32 (or i64), bool
// likewise. Results are cast back, which rounds once and drops the upper bits.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frit/graph.h"
#include "src/onnx/model_writer.h"
#include "src/tensor/layout.h"

namespace frit::onnx {

// A value of the model.
struct OnnxValue {
  std::string name;
  Dtype dtype;
};
using OnnxValues = std::vector<OnnxValue>;

// A set of dtypes.
class Types {
 public:
  constexpr Types(std::initializer_list<Dtype> list) {
    for (const Dtype d : list) bits_ |= 1u << static_cast<int>(d);
  }
  constexpr bool has(Dtype d) const { return (bits_ >> static_cast<int>(d) & 1) != 0; }

 private:
  uint32_t bits_ = 0;
};

class NodeWriter;

// A row of the table: how nodes of an op are written.
struct ExportRow {
  Op op;
  void (*write)(NodeWriter& w);
  std::string_view type;  // the ONNX op, where `write` serves several rows
  Types types;            // that it is written in
};

class NodeWriter {
 public:
  // What one graph is written into: the values so far, by their number in the graph.
  struct Context {
    ModelWriter& model;
    const Graph& graph;
    OnnxValues& values;
    // Writes the node as the nodes that its composite builds.
    std::function<void(const Graph::Node&)> expand;
  };
  NodeWriter(Context& context, const Graph::Node& node, const ExportRow& row)
      : context_(context), node_(node), row_(row) {}

  // Facts of the node.
  const ExportRow& row() const { return row_; }
  Op op() const { return node_.op; }
  int num_operands() const { return static_cast<int>(node_.operands.size()); }
  bool is_tensor(int i) const;
  const Layout& layout(int i) const;  // of a tensor operand
  const Layout& result_layout(int i = 0) const;
  int result_count() const { return static_cast<int>(node_.results.size()); }
  bool is_used(int result) const;
  IntArrayRef attrs() const { return node_.attrs; }
  int64_t int_attr(std::string_view name) const;
  bool bool_attr(std::string_view name) const { return int_attr(name) != 0; }
  std::vector<int64_t> list_attr(std::string_view name) const;
  // A dimension, counted from the front; 0 of a tensor without dimensions.
  int64_t dim_attr(std::string_view name, int operand = 0) const;
  // The number that stands as operand i; nothing where it varies from call to call.
  std::optional<Scalar> literal(int i) const;
  // The same, refusing where it varies.
  Scalar known(int i) const;

  // Operands as values.
  OnnxValue operand(int i) const;               // a tensor in its dtype
  OnnxValue operand(int i, Dtype dtype) const;  // tensor or number
  // The dtype that the row's op computes `dtype` in.
  Dtype written_in(Dtype dtype) const;
  // A tensor operand in that.
  OnnxValue widened(int i) const { return operand(i, written_in(layout(i).dtype)); }
  // All operands of an elementwise op, promoted, in what the row's op computes the promoted dtype
  // in; `where`'s condition as bool.
  OnnxValues promoted() const;

  // Appends. The first input's dtype is the result's.
  OnnxValue op(std::string_view type, const OnnxValues& inputs, Attributes attributes = {}) const;
  OnnxValue op_giving(Dtype dtype, std::string_view type, const OnnxValues& inputs,
                      Attributes attributes = {}) const;
  OnnxValues op_giving(const std::vector<Dtype>& dtypes, std::string_view type,
                       const OnnxValues& inputs, Attributes attributes = {}) const;
  OnnxValue test(std::string_view type, const OnnxValues& inputs) const {
    return op_giving(kBool, type, inputs);
  }
  OnnxValue cast(const OnnxValue& x, Dtype dtype) const;
  OnnxValue reshape(const OnnxValue& x, IntArrayRef sizes) const;
  OnnxValue expand_to(const OnnxValue& x, IntArrayRef sizes) const;
  OnnxValue permute(const OnnxValue& x, const std::vector<int64_t>& dims) const;
  // Constants: a number without dimensions, a row of i64.
  OnnxValue number(const Scalar& value, Dtype dtype) const;
  OnnxValue ints(IntArrayRef values) const;

  // Result i is `x`, cast to its dtype.
  void result(const OnnxValue& x, int i = 0) const;
  // Instead of all that: the nodes of the composite.
  void expand() const { context_.expand(node_); }
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  Context& context_;
  const Graph::Node& node_;
  const ExportRow& row_;
};

// Throws Error(kNotImplemented): onnx(%trace): unsupported op: erfinv(f32[3]): why
[[noreturn]] void refuse_node(const Graph& graph, const Graph::Node& node, const std::string& why);

}  // namespace frit::onnx
