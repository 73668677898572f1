// Runs one kernel on random operands twice, compiled and interpreted, and compares all memory.
//
//   EXPECT_EQ(disagreement(*writer, kernel, {.sizes = {5, 33}, .seed = 1}), "");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frit/kernel.h"

namespace frit::codegen {

struct CaseOptions {
  std::vector<int64_t> sizes;  // of each loop dimension
  uint32_t seed = 1;
  int64_t offset = 1;   // of buffers from an aligned address, in elements
  bool special = true;  // among the elements: inf, NaN, -0.0, denormals, extremes
  double range = 16;    // of the others
};

// Empty where both agree on every byte of every buffer and of what lies around them; NaN equals
// NaN. Else what differs, or why the writer refused ("refused: ...").
std::string disagreement(const Kernel& kernel, const CompiledKernel& compiled,
                         const CaseOptions& options);
std::string disagreement(Writer& writer, const Kernel& kernel, const CaseOptions& options);

}  // namespace frit::codegen
