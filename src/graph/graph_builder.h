// GraphBuilder: an OpBuilder that appends nodes to a graph, so that composites can be expanded into
// it.
#pragma once

#include <functional>
#include <string>

#include "frit/graph.h"
#include "src/ops/builder.h"

namespace frit {

class GraphBuilder : public OpBuilder {
 public:
  using OpBuilder::op;

  // Appends to `graph`. Nodes get `origin`. `assume` is asked for the value of a scalar input (by
  // value id) when a composite's form depends on it; it notes the assumption.
  GraphBuilder(Graph* graph, std::string origin,
               std::function<Scalar(Graph::ValueId scalar_input)> assume)
      : graph_(graph), origin_(std::move(origin)), assume_(std::move(assume)) {}

  Value op(Op op, std::span<const Arg> args, const Attrs& attrs) override;
  const Layout& layout(Value v) override { return *graph_->layout(v.id); }
  bool is_tensor(const Arg& arg) override {
    return arg.is_value() && graph_->layout(arg.value.id) != nullptr;
  }
  Scalar assume(const Arg& scalar) override {
    return scalar.is_value() ? assume_(scalar.value.id) : scalar.scalar;
  }

 private:
  Graph* graph_;
  std::string origin_;
  std::function<Scalar(Graph::ValueId)> assume_;
};

}  // namespace frit
