// Eager dispatch: runs an op now. Every public op ends here.
//
//   Tensor y = call(Op::relu, {x});
#pragma once

#include "src/ops/infer.h"

namespace frit {

// Tells the observer (which may take the call over), else runs it and fills `results`, one per
// result of the op. Throws frit::Error; nothing has happened then.
void dispatch(const OpCall& call, Tensor* results);

// Runs the call at once, unobserved. Operands are materialised first.
void run_eager(const OpCall& call, Tensor* results);

inline Tensor call(Op op, std::initializer_list<Operand> operands, const Attrs& attrs = Attrs()) {
  Tensor result;
  dispatch({op, {operands.begin(), operands.size()}, attrs}, &result);
  return result;
}

// A kernel runs one call on materialised operands and fills `results`.
using EagerKernel = void (*)(const OpCall& call, Tensor* results);

// That for tensors on the CPU.
EagerKernel cpu_kernel_of(Op op);

}  // namespace frit
