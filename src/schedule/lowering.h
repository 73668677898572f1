// Lowering, op by op: which ops kernels are made of, and why the others are not.
#pragma once

#include <string_view>

#include "src/ops/op.h"

namespace frit {

enum class Lowering : uint8_t {
  kKernel,   // part of a kernel, where its dtypes and layouts allow it
  kLibrary,  // a step of a plan by a routine that is written for it: matmul, pooling, cat
  kEager,    // a step of a plan by its eager kernel, counted as a fallback
};

struct OpLowering {
  Lowering how;
  std::string_view reason;  // kEager: why there is no kernel
};

OpLowering lowering_of(Op op);

}  // namespace frit
