// EagerBuilder: runs composites at once, elementwise parts and folds of rows block by block.
//
//   EagerBuilder b;
//   const Value x = b.input(tensor);
//   Tensor result = b.tensor(b.where(b.gt(x, 0), x, b.mul(x, slope)));   // one pass over memory
//
// An elementwise op or cast whose operands lie in memory as its result does is only noted, and so
// is a fold of the last dimensions. Operands may also have one element for each of the folded rows,
// or be one row for all of them: so softmax and the norms are one pass too. When a value is asked
// for, by an op of another kind or as the result, all that it needs of these runs over pieces of
// whole rows that stay in the first-level cache; only the value itself is written to memory. Each
// op does for each element what it does alone, so the bits are the same.
#pragma once

#include <vector>

#include "src/eager/blocks/reduce_blocks.h"
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
  // Which elements of an operand a result's element is made of: the one at its place, the one of
  // its row, or the one at its place in a row that is the same for all.
  enum class Meets : uint8_t { kSamePlace, kItsRow, kEachRow };
  // An operand of a noted op: an earlier value, or one element.
  struct Source {
    int32_t value = -1;
    Meets meets = Meets::kSamePlace;
    alignas(8) std::byte element[8];
  };
  struct Node {
    Tensor tensor;  // without memory while the op is only noted
    eager::Block block;
    const eager::ReduceBlocks* fold = nullptr;  // in the block's place
    bool is_sum = false;                        // a fold that ends with + 0.0
    bool per_row = false;                       // noted, with one element for each row
    bool noted = false;
    Source sources[3];
    int arity() const { return fold != nullptr ? 1 : block.arity; }
  };
  class Run;

  Node& node(Value v) { return nodes_[static_cast<size_t>(v.id)]; }
  bool may_be_noted(const OpCall& call) const;
  bool note(const OpCall& call, std::span<const Arg> args);
  bool note_fold(const OpCall& call, std::span<const Arg> args, Node& noted);
  bool note_elementwise(const OpCall& call, std::span<const Arg> args, Node& noted);
  bool note_source(const Arg& arg, const Operand& operand, Dtype dtype, const Layout& result,
                   Source& source);
  bool note_value(Value v, const Layout& result, Source& source);
  bool has_rows_of(int64_t length) const { return row_ == 0 || row_ == length; }
  Value run_now(const OpCall& call, std::span<const Arg> args);

  std::vector<Node> nodes_;
  int64_t row_ = 0;  // elements of the rows of noted ops; 0: none has rows
};

}  // namespace frit
