// The reference: what every op computes, as one plain loop each, in the canonical orders.
//
//   Tensor y;
//   reference::run({Op::relu, operands, attrs}, &y);
//
// Slow and simple on purpose: interpreters, constant folding and tests use it, and every faster
// kernel gives the same bits. Operands are materialised CPU tensors.
#pragma once

#include <vector>

#include "src/ops/builder.h"
#include "src/ops/call.h"

namespace frit::reference {

// Fills `results`, one per result of the op; composites run as their core ops. Views share storage.
// Throws as eager does, before anything is written.
void run(const OpCall& call, Tensor* results);

// Builds composites out of reference loops.
class ReferenceBuilder : public OpBuilder {
 public:
  using OpBuilder::op;
  Value op(Op op, std::span<const Arg> args, const Attrs& attrs) override;
  const Layout& layout(Value v) override { return *tensor(v).impl()->layout; }
  Scalar assume(const Arg& scalar) override { return scalar.scalar; }

  Value input(Tensor t);
  const Tensor& tensor(Value v) const { return tensors_[static_cast<size_t>(v.id)]; }

 private:
  std::vector<Tensor> tensors_;
};

}  // namespace frit::reference
