// Builds and collapses loop nests.
#include "src/eager/loop_nest.h"

#include <utility>

#include "src/base/check.h"

namespace frit::eager {

LoopNest::LoopNest(IntArrayRef loop_sizes) : rank(static_cast<int>(loop_sizes.size())) {
  for (int d = 0; d < rank; ++d) {
    sizes[d] = loop_sizes[d];
    numel *= sizes[d];
  }
}

LoopNest::LoopNest(const Layout& out) : LoopNest(out.sizes()) { add(out); }

void LoopNest::add(const Layout& layout) {
  const int o = num_operands++;
  element_size[o] = byte_size(layout.dtype);
  const int missing = rank - layout.rank;
  FRIT_CHECK(missing >= 0) << to_string(layout) << " in a nest of " << rank << " loops";
  for (int d = 0; d < rank; ++d) {
    const bool repeated = d < missing || layout.size(d - missing) == 1;
    strides[o][d] = repeated ? 0 : layout.stride(d - missing) * element_size[o];
  }
}

void LoopNest::add(int size_of_element, IntArrayRef element_strides) {
  const int o = num_operands++;
  element_size[o] = size_of_element;
  for (int d = 0; d < rank; ++d) strides[o][d] = element_strides[d] * size_of_element;
}

void LoopNest::add_scalar(int size_of_element) {
  const int o = num_operands++;
  element_size[o] = size_of_element;
  for (int d = 0; d < rank; ++d) strides[o][d] = 0;
}

void LoopNest::collapse() {
  drop_ones();
  sort_by_output();
  merge();
}

void LoopNest::drop_ones() {
  int kept = 0;
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] == 1) continue;
    sizes[kept] = sizes[d];
    for (int o = 0; o < num_operands; ++o) strides[o][kept] = strides[o][d];
    ++kept;
  }
  rank = kept;
}

void LoopNest::sort_by_output() {
  // Insertion sort: ranks are small and the order is nearly always right already.
  for (int i = 1; i < rank; ++i) {
    for (int d = i; d > 0; --d) {
      if (strides[0][d] <= strides[0][d - 1]) break;
      std::swap(sizes[d], sizes[d - 1]);
      for (int o = 0; o < num_operands; ++o) std::swap(strides[o][d], strides[o][d - 1]);
    }
  }
}

void LoopNest::merge() {
  int kept = 0;  // loops [0, kept) are final, but for the last, which may still grow
  for (int d = 0; d < rank; ++d) {
    bool mergeable = kept > 0;
    for (int o = 0; o < num_operands && mergeable; ++o)
      mergeable = strides[o][kept - 1] == strides[o][d] * sizes[d];
    const int to = mergeable ? kept - 1 : kept++;
    sizes[to] = mergeable ? sizes[to] * sizes[d] : sizes[d];
    for (int o = 0; o < num_operands; ++o) strides[o][to] = strides[o][d];
  }
  rank = kept;
  if (rank > 0) return;
  rank = 1;
  sizes[0] = 1;
  for (int o = 0; o < num_operands; ++o) strides[o][0] = 0;
}

bool LoopNest::linear(int operand) const {
  int64_t expected = element_size[operand];
  for (int d = rank; d-- > 0;) {
    if (sizes[d] != 1 && strides[operand][d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

bool LoopNest::constant(int operand) const {
  for (int d = 0; d < rank; ++d)
    if (strides[operand][d] != 0) return false;
  return true;
}

Odometer::Odometer(const LoopNest& nest, int64_t position) : nest_(nest), offset_{} {
  for (int d = nest.rank; d-- > 0;) {
    index_[d] = position % nest.sizes[d];
    position /= nest.sizes[d];
    for (int o = 0; o < nest.num_operands; ++o) offset_[o] += index_[d] * nest.strides[o][d];
  }
}

void Odometer::advance(int64_t steps) {
  const int inner = nest_.inner();
  index_[inner] += steps;
  for (int o = 0; o < nest_.num_operands; ++o) offset_[o] += steps * nest_.strides[o][inner];
  if (index_[inner] == nest_.sizes[inner]) carry();
}

void Odometer::carry() {
  for (int d = nest_.inner(); d > 0 && index_[d] == nest_.sizes[d]; --d) {
    index_[d] = 0;
    ++index_[d - 1];
    for (int o = 0; o < nest_.num_operands; ++o)
      offset_[o] += nest_.strides[o][d - 1] - nest_.sizes[d] * nest_.strides[o][d];
  }
}

}  // namespace frit::eager
