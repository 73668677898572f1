// rnn: one product for the inputs of all steps; then, step by step, one for the state and a pass
// over its rows while they are in cache.
#include "src/ops/recurrent.h"

#include <algorithm>
#include <vector>

#include "src/contraction/matmul.h"
#include "src/eager/blocks/blocks.h"
#include "src/eager/copy.h"
#include "src/eager/kernels.h"

namespace frit::eager {
namespace {

using contraction::MatmulArgs;
using contraction::PackedRef;

// From so many steps on, weights that may change unseen are packed for the one call.
constexpr int64_t kStepsWorthPacking = 4;

// The block kernels of one dtype: what happens to rows of gates.
struct Pointwise {
  UnaryBlock sigmoid, tanh, relu;
  BinaryBlock add, sub, mul;

  explicit Pointwise(Dtype dtype)
      : sigmoid(unary_block(Op::sigmoid, dtype)),
        tanh(unary_block(Op::tanh, dtype)),
        relu(unary_block(Op::relu, dtype)),
        add(binary_block(Op::add, dtype)),
        sub(binary_block(Op::sub, dtype)),
        mul(binary_block(Op::mul, dtype)) {}
};

// One row of a batch in one step.
template <class T>
struct Row {
  const T* x;  // the input's share of the gates
  T* gates;    // the state's share; overwritten
  const T* h;  // the state so far
  T* out;      // the new one
  T* c;        // of an LSTM: both
};

template <class T>
void lstm_row(const Pointwise& p, const Row<T>& row, int64_t n) {
  T *in = row.gates, *forget = in + n, *cell = forget + n, *out = cell + n;
  p.add(row.x, row.gates, row.gates, 4 * n, 0);
  p.sigmoid(in, in, 2 * n);
  p.tanh(cell, cell, n);
  p.sigmoid(out, out, n);
  p.mul(forget, row.c, row.c, n, 0);
  p.mul(in, cell, cell, n, 0);
  p.add(row.c, cell, row.c, n, 0);
  p.tanh(row.c, cell, n);
  p.mul(out, cell, row.out, n, 0);
}

// h = fresh + update * (h - fresh)
template <class T>
void gru_row(const Pointwise& p, const Row<T>& row, int64_t n) {
  T *reset = row.gates, *update = reset + n, *fresh = update + n;
  p.add(row.x, row.gates, row.gates, 2 * n, 0);
  p.sigmoid(reset, reset, 2 * n);
  p.mul(fresh, reset, fresh, n, 0);
  p.add(row.x + 2 * n, fresh, fresh, n, 0);
  p.tanh(fresh, fresh, n);
  p.sub(row.h, fresh, reset, n, 0);
  p.mul(reset, update, reset, n, 0);
  p.add(reset, fresh, row.out, n, 0);
}

template <class T>
void plain_row(const Pointwise& p, UnaryBlock function, const Row<T>& row, int64_t n) {
  p.add(row.x, row.gates, row.out, n, 0);
  function(row.out, row.out, n);
}

// a [rows, k] @ w^T + bias, row-major.
MatmulArgs product(const Tensor& w, const Tensor& bias, int64_t rows) {
  const Layout& layout = *w.impl()->layout;
  MatmulArgs args;
  args.dtype = layout.dtype;
  args.m = rows;
  args.n = layout.size(0);
  args.k = layout.size(1);
  args.b = {w.impl()->data, 0, layout.stride(1), layout.stride(0)};
  args.out_row = args.n;
  if (bias.defined()) args.bias = {bias.impl()->data, 0, 0, bias.impl()->layout->stride(0)};
  const Storage& storage = *w.impl()->storage;
  if (storage.write_exposed.load(std::memory_order_relaxed) == 0)
    args.b_key = {storage.id, storage.version.load(std::memory_order_relaxed)};
  return args;
}

template <class T>
class Layer {
 public:
  Layer(const RecurrentCall& layer, const std::vector<Tensor>& operands)
      : layer_(layer),
        x_(operands[RecurrentCall::kX]),
        pointwise_(x_.dtype()),
        steps_(x_.size(0)),
        batch_(x_.size(1)),
        hidden_(operands[RecurrentCall::kH].size(1)),
        width_(gates_of(layer.mode) * hidden_) {
    Tensor input_bias, state_bias;
    if (layer.bias)
      input_bias = operands[layer.input_bias()], state_bias = operands[layer.state_bias()];
    input_ = product(operands[RecurrentCall::kInputWeight], input_bias, steps_ * batch_);
    state_ = product(operands[RecurrentCall::kWeight], state_bias, batch_);
  }

  // `c` is the cell state, which changes.
  void run(const T* h, T* c, T* out) {
    shares_.resize(static_cast<size_t>(steps_ * batch_ * width_));
    gates_.resize(static_cast<size_t>(batch_ * width_));
    input_.a = {x_.impl()->data, 0, x_.size(2), 1};
    input_.out = shares_.data();
    contraction::matmul(input_);
    PackedRef packed;
    if (!state_.b_key.valid() && steps_ >= kStepsWorthPacking) packed = contraction::pack_b(state_);
    for (int64_t i = 0; i < steps_; ++i) {
      const int64_t step = layer_.reverse ? steps_ - 1 - i : i;
      T* made = out + step * batch_ * hidden_;
      state_.a = {h, 0, hidden_, 1};
      state_.out = gates_.data();
      contraction::matmul(state_, packed.get());
      for (int64_t r = 0; r < batch_; ++r)
        run_row({shares_.data() + (step * batch_ + r) * width_, gates_.data() + r * width_,
                 h + r * hidden_, made + r * hidden_, c == nullptr ? nullptr : c + r * hidden_});
      h = made;
    }
  }

 private:
  void run_row(const Row<T>& row) const {
    switch (layer_.mode) {
      case Recurrence::kTanh:
        return plain_row(pointwise_, pointwise_.tanh, row, hidden_);
      case Recurrence::kRelu:
        return plain_row(pointwise_, pointwise_.relu, row, hidden_);
      case Recurrence::kLstm:
        return lstm_row(pointwise_, row, hidden_);
      case Recurrence::kGru:
        return gru_row(pointwise_, row, hidden_);
    }
  }

  const RecurrentCall& layer_;
  const Tensor& x_;
  Pointwise pointwise_;
  int64_t steps_, batch_, hidden_, width_;
  MatmulArgs input_, state_;
  std::vector<T> shares_, gates_;
};

template <class T>
void run_layer(const RecurrentCall& layer, const std::vector<Tensor>& operands, const Tensor& out,
               const Tensor& c) {
  Layer<T>(layer, operands)
      .run(reinterpret_cast<const T*>(operands[RecurrentCall::kH].impl()->data),
           c.numel() == 0 ? nullptr : reinterpret_cast<T*>(c.impl()->data),
           reinterpret_cast<T*>(out.impl()->data));
}

}  // namespace

// The 16-bit floats are computed in f32 and rounded at the end.
static void run_rnn(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  const Layout &out_layout = *types.results[0].layout, &c_layout = *types.results[1].layout;
  const RecurrentCall layer(call.attrs);
  const Dtype dtype = out_layout.dtype == kFloat64 ? kFloat64 : kFloat32;
  std::vector<Tensor> operands;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor t = to_dtype(call.operands[i].tensor, dtype);
    const bool as_it_lies = i == RecurrentCall::kInputWeight || i == RecurrentCall::kWeight;
    operands.push_back(as_it_lies ? t : to_contiguous(t.impl()));
  }
  const Tensor out = empty(out_layout.sizes(), dtype);
  const Tensor c = layer.mode == Recurrence::kLstm
                       ? to_contiguous_copy(operands[RecurrentCall::kC].impl())
                       : empty(c_layout.sizes(), dtype);
  if (out.numel() > 0) {
    if (dtype == kFloat64)
      run_layer<double>(layer, operands, out, c);
    else
      run_layer<float>(layer, operands, out, c);
  }
  results[0] = to_dtype(out.impl(), out_layout.dtype);
  results[1] = to_dtype(c.impl(), out_layout.dtype);
}

FRIT_EAGER_KERNEL(rnn, run_rnn)

}  // namespace frit::eager
