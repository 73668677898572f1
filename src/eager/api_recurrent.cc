// Public recurrent layers: each direction of each layer is one call of `rnn`.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include "frit/recurrent_ops.h"

#include "src/eager/api.h"
#include "src/ops/recurrent.h"

namespace frit {

using api::text;

namespace {

struct Track {
  Tensor states, c;  // [steps, batch, hidden]; the last cell state
};

constexpr std::string_view name_of(Recurrence mode) {
  switch (mode) {
    case Recurrence::kTanh:
      return "rnn_tanh";
    case Recurrence::kRelu:
      return "rnn_relu";
    case Recurrence::kLstm:
      return "lstm";
    case Recurrence::kGru:
      return "gru";
  }
  __builtin_unreachable();
}

Track run_direction(Recurrence mode, const Tensor& x, const LstmResult& state, const CellWeights& w,
                    bool reverse) {
  const std::string_view op = name_of(mode);
  std::vector<Operand> operands = {api::operand(op, x), api::operand(op, w.w_ih),
                                   api::operand(op, w.w_hh), api::operand(op, state.h)};
  if (mode == Recurrence::kLstm) operands.push_back(api::operand(op, state.c));
  if (w.b_ih.defined() != w.b_hh.defined())
    api::fail(ErrorKind::kRuntime, op, x, "there must be both biases or none");
  const bool bias = w.b_ih.defined();
  if (bias) operands.insert(operands.end(), {w.b_ih, w.b_hh});
  const Attrs attrs =
      Attrs().add(int64_t{bias}).add(static_cast<int64_t>(mode)).add(int64_t{reverse});
  Tensor results[kMaxResults];
  dispatch({Op::rnn, operands, attrs}, results);
  return {results[0], results[1]};
}

// The weights of direction `number`, layers' directions counted through.
CellWeights weights_of(const std::vector<Tensor>& weights, bool biases, int64_t number) {
  const size_t each = biases ? 4 : 2, at = static_cast<size_t>(number) * each;
  CellWeights w{weights[at], weights[at + 1], {}, {}};
  if (biases) w.b_ih = weights[at + 2], w.b_hh = weights[at + 3];
  return w;
}

void check(Recurrence mode, const Tensor& x, const LstmResult& state, size_t weights,
           const RecurrentOptions& o) {
  const std::string_view op = name_of(mode);
  const auto fail = [&](const std::string& problem) {
    api::fail(ErrorKind::kRuntime, op, api::checked(op, x), problem);
  };
  if (api::checked(op, x).dim() != 3) fail("expected 3 dimensions");
  if (o.train && o.dropout > 0)
    api::fail(ErrorKind::kNotImplemented, op, x, "dropout in training: only inference is run");
  if (o.reverse && o.bidirectional) fail("both reverse and bidirectional");
  const int64_t directions = o.num_layers * (o.bidirectional ? 2 : 1);
  if (o.num_layers < 1) fail(text("expected at least one layer, got ", o.num_layers));
  if (weights != static_cast<size_t>(directions) * (o.has_biases ? 4 : 2))
    fail(text("expected ", directions * (o.has_biases ? 4 : 2), " weights, got ", weights));
  for (const Tensor* t : {&state.h, mode == Recurrence::kLstm ? &state.c : &state.h})
    if (api::checked(op, *t).dim() != 3 || t->size(0) != directions)
      fail(text("expected states of ", directions, " directions and layers: ", describe(*t)));
}

LstmResult run_layers(Recurrence mode, const Tensor& x, const LstmResult& state,
                      const std::vector<Tensor>& weights, const RecurrentOptions& o) {
  check(mode, x, state, weights.size(), o);
  Tensor y = o.batch_first ? transpose(x, 0, 1) : x;
  std::vector<Tensor> last_h, last_c;
  const int64_t directions = o.bidirectional ? 2 : 1;
  for (int64_t layer = 0; layer < o.num_layers; ++layer) {
    std::vector<Tensor> tracks;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t number = layer * directions + d;
      const LstmResult first{{},
                             select(state.h, 0, number),
                             mode == Recurrence::kLstm ? select(state.c, 0, number) : Tensor()};
      const bool reverse = o.reverse || d == 1;
      const Track track =
          run_direction(mode, y, first, weights_of(weights, o.has_biases, number), reverse);
      tracks.push_back(track.states);
      last_h.push_back(select(track.states, 0, reverse ? 0 : -1));
      if (mode == Recurrence::kLstm) last_c.push_back(track.c);
    }
    y = directions == 1 ? tracks[0] : cat(tracks, -1);
  }
  return {o.batch_first ? transpose(y, 0, 1) : y, stack(last_h, 0),
          last_c.empty() ? Tensor() : stack(last_c, 0)};
}

std::pair<Tensor, Tensor> run_without_c(Recurrence mode, const Tensor& x, const Tensor& h,
                                        const std::vector<Tensor>& weights,
                                        const RecurrentOptions& options) {
  const LstmResult result = run_layers(mode, x, {{}, h, {}}, weights, options);
  return {result.output, result.h};
}

// As a layer of one step.
Track run_cell(Recurrence mode, const Tensor& x, const LstmResult& state, const CellWeights& w) {
  const std::string_view op = name_of(mode);
  if (api::checked(op, x).dim() != 2)
    api::fail(ErrorKind::kRuntime, op, x, text("expected 2 dimensions, got ", x.dim()));
  const Track track = run_direction(mode, unsqueeze(x, 0), state, w, false);
  return {select(track.states, 0, 0), track.c};
}

}  // namespace

LstmResult lstm(const Tensor& x, const std::pair<Tensor, Tensor>& state,
                const std::vector<Tensor>& weights, const RecurrentOptions& options) {
  return run_layers(Recurrence::kLstm, x, {{}, state.first, state.second}, weights, options);
}
std::pair<Tensor, Tensor> gru(const Tensor& x, const Tensor& h, const std::vector<Tensor>& weights,
                              const RecurrentOptions& options) {
  return run_without_c(Recurrence::kGru, x, h, weights, options);
}
std::pair<Tensor, Tensor> rnn_tanh(const Tensor& x, const Tensor& h,
                                   const std::vector<Tensor>& weights,
                                   const RecurrentOptions& options) {
  return run_without_c(Recurrence::kTanh, x, h, weights, options);
}
std::pair<Tensor, Tensor> rnn_relu(const Tensor& x, const Tensor& h,
                                   const std::vector<Tensor>& weights,
                                   const RecurrentOptions& options) {
  return run_without_c(Recurrence::kRelu, x, h, weights, options);
}

std::pair<Tensor, Tensor> lstm_cell(const Tensor& x, const std::pair<Tensor, Tensor>& state,
                                    const CellWeights& weights) {
  const Track track = run_cell(Recurrence::kLstm, x, {{}, state.first, state.second}, weights);
  return {track.states, track.c};
}
Tensor gru_cell(const Tensor& x, const Tensor& h, const CellWeights& weights) {
  return run_cell(Recurrence::kGru, x, {{}, h, {}}, weights).states;
}
Tensor rnn_tanh_cell(const Tensor& x, const Tensor& h, const CellWeights& weights) {
  return run_cell(Recurrence::kTanh, x, {{}, h, {}}, weights).states;
}
Tensor rnn_relu_cell(const Tensor& x, const Tensor& h, const CellWeights& weights) {
  return run_cell(Recurrence::kRelu, x, {{}, h, {}}, weights).states;
}

}  // namespace frit
