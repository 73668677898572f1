// Graphs as ONNX models, node by node.
#pragma once

#include <string>

#include "frit/graph.h"

namespace frit::onnx {

// The bytes of the model. Throws Error(kNotImplemented) for a node that has no ONNX form.
std::string write_graph(const Graph& graph);

}  // namespace frit::onnx
