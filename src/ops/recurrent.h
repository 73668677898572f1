// The numbers and sizes of a call of `rnn`, for its rule, its kernel and its reference.
#pragma once

#include <cstdint>
#include <span>

#include "src/ops/attrs.h"

namespace frit {

// The numbers are the attribute `mode`.
enum class Recurrence : uint8_t { kTanh, kRelu, kLstm, kGru };

inline int gates_of(Recurrence mode) {
  return mode == Recurrence::kLstm ? 4 : mode == Recurrence::kGru ? 3 : 1;
}

// The operands in their order: x [steps, batch, inputs], the weights of the input [gates * hidden,
// inputs] and of the state [gates * hidden, hidden], the state h [batch, hidden], of an LSTM its
// cell state c [batch, hidden], and perhaps the biases [gates * hidden] of both products.
struct RecurrentCall {
  Recurrence mode;
  bool bias, reverse;

  explicit RecurrentCall(const Attrs& attrs)
      : mode(static_cast<Recurrence>(int_attr(Op::rnn, attrs, "mode"))),
        bias(int_attr(Op::rnn, attrs, "bias") != 0),
        reverse(int_attr(Op::rnn, attrs, "reverse") != 0) {}
  static constexpr size_t kX = 0, kInputWeight = 1, kWeight = 2, kH = 3, kC = 4;
  size_t input_bias() const { return mode == Recurrence::kLstm ? 5 : 4; }
  size_t state_bias() const { return input_bias() + 1; }
  size_t operands() const { return input_bias() + (bias ? 2 : 0); }
};

}  // namespace frit
