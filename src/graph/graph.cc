// Builds graphs: values in order of their making, types from the ops' rules.
#include "frit/graph.h"

#include <algorithm>

#include "frit/error.h"
#include "src/base/check.h"
#include "src/graph/types.h"
#include "src/ops/infer.h"

namespace frit {

Graph::ValueId Graph::add_input(std::string name, const Layout* layout) {
  FRIT_CHECK(nodes_.empty()) << "inputs come before nodes";
  FRIT_CHECK(layout != nullptr);
  values_.push_back({layout, Scalar::Kind::kFloat, -1, std::move(name)});
  return num_inputs_++;
}

Graph::ValueId Graph::add_scalar_input(std::string name, Scalar::Kind kind) {
  FRIT_CHECK(nodes_.empty()) << "inputs come before nodes";
  values_.push_back({nullptr, kind, -1, std::move(name)});
  return num_inputs_++;
}

namespace {

// Layouts in graphs are compared by their addresses.
void require_interned(Op op, const ResultTypes& types) {
  bool interned = true;
  for (int i = 0; i < types.count; ++i) interned = interned && types.results[i].layout->interned();
  if (interned) return;
  for (int i = 0; i < types.count; ++i) release_layout(types.results[i].layout);
  throw Error(ErrorKind::kOutOfMemory,
              std::string(name(op)) + ": there are too many layouts to keep another one");
}

}  // namespace

std::vector<Graph::ValueId> Graph::add_node(Op op, std::vector<Operand> operands,
                                            std::vector<int64_t> attrs, std::string origin) {
  std::vector<OperandType> types;
  for (const Operand& o : operands) {
    OperandType type;
    if (!o.is_value()) {
      type.scalar = o.literal;
    } else {
      FRIT_CHECK(o.value < num_values());
      type.layout = layout(o.value);
      if (is_scalar(o.value)) type.scalar = graph::any_scalar(scalar_kind(o.value));
    }
    types.push_back(type);
  }
  const ResultTypes inferred = infer(op, types, Attrs(attrs));
  require_interned(op, inferred);
  Node node{op, std::move(operands), std::move(attrs), {}, std::move(origin)};
  for (int i = 0; i < inferred.count; ++i) {
    node.results.push_back(num_values());
    values_.push_back(
        {inferred.results[i].layout, Scalar::Kind::kFloat, static_cast<int>(nodes_.size()), {}});
  }
  nodes_.push_back(std::move(node));
  return nodes_.back().results;
}

Dtype Graph::dtype(ValueId v) const { return layout(v)->dtype; }
IntArrayRef Graph::sizes(ValueId v) const { return layout(v)->sizes(); }
IntArrayRef Graph::strides(ValueId v) const { return layout(v)->strides(); }
int64_t Graph::numel(ValueId v) const { return layout(v)->numel; }
bool Graph::is_contiguous(ValueId v) const { return layout(v)->contiguous; }
Device Graph::device(ValueId v) const { return layout(v)->device; }
bool Graph::on_cpu() const {
  return std::all_of(values_.begin(), values_.end(), [](const Value& value) {
    return value.layout == nullptr || value.layout->device.is_cpu();
  });
}

std::string Graph::value_name(ValueId v) const {
  return "%" + (is_input(v) ? input_name(v) : std::to_string(v - num_inputs_));
}

}  // namespace frit
