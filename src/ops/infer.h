// Shape, stride and dtype rules: what an op returns, from the facts of its operands alone.
//
// The same rules serve eager dispatch, the graph builder, the verifier and lowering.
#pragma once

#include "src/ops/call.h"

namespace frit {

// An operand as its rule sees it.
struct OperandType {
  const Layout* layout = nullptr;  // null for a scalar
  Scalar scalar;
};

struct ResultType {
  // With one count of its own, where it is not interned: new_impl takes it over.
  const Layout* layout = nullptr;
  // For a view: the operand whose storage it shares, and where its first element lies relative to
  // that operand's first element (in elements). -1: new memory.
  int view_of = -1;
  int64_t offset = 0;
};

struct ResultTypes {
  int count = 0;
  ResultType results[kMaxResults];
};

// Throws frit::Error where PyTorch would. nonzero's result depends on data: its rule gives count 0.
ResultTypes infer(Op op, std::span<const OperandType> operands, const Attrs& attrs);
ResultTypes infer(const OpCall& call);

// The dtype in which an elementwise op computes (its operands are cast to it) and that of its
// result.
struct Promotion {
  Dtype compute, result;
};
Promotion promote(Op op, std::span<const OperandType> operands);

// What an index out of range is in this op: PyTorch's gather and scatter have a class of their own.
inline ErrorKind index_error(Op op) {
  const bool by_index =
      op == Op::gather || op == Op::scatter || op == Op::scatter_add || op == Op::scatter_reduce;
  return by_index ? ErrorKind::kRuntime : ErrorKind::kIndex;
}

// PyTorch's promotion of dtypes alone: the meet of two in the lattice.
Dtype promote_dtypes(Dtype a, Dtype b);

// The sizes that both broadcast to; throws naming the op.
Dims broadcast_sizes(Op op, std::span<const OperandType> operands);

// dims as PyTorch takes them (negative allowed, empty: all) to sorted, checked, non-negative ones.
Dims normalize_dims(Op op, const Layout& x, IntArrayRef dims);

}  // namespace frit
