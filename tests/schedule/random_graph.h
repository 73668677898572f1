// Random core graphs with arguments, for comparing ways of running them.
//
//   if (auto made = random_case(seed)) first_difference(run(made->core), made->expected);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frit/graph.h"
#include "src/normalize/normalize.h"

namespace frit {

struct RandomCase {
  Graph captured;  // of user-level ops
  Graph core;
  std::vector<GraphArg> args;
  std::vector<Tensor> expected;  // what interpret() gives for `core`
  NormalizeContext context;      // what normalize used
};

// User-level ops on operands of several dtypes, layouts and broadcast sizes, some of them views,
// normalized. Nothing where the graph cannot be run, as for a division of integers by zero.
std::optional<RandomCase> random_case(uint32_t seed, int num_nodes);

}  // namespace frit
