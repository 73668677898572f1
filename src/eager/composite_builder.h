// EagerBuilder: runs composites at once, elementwise parts block by block.
//
//   EagerBuilder b;
//   const Value x = b.input(tensor);
//   Tensor result = b.tensor(b.where(b.gt(x, 0), x, b.mul(x, slope)));   // one pass over memory
//
// An elementwise op or cast whose operands lie in memory as its result does is only noted. When a
// value is asked for, by an op of another kind or as the result, all that it needs of these runs
// over pieces that stay in the first-level cache; only the value itself is written to memory. Each
// op does for each element what it does alone, so the bits are the same.
#pragma once

#include <vector>

#include "src/eager/pointwise_loop.h"
#include "src/ops/builder.h"
#include "src/ops/call.h"

namespace frit {

class EagerBuilder : public OpBuilder {
 public:
  using OpBuilder::op;
  EagerBuilder();
  Value op(Op op, std::span<const Arg> args, const Attrs& attrs) override;
  const Layout& layout(Value v) override { return *node(v).tensor.impl()->layout; }
  Scalar assume(const Arg& scalar) override { return scalar.scalar; }

  Value input(Tensor t);
  // The value in memory.
  const Tensor& tensor(Value v);

 private:
  // An operand of a noted op: an earlier value, or one element.
  struct Source {
    int32_t value = -1;
    alignas(8) std::byte element[8];
  };
  struct Node {
    Tensor tensor;  // without memory while the op is only noted
    eager::Block block;
    Source sources[3];
    bool noted = false;
  };
  class Run;

  Node& node(Value v) { return nodes_[static_cast<size_t>(v.id)]; }
  bool note(const OpCall& call, std::span<const Arg> args);
  bool note_source(const Arg& arg, const Operand& operand, Dtype dtype, const Layout& result,
                   Source& source);
  Value run_now(const OpCall& call, std::span<const Arg> args);

  std::vector<Node> nodes_;
};

}  // namespace frit
