// rnn: gate by gate. A product is one chain of fma over k from +0.0; the bias is added to it.
#include "src/ops/recurrent.h"

#include <cmath>
#include <vector>

#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

template <class T>
T applied(Op op, std::initializer_list<T> operands) {
  uint64_t bits[2] = {};
  size_t count = 0;
  for (const T operand : operands) bits[count++] = bits_of(operand);
  return number<T>(apply_scalar(op, dtype_of<T>, {bits, count}));
}
template <class T>
T sigmoid(T x) {
  return applied<T>(Op::sigmoid, {x});
}
template <class T>
T tanh(T x) {
  return applied<T>(Op::tanh, {x});
}

template <class T>
class Layer {
 public:
  Layer(const OpCall& call, const RecurrentCall& layer) : layer_(layer) {
    for (const Operand& operand : call.operands) operands_.emplace_back(operand.tensor);
    hidden_ = operands_[RecurrentCall::kH].layout->size(1);
  }

  void run(const Elements& out, const Elements& c_out) {
    const Layout& x = *operands_[RecurrentCall::kX].layout;
    for (int64_t r = 0; r < x.size(1); ++r) {
      std::vector<T> h, c(static_cast<size_t>(hidden_));
      for (int64_t j = 0; j < hidden_; ++j) {
        h.push_back(at(RecurrentCall::kH, {r, j}));
        if (layer_.mode == Recurrence::kLstm)
          c[static_cast<size_t>(j)] = at(RecurrentCall::kC, {r, j});
      }
      for (int64_t i = 0; i < x.size(0); ++i) {
        const int64_t step = layer_.reverse ? x.size(0) - 1 - i : i;
        h = advance(step, r, h, c);
        for (int64_t j = 0; j < hidden_; ++j) put(out, {step, r, j}, h[static_cast<size_t>(j)]);
      }
      if (layer_.mode == Recurrence::kLstm)
        for (int64_t j = 0; j < hidden_; ++j) put(c_out, {r, j}, c[static_cast<size_t>(j)]);
    }
  }

 private:
  T at(size_t operand, IntArrayRef place) const {
    const Elements& x = operands_[operand];
    int64_t offset = 0;
    for (size_t d = 0; d < place.size(); ++d)
      offset += place[d] * x.layout->stride(static_cast<int>(d));
    return number<T>(x.load_as(dtype_of<T>, offset));
  }
  static void put(const Elements& out, IntArrayRef place, T value) {
    int64_t offset = 0;
    for (size_t d = 0; d < place.size(); ++d)
      offset += place[d] * out.layout->stride(static_cast<int>(d));
    out.store(offset, cast_scalar(dtype_of<T>, out.dtype(), bits_of(value)));
  }
  T with_bias(T sum, size_t operand, int64_t gate) const {
    return layer_.bias ? sum + at(operand, {gate}) : sum;
  }
  T input_share(int64_t step, int64_t row, int64_t gate) const {
    T sum = T(0);
    for (int64_t k = 0; k < operands_[RecurrentCall::kX].layout->size(2); ++k)
      sum = std::fma(at(RecurrentCall::kX, {step, row, k}),
                     at(RecurrentCall::kInputWeight, {gate, k}), sum);
    return with_bias(sum, layer_.input_bias(), gate);
  }
  T state_share(const std::vector<T>& h, int64_t gate) const {
    T sum = T(0);
    for (int64_t k = 0; k < hidden_; ++k)
      sum = std::fma(h[static_cast<size_t>(k)], at(RecurrentCall::kWeight, {gate, k}), sum);
    return with_bias(sum, layer_.state_bias(), gate);
  }

  // The new state of a row; its cell state changes.
  std::vector<T> advance(int64_t step, int64_t row, const std::vector<T>& h,
                         std::vector<T>& c) const {
    std::vector<T> next;
    for (int64_t j = 0; j < hidden_; ++j) {
      const auto x = [&](int64_t gate) { return input_share(step, row, gate * hidden_ + j); };
      const auto s = [&](int64_t gate) { return state_share(h, gate * hidden_ + j); };
      const T old = h[static_cast<size_t>(j)];
      T& cell = c[static_cast<size_t>(j)];
      switch (layer_.mode) {
        case Recurrence::kTanh:
          next.push_back(tanh(x(0) + s(0)));
          break;
        case Recurrence::kRelu:
          next.push_back(applied<T>(Op::relu, {x(0) + s(0)}));
          break;
        case Recurrence::kLstm: {
          const T kept = sigmoid(x(1) + s(1)) * cell;
          cell = kept + sigmoid(x(0) + s(0)) * tanh(x(2) + s(2));
          next.push_back(sigmoid(x(3) + s(3)) * tanh(cell));
          break;
        }
        case Recurrence::kGru: {
          const T fresh = tanh(x(2) + sigmoid(x(0) + s(0)) * s(2));
          next.push_back((old - fresh) * sigmoid(x(1) + s(1)) + fresh);
          break;
        }
      }
    }
    return next;
  }

  const RecurrentCall& layer_;
  std::vector<Elements> operands_;
  int64_t hidden_ = 0;
};

}  // namespace

void run_recurrent(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  const RecurrentCall layer(call.attrs);
  results[0] = new_result(types, 0);
  results[1] = new_result(types, 1);
  if (results[0].dtype() == kFloat64)
    Layer<double>(call, layer).run(results[0], results[1]);
  else
    Layer<float>(call, layer).run(results[0], results[1]);
}

}  // namespace frit::reference
