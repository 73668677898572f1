// Recording: what one run of a function does, as a graph.
#pragma once

#include <vector>

#include "frit/graph.h"
#include "frit/program.h"

namespace frit::program {

struct Recording {
  // The user's ops. Inputs are the examples %x0.., then the constants: params %p0.. and what was
  // captured %c0.., each in order of first use.
  Graph graph;
  std::vector<Tensor> constants;  // copies that nobody else holds
};

// Runs `fn` once, eagerly. Throws what it throws, and Error(kRuntime) at what a program cannot
// hold.
Recording record(const detail::TensorFunction& fn, TensorList examples, TensorList params);

}  // namespace frit::program
