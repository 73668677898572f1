// Recurrent layers, as free functions with PyTorch's names, arguments and meaning.
//
//   LstmResult y = frit::lstm(x, {h, c}, weights, {.num_layers = 2, .batch_first = true});
//
// x is [steps, batch, inputs], or [batch, steps, inputs] with batch_first; states are [layers *
// directions, batch, hidden]. The weights come layer by layer, in each for both directions: w_ih,
// w_hh, and with biases b_ih, b_hh; their rows are gates in PyTorch's order (input, forget, cell,
// output of an LSTM; reset, update, new of a GRU). Inference only: dropout is refused in training.
#pragma once

#include <utility>
#include <vector>

#include "frit/tensor.h"

namespace frit {

struct RecurrentOptions {
  bool has_biases = true;
  int64_t num_layers = 1;
  double dropout = 0;
  bool train = false;
  bool bidirectional = false;
  bool batch_first = false;
  bool reverse = false;  // the one direction begins at the last step
};

struct LstmResult {
  Tensor output, h, c;
};
LstmResult lstm(const Tensor& x, const std::pair<Tensor, Tensor>& state,
                const std::vector<Tensor>& weights, const RecurrentOptions& options = {});
// The output and the last states.
std::pair<Tensor, Tensor> gru(const Tensor& x, const Tensor& h, const std::vector<Tensor>& weights,
                              const RecurrentOptions& options = {});
std::pair<Tensor, Tensor> rnn_tanh(const Tensor& x, const Tensor& h,
                                   const std::vector<Tensor>& weights,
                                   const RecurrentOptions& options = {});
std::pair<Tensor, Tensor> rnn_relu(const Tensor& x, const Tensor& h,
                                   const std::vector<Tensor>& weights,
                                   const RecurrentOptions& options = {});

// The weights of one direction of a layer; biases may be undefined.
struct CellWeights {
  Tensor w_ih, w_hh, b_ih, b_hh;
};
// One step: x [batch, inputs], states [batch, hidden].
std::pair<Tensor, Tensor> lstm_cell(const Tensor& x, const std::pair<Tensor, Tensor>& state,
                                    const CellWeights& weights);
Tensor gru_cell(const Tensor& x, const Tensor& h, const CellWeights& weights);
Tensor rnn_tanh_cell(const Tensor& x, const Tensor& h, const CellWeights& weights);
Tensor rnn_relu_cell(const Tensor& x, const Tensor& h, const CellWeights& weights);

}  // namespace frit
