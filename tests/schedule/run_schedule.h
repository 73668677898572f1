// Runs a schedule by its definition: kernels by the kernel interpreter, ops by their reference
// loops.
//
//   Schedule s = schedule(graph);
//   EXPECT_EQ(first_difference(run_schedule(s, args), interpret(graph, args)), "");
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frit/graph.h"
#include "src/schedule/schedule.h"

namespace frit {

// `args` as for interpret(graph, args). The arena is filled with a pattern before the first step.
// With a writer kernels run as its code; one that it does not support is a failure of the test.
std::vector<Tensor> run_schedule(const Schedule& schedule, std::span<const GraphArg> args,
                                 Writer* writer = nullptr);

// Empty where the tensors have equal layouts and bits, NaN being equal to NaN.
std::string first_difference(const std::vector<Tensor>& actual,
                             const std::vector<Tensor>& expected);

// The steps as text: kernels, "call matmul", and the fallbacks.
std::string describe(const Schedule& schedule);

}  // namespace frit
