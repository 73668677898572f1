// From a graph to a plan: what the families of ops have in common.
//
// Each family has a function that lowers a node, or says that the node is none of its own. Where
// oneDNN has no primitive for a call, or not for its layouts and attributes, it throws Refused.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "frit/attributes.h"
#include "src/backends/onednn_plan.h"

namespace frit::onednn {

using Dims = dnnl::memory::dims;
using ValueId = Graph::ValueId;

// Why a node is none of oneDNN's.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An elementwise op as oneDNN's: alg(x, alpha, beta).
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0, beta = 0;
};

// Elementwise ops that run at the end of another primitive.
struct Fused {
  dnnl::post_ops ops;
  std::vector<std::pair<int, SlotId>> args;
  ValueId result;          // of the last one
  std::vector<int> nodes;  // that are done with
};

class Lowering {
 public:
  Lowering(const Graph& graph, int threads);

  // All of it. Throws Error(kNotImplemented) naming the op that is refused.
  Plan run();

  const Graph& graph() const { return graph_; }
  const dnnl::engine& engine() const { return plan_.engine; }

  // Operand i as memory; a number as one element with so many dimensions.
  SlotId operand(const Graph::Node& node, size_t i, int rank = 1);
  bool is_tensor(const Graph::Node& node, size_t i) const;
  // A literal among the operands.
  std::optional<double> literal(const Graph::Node& node, size_t i) const;
  // Throws Refused where it is none.
  double needed_literal(const Graph::Node& node, size_t i, const char* what) const;

  const Desc& desc(SlotId slot) const { return plan_.slots[static_cast<size_t>(slot)].desc; }
  // Memory for a value, in the graph's layout.
  SlotId result(ValueId value);
  SlotId scratch(const Desc& desc);
  // The same memory under another layout.
  SlotId view(SlotId of, const Desc& desc, int64_t byte_offset = 0);
  // The slot itself where it has this layout, else a copy that has.
  SlotId in_layout(SlotId slot, const Desc& desc);
  void copy(SlotId from, SlotId to);
  // Makes a value a view of another slot.
  void set_view(ValueId value, SlotId slot) { slot_of_[static_cast<size_t>(value)] = slot; }

  // Appends a primitive with scratch memory of its own.
  template <class PrimitiveDesc>
  void add(const PrimitiveDesc& pd, const dnnl::primitive& primitive,
           std::vector<std::pair<int, SlotId>> args) {
    if (pd.scratchpad_desc().get_size() > 0)
      args.emplace_back(DNNL_ARG_SCRATCHPAD, scratch(pd.scratchpad_desc()));
    append({primitive, std::move(args)});
  }
  // What primitives are made with.
  static dnnl::primitive_attr attr(const dnnl::post_ops& ops = {});

  // The ops that follow the node and can run at its end.
  Fused fusable_after(const Graph::Node& node);
  void set_done(const Fused& fused);

 private:
  void lower(const Graph::Node& node);
  template <class Step>
  void try_lower(const std::string& what, Step step);
  void append(Step step);
  int add_buffer(Buffer buffer);
  SlotId add_slot(int buffer, int64_t offset, const Desc& desc);
  SlotId number(const Graph::Operand& operand, int rank);
  SlotId slot_of(ValueId value);
  void store_outputs();
  bool fuse(const Graph::Node& node, ValueId fused, Fused* into);

  const Graph& graph_;
  Plan plan_;
  std::vector<SlotId> slot_of_;  // per value; -1: not yet
  std::vector<int> uses_, only_user_;
  std::vector<int> output_of_;  // per value, the output that it fills; -1
  std::vector<bool> done_;      // per node
};

// A value's layout. Throws Refused for dtypes that oneDNN has not, and where there are no elements.
Desc desc_of(const Graph& graph, ValueId value);
Dims dims_of(const Desc& desc);
Dims strides_of(const Desc& desc);
Dims to_dims(IntArrayRef list);
Desc with_dims(const Desc& like, const Dims& dims, const Dims& strides);
Desc row_major(const Desc& like, const Dims& dims);
bool is_row_major(const Desc& desc);
// Dimensions that repeat one element become dimensions of size 1, which oneDNN broadcasts.
Desc narrowed(const Desc& desc);
// With dimensions of size 1 in front.
Desc with_rank(const Desc& desc, int rank);

std::optional<Eltwise> eltwise_of(const Lowering& lowering, const Graph::Node& node);
std::optional<dnnl::algorithm> binary_of(const Graph::Node& node);
// a op b is b op a.
bool commutes(dnnl::algorithm algorithm);

// The families: whether the node is theirs, and then lowered.
bool lower_pointwise(Lowering& lowering, const Graph::Node& node);
bool lower_view(Lowering& lowering, const Graph::Node& node);
bool lower_product(Lowering& lowering, const Graph::Node& node);
bool lower_convolution(Lowering& lowering, const Graph::Node& node);
bool lower_layer(Lowering& lowering, const Graph::Node& node);
bool lower_window(Lowering& lowering, const Graph::Node& node);

}  // namespace frit::onednn
