// What an expression has to do whoever does it: bytes that must move, and arithmetic.
#pragma once

#include <cstdint>

#include "frit/graph.h"

namespace frit::tools {

// Inputs read once and outputs written once. An input that is broadcast counts what lies in memory.
int64_t bytes_moved(const Graph& graph);

// Arithmetic of a graph of core ops, by the family of each: elementwise 1 per element of the
// result, reductions 1 per element of the operand, contractions 2 per product, pooling 1 per
// element of a window. Conversions, movement, indexing and sorting count nothing. So exp counts 1,
// as add does.
double num_flops(const Graph& core);

// Elements of the largest input or output: what cycles are counted per.
int64_t num_elements(const Graph& graph);

}  // namespace frit::tools
