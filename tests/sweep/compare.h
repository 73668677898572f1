// Runs sweep cases and compares what came out, for tests that hold two ways of running ops to each
// other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frit/error.h"
#include "tests/sweep/cases.h"

namespace frit::sweep {

// What one run of a case came to.
struct Outcome {
  std::optional<ErrorKind> error;
  std::string error_text;
  std::vector<Tensor> results;  // an op that writes: its first operand
};

Outcome run_case(const SweepCase& c, void (*run)(const OpCall& call, Tensor* results));

// Empty where both threw the same kind of error, or gave tensors of equal layouts and bits (NaN
// equals NaN); else what differs first.
std::string compare(const Outcome& a, const Outcome& b);
std::string compare(const Tensor& a, const Tensor& b);

}  // namespace frit::sweep
