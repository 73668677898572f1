// Eager dispatch: runs an op now. Every public op ends here.
//
//   Tensor y = call(Op::relu, {x});
#pragma once

#include "src/ops/builder.h"
#include "src/ops/call.h"

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

// The kernel of `op` on devices of `device_type`; null where composites or the CPU serve.
EagerKernel kernel_of(uint8_t device_type, Op op);
void register_kernel(uint8_t device_type, Op op, EagerKernel kernel);

// Runs composites at once.
class EagerBuilder : public OpBuilder {
 public:
  using OpBuilder::op;
  Value op(Op op, std::span<const Arg> args, const Attrs& attrs) override;
  const Layout& layout(Value v) override { return *tensors_[v.id].impl()->layout; }
  Scalar assume(const Arg& scalar) override { return scalar.scalar; }

  Value input(Tensor t);
  const Tensor& tensor(Value v) const { return tensors_[v.id]; }

 private:
  std::vector<Tensor> tensors_;
};

}  // namespace frit
