// The public calls that export.
#include <cstring>

#include "frit/onnx.h"
#include "src/io/file.h"
#include "src/onnx/export_graph.h"

namespace frit::onnx {
namespace {

// The node alone, of inputs.
Graph graph_of(const Graph& graph, const Graph::Node& node) {
  Graph one(graph.name());
  std::vector<Graph::Operand> operands = node.operands;
  for (Graph::Operand& o : operands) {
    if (!o.is_value()) continue;
    const std::string name = "x" + std::to_string(one.num_inputs());
    o.value = graph.is_scalar(o.value) ? one.add_scalar_input(name, graph.scalar_kind(o.value))
                                       : one.add_input(name, graph.layout(o.value));
  }
  one.set_outputs(one.add_node(node.op, std::move(operands), node.attrs));
  return one;
}

}  // namespace

void save(const Graph& graph, const std::string& path) {
  io::write_file(path, to_bytes(graph), "onnx::save");
}

std::vector<std::byte> to_bytes(const Graph& graph) {
  const std::string text = write_graph(graph);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

bool can_export(const Graph& graph, const Graph::Node& node) {
  try {
    write_graph(graph_of(graph, node));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace frit::onnx
