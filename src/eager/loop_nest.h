// LoopNest: the loops over one written operand and up to three read ones, in as few dimensions as
// their strides allow.
//
//   LoopNest nest(out);        // loops of the output's sizes
//   nest.add(a);               // broadcast to them
//   nest.collapse();           // sorted by the output's strides, mergeable loops merged
//
// After collapse() the last loop is the innermost, no loop has size 1, and rank is at least 1.
#pragma once

#include <cstddef>

#include "src/tensor/layout.h"

namespace frit::eager {

struct LoopNest {
  static constexpr int kMaxOperands = 4;

  int num_operands = 0;
  int rank = 0;
  int64_t numel = 1;
  int64_t sizes[kMaxRank];
  int64_t strides[kMaxOperands][kMaxRank];  // in bytes
  int element_size[kMaxOperands];

  // The loops of a layout, which is operand 0.
  explicit LoopNest(const Layout& out);
  // Loops of any sizes; operands are then added by strides.
  explicit LoopNest(IntArrayRef loop_sizes);

  // An operand that broadcasts to the loops' sizes (dims aligned at the end).
  void add(const Layout& layout);
  // An operand by its strides in elements, one per loop.
  void add(int size_of_element, IntArrayRef element_strides);
  // An operand of one element, as scalars are.
  void add_scalar(int size_of_element);

  void collapse();

  int inner() const { return rank - 1; }
  // Whether the operand's elements lie one after the other in loop order.
  bool linear(int operand) const;
  // Whether the operand is the same element throughout.
  bool constant(int operand) const;

 private:
  void drop_ones();
  void sort_by_output();
  void merge();
};

// Walks a nest from a position in loop order.
class Odometer {
 public:
  Odometer(const LoopNest& nest, int64_t position);
  int64_t index(int loop) const { return index_[loop]; }
  // Steps left in the innermost loop.
  int64_t left_in_row() const { return nest_.sizes[nest_.inner()] - index_[nest_.inner()]; }
  // The byte offset of an operand at the position.
  int64_t offset(int operand) const { return offset_[operand]; }
  // Moves on by at most left_in_row().
  void advance(int64_t steps);

 private:
  void carry();

  const LoopNest& nest_;
  int64_t index_[kMaxRank];
  int64_t offset_[LoopNest::kMaxOperands];
};

}  // namespace frit::eager
