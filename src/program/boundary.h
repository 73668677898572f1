// Which op calls a program cannot hold.
#pragma once

#include <span>
#include <string_view>

#include "frit/graph.h"
#include "src/ops/infer.h"

namespace frit::program {

// Why the result of this call cannot be foreseen, or empty. An index that may be out of range can
// be: its op is run by eager's kernel, which throws then.
std::string_view boundary(Op op, std::span<const OperandType> operands, const Attrs& attrs);

// The same for a node; the graph's types are those of its ops' rules.
std::string_view boundary(const Graph& graph, const Graph::Node& node);

}  // namespace frit::program
