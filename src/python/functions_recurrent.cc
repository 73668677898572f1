// Recurrent layers and cells, in PyTorch's argument forms.
#include "frit/recurrent_ops.h"
#include "src/python/function.h"

namespace frit::python {
namespace {

using Tensors = std::vector<Tensor>;
using OptionalTensor = std::optional<Tensor>;

const std::pair<Tensor, Tensor> both_of(const char* name, const Tensors& state) {
  if (state.size() != 2)
    throw Error(ErrorKind::kRuntime, std::string(name) + "(): expected two hidden states");
  return {state[0], state[1]};
}

constexpr auto kLstm = [](const Tensor& x, const Tensors& state, const Tensors& weights,
                          bool has_biases, int64_t num_layers, double dropout, bool train,
                          bool bidirectional, bool batch_first) -> Tensors {
  const LstmResult r = lstm(x, both_of("lstm", state), weights,
                            {has_biases, num_layers, dropout, train, bidirectional, batch_first});
  return {r.output, r.h, r.c};
};
template <auto function>
constexpr auto kLayers = [](const Tensor& x, const Tensor& h, const Tensors& weights,
                            bool has_biases, int64_t num_layers, double dropout, bool train,
                            bool bidirectional, bool batch_first) -> Tensors {
  const auto [output, last] =
      function(x, h, weights, {has_biases, num_layers, dropout, train, bidirectional, batch_first});
  return {output, last};
};
constexpr auto kLstmCell = [](const Tensor& x, const Tensors& state, const Tensor& w_ih,
                              const Tensor& w_hh, const OptionalTensor& b_ih,
                              const OptionalTensor& b_hh) -> Tensors {
  const auto [h, c] = lstm_cell(x, both_of("lstm_cell", state),
                                {w_ih, w_hh, b_ih.value_or(Tensor()), b_hh.value_or(Tensor())});
  return {h, c};
};
template <auto function>
constexpr auto kCell = [](const Tensor& x, const Tensor& h, const Tensor& w_ih, const Tensor& w_hh,
                          const OptionalTensor& b_ih, const OptionalTensor& b_hh) {
  return function(x, h, {w_ih, w_hh, b_ih.value_or(Tensor()), b_hh.value_or(Tensor())});
};

#define FRIT_LAYERS(name)                                                            \
  {                                                                                  \
#name, kFunction, {                                                              \
      {                                                                              \
        "input, hx, params, has_biases, num_layers, dropout, train, bidirectional, " \
        "batch_first",                                                               \
            overload<kLayers<name>>                                                  \
      }                                                                              \
    }                                                                                \
  }
#define FRIT_CELL(name)                                                        \
  {                                                                            \
#name, kFunction, {                                                        \
      { "input, hx, w_ih, w_hh, b_ih=None, b_hh=None", overload<kCell<name>> } \
    }                                                                          \
  }

Function table[] = {
    {"lstm",
     kFunction,
     {{"input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first",
       overload<kLstm>}}},
    FRIT_LAYERS(gru),
    FRIT_LAYERS(rnn_tanh),
    FRIT_LAYERS(rnn_relu),
    {"lstm_cell",
     kFunction,
     {{"input, hx, w_ih, w_hh, b_ih=None, b_hh=None", overload<kLstmCell>}}},
    FRIT_CELL(gru_cell),
    FRIT_CELL(rnn_tanh_cell),
    FRIT_CELL(rnn_relu_cell),
};

}  // namespace

std::vector<Entry> recurrent_entries() { return entries_of<table>(); }

}  // namespace frit::python
