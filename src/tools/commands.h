// The commands of `frit`, each with its arguments as given. They print to stdout and throw on
// errors.
#pragma once

#include <string>
#include <vector>

#include "src/tools/arguments.h"

namespace frit::tools {

// Runs a model once and prints its outputs, or writes them to files NAME.npy in --output-dir
// (letters, digits, '.', '_' and '-' of the name stay; equal names are numbered).
// Inputs that are not given are seeded random values of the declared shapes, where an open
// dimension is 1.
void run_model(const std::vector<std::string>& arguments);
// Runs a model until it is compiled and prints its plans: guards, graphs, kernels, fallbacks. With
// --json as one object, listings of machine code included.
void explain_model(const std::vector<std::string>& arguments);
// Measures an expression over the op table: eager, compiling, hot, against what the machine can do.
void bench_expression(const std::vector<std::string>& arguments);
// One line an op: name, family, meaning. With --core what core ops are, exactly.
void list_ops(const std::vector<std::string>& arguments);
void print_core_ops();
void list_flags(const std::vector<std::string>& arguments);

}  // namespace frit::tools
