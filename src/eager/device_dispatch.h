// Ops on tensors of other devices than the CPU: by the device's kernels, else on the CPU.
#pragma once

#include <map>
#include <string>

#include "src/ops/call.h"

namespace frit::eager {

// Runs a call with an operand on another device than the CPU, or, where no operand is a tensor,
// what makes one on it (default_device). Operands are materialised. Throws Error(kRuntime) where
// operands lie on different devices, but for what PyTorch allows: store, one element on the CPU
// (rank 0), indices on the CPU.
void run_on_device(const OpCall& call, Tensor* results);

// How often an op ran on the CPU for want of a kernel: "npu add" -> 3.
void add_device_fallbacks(std::map<std::string, int64_t>* counts);

}  // namespace frit::eager
