// Writes the nodes of a graph in their order: by the row of the op, else as what its composite is
// built of, which is a graph of its own.
#include "src/onnx/export_graph.h"

#include "src/graph/graph_builder.h"
#include "src/onnx/export_node.h"
#include "src/onnx/export_table.h"

namespace frit::onnx {
namespace {

Dtype dtype_of_number(Scalar::Kind kind) {
  return kind == Scalar::Kind::kFloat ? kFloat64 : kind == Scalar::Kind::kInt ? kInt64 : kBool;
}

// The call of a composite as a graph: what it builds.
Graph expansion(const Graph& graph, const Graph::Node& node) {
  Graph made(graph.name());
  std::vector<Arg> args;
  for (const Graph::Operand& o : node.operands) {
    Arg arg(o.literal);
    const std::string name = "x" + std::to_string(args.size());
    if (o.is_value())
      arg.value.id = graph.is_scalar(o.value)
                         ? made.add_scalar_input(name, graph.scalar_kind(o.value))
                         : made.add_input(name, graph.layout(o.value));
    args.push_back(arg);
  }
  GraphBuilder builder(&made, std::string(name(node.op)), [&](Graph::ValueId) -> Scalar {
    refuse_node(graph, node, "its form depends on a number that varies from call to call");
  });
  made.set_outputs({expand_composite(builder, node.op, args, Attrs(node.attrs)).id});
  return made;
}

class GraphWriter {
 public:
  // `inputs`: a value for each input of the graph.
  GraphWriter(ModelWriter* model, const Graph& graph, OnnxValues inputs)
      : graph_(graph),
        values_(std::move(inputs)),
        context_{*model, graph, values_, [this](const Graph::Node& node) { expand(node); }} {
    values_.resize(static_cast<size_t>(graph.num_values()));
  }

  // Gives the graph's outputs.
  OnnxValues write() {
    for (const Graph::Node& node : graph_.nodes()) write(node);
    OnnxValues outputs;
    for (const Graph::ValueId v : graph_.outputs()) outputs.push_back(values_[v]);
    return outputs;
  }

 private:
  void write(const Graph::Node& node) {
    if (write_empty(node)) return;
    if (const ExportRow* row = find_export(node.op)) {
      NodeWriter writer(context_, node, *row);
      return row->write(writer);
    }
    if (!is_composite(node.op)) refuse_node(graph_, node, "ONNX has no such op");
    expand(node);
  }

  // Results without elements are constants, whatever the op: runtimes differ in what they take.
  bool write_empty(const Graph::Node& node) {
    if (node.results.empty()) return false;
    for (const Graph::ValueId v : node.results)
      if (graph_.layout(v)->numel != 0) return false;
    for (const Graph::ValueId v : node.results) {
      const TensorType type{graph_.dtype(v), graph_.sizes(v).vec()};
      values_[v] = {context_.model.constant(type, ""), type.dtype};
    }
    return true;
  }

  void expand(const Graph::Node& node) {
    const Graph inner = expansion(graph_, node);
    OnnxValues inputs;
    for (const Graph::Operand& o : node.operands)
      if (o.is_value()) inputs.push_back(values_[o.value]);
    values_[node.results[0]] = GraphWriter(&context_.model, inner, std::move(inputs)).write()[0];
  }

  const Graph& graph_;
  OnnxValues values_;
  NodeWriter::Context context_;
};

}  // namespace

std::string write_graph(const Graph& graph) {
  ModelWriter model;
  OnnxValues inputs;
  for (Graph::ValueId v = 0; v < graph.num_inputs(); ++v) {
    TensorType type{dtype_of_number(graph.scalar_kind(v)), {}};
    if (!graph.is_scalar(v)) type = {graph.dtype(v), graph.sizes(v).vec()};
    inputs.push_back({model.input(graph.input_name(v), type), type.dtype});
  }
  const OnnxValues outputs = GraphWriter(&model, graph, std::move(inputs)).write();
  for (size_t i = 0; i < outputs.size(); ++i)
    model.output(outputs[i].name, {outputs[i].dtype, graph.sizes(graph.outputs()[i]).vec()});
  return model.bytes(graph.name());
}

}  // namespace frit::onnx
