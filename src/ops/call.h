// OpCall: one call of an op, as dispatch, observer and recorder see it.
#pragma once

#include <initializer_list>
#include <span>

#include "src/ops/attrs.h"
#include "src/tensor/tensor_impl.h"

namespace frit {

// A tensor, or a host scalar where `tensor` is null. Does not own.
struct Operand {
  TensorImpl* tensor = nullptr;
  Scalar scalar;

  Operand() = default;
  Operand(const Tensor& t) : tensor(t.impl()) {}  // NOLINT
  Operand(TensorImpl* t) : tensor(t) {}           // NOLINT
  Operand(const Scalar& s) : scalar(s) {}         // NOLINT
  bool is_tensor() const { return tensor != nullptr; }
  const Layout* layout() const { return tensor ? tensor->layout : nullptr; }
};

// Lives on the caller's stack for the time of the call.
struct OpCall {
  Op op;
  std::span<const Operand> operands;
  const Attrs& attrs;
};

// softmax(f32[8,16], dim=1), for error texts.
std::string describe(const OpCall& call);

// Throws Error(kind) with `op(operands): problem`.
[[noreturn]] void fail(const OpCall& call, ErrorKind kind, const std::string& problem);

}  // namespace frit
