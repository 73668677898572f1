// Expressions: arithmetic over the op table in one line, as a graph of user ops.
//
//   const NamedInput inputs[] = {{"x", layout_of_x}, {"b", layout_of_b}};
//   Graph graph = parse_expression("gelu(x + b) * sigmoid(x) + b", inputs);
//
// Precedence is Python's: comparisons, | ^ &, + -, * / // @, unary -, **. Calls take operands, then
// attributes by the names of ops.def: softmax(x, dim=-1), sum(x, dims=[1], keepdim=true).
// Attributes that are lists or truth values may be left out: they are empty and false. Numbers may
// stand wherever an op takes a host scalar; arithmetic of numbers alone is done here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "frit/graph.h"

namespace frit::tools {

struct NamedInput {
  std::string name;
  const Layout* layout;
};

// The graph has all the inputs, in their order, and one output. Throws Error with the column of
// what is wrong: no such op, input or attribute, or what the op itself has to say.
Graph parse_expression(std::string_view text, std::span<const NamedInput> inputs);

}  // namespace frit::tools
