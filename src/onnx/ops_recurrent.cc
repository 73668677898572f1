// Recurrent layers: each direction is one op, or is written out step by step with products, sigmoid
// and tanh where it has peepholes or resets before the product.
#include <algorithm>

#include "frit/recurrent_ops.h"
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

constexpr int64_t kMaxSteps = 1 << 20;  // each step is several ops

// One direction of a layer.
struct Cell {
  Tensor input_weight, weight;  // [gates * hidden, input size], [gates * hidden, hidden]
  Tensor input_bias, bias;      // undefined where the layer has none
  Tensor peephole;              // [3 * hidden], of an LSTM, or undefined
  bool relu = false;            // of a plain RNN: instead of tanh
  bool reset_after = false;     // of a GRU: the reset gate comes after the product
};

struct State {
  Tensor h, c;  // c: of an LSTM
};

// `x` is the input's share of the gates, of one step: [batch, gates * hidden].
using Advance = State (*)(const Cell&, const Tensor& x, const State&);

struct Layer {
  int gates;
  Advance advance;
  int64_t hidden = 0;
  bool forward = true, backward = false;
  bool batch_first = false, relu = false, reset_after = false;
  bool has_cell_state = false;

  int64_t directions() const { return int64_t{forward} + int64_t{backward}; }
};

// The numbers of the inputs.
enum Input { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeephole };

State advance_rnn(const Cell& cell, const Tensor& x, const State& s) {
  const Tensor sum = x + linear(s.h, cell.weight, cell.bias);
  return {cell.relu ? relu(sum) : tanh(sum), {}};
}

State advance_gru(const Cell& cell, const Tensor& x, const State& s) {
  const int64_t hidden = s.h.size(-1);
  const auto part = [&](const Tensor& t, int64_t dim, int64_t i, int64_t count) {
    return t.defined() ? t.narrow(dim, i * hidden, count * hidden) : t;
  };
  const Tensor gates =
      sigmoid(part(x, 1, 0, 2) + linear(s.h, part(cell.weight, 0, 0, 2), part(cell.bias, 0, 0, 2)));
  const Tensor update = part(gates, 1, 0, 1), reset = part(gates, 1, 1, 1);
  const Tensor weight = part(cell.weight, 0, 2, 1), bias = part(cell.bias, 0, 2, 1);
  const Tensor share =
      cell.reset_after ? reset * linear(s.h, weight, bias) : linear(reset * s.h, weight, bias);
  const Tensor fresh = tanh(part(x, 1, 2, 1) + share);
  return {(1 - update) * fresh + update * s.h, {}};
}

State advance_lstm(const Cell& cell, const Tensor& x, const State& s) {
  const std::vector<Tensor> gates = chunk(x + linear(s.h, cell.weight, cell.bias), 4, 1);
  std::vector<Tensor> peephole(3);  // input, output, forget
  if (cell.peephole.defined()) peephole = chunk(cell.peephole, 3, 0);
  const auto gate = [&](int i, const Tensor& c) {
    return sigmoid(peephole[i].defined() ? gates[i] + peephole[i] * c : gates[i]);
  };
  const Tensor c = gate(2, s.c) * s.c + gate(0, s.c) * tanh(gates[3]);
  return {gate(1, c) * tanh(c), c};
}

Cell cell_of(const Call& call, const Layer& layer, int64_t direction) {
  Cell cell;
  cell.input_weight = call[kW].select(0, direction);
  cell.weight = call[kR].select(0, direction);
  if (call.has(kB)) {
    const std::vector<Tensor> halves = chunk(call[kB].select(0, direction), 2, 0);
    cell.input_bias = halves.at(0);
    cell.bias = halves.at(1);
  }
  if (layer.has_cell_state && call.has(kPeephole))
    cell.peephole = call[kPeephole].select(0, direction);
  cell.relu = layer.relu;
  cell.reset_after = layer.reset_after;
  return cell;
}

// The state to begin with: [batch, hidden].
Tensor initial(const Call& call, int input, const Layer& layer, int64_t direction,
               const Tensor& x) {
  if (call.has(input)) return call[input].select(layer.batch_first ? 1 : 0, direction);
  return full({x.size(1), layer.hidden}, 0, x.dtype());
}

struct Track {
  Tensor states;  // h after each step, in the order of time: [steps, batch, hidden]
  State last;
};

// Rows of gates as PyTorch has them: an LSTM's input, forget, cell, output, from input, output,
// forget, cell; a GRU's reset, update, new, from update, reset, new.
Tensor in_order(const Tensor& rows, int gates) {
  if (!rows.defined() || gates == 1) return rows;
  const std::vector<Tensor> parts = chunk(rows, gates, 0);
  if (gates == 3) return cat({parts[1], parts[0], parts[2]}, 0);
  return cat({parts[0], parts[2], parts[3], parts[1]}, 0);
}

bool is_one_op(const Layer& layer, const Cell& cell) {
  return !cell.peephole.defined() && (layer.gates != 3 || cell.reset_after);
}

Track run_as_op(const Layer& layer, const Cell& cell, const Tensor& x, const State& first,
                bool backward) {
  std::vector<Tensor> weights{in_order(cell.input_weight, layer.gates),
                              in_order(cell.weight, layer.gates)};
  RecurrentOptions options;
  options.has_biases = cell.bias.defined();
  options.reverse = backward;
  if (options.has_biases)
    weights.insert(weights.end(),
                   {in_order(cell.input_bias, layer.gates), in_order(cell.bias, layer.gates)});
  const Tensor h = first.h.unsqueeze(0);
  if (layer.gates == 4) {
    const LstmResult result = lstm(x, {h, first.c.unsqueeze(0)}, weights, options);
    return {result.output, {result.h.select(0, 0), result.c.select(0, 0)}};
  }
  const auto run = layer.gates == 3 ? gru : cell.relu ? rnn_relu : rnn_tanh;
  const auto [output, last] = run(x, h, weights, options);
  return {output, {last.select(0, 0), {}}};
}

Track run_by_steps(const Layer& layer, const Cell& cell, const Tensor& x, const State& first,
                   bool backward) {
  const Tensor shares = linear(x, cell.input_weight, cell.input_bias);
  const int64_t length = x.size(0);
  State last = first;
  std::vector<Tensor> steps;
  for (int64_t i = 0; i < length; ++i) {
    last = layer.advance(cell, shares.select(0, backward ? length - 1 - i : i), last);
    steps.push_back(last.h);
  }
  if (backward) std::reverse(steps.begin(), steps.end());
  return {stack(steps, 0), last};
}

Track run_direction(const Call& call, const Layer& layer, const Tensor& x, int64_t direction,
                    bool backward) {
  const Cell cell = cell_of(call, layer, direction);
  State first{initial(call, kInitialH, layer, direction, x), {}};
  if (layer.has_cell_state) first.c = initial(call, kInitialC, layer, direction, x);
  return is_one_op(layer, cell) ? run_as_op(layer, cell, x, first, backward)
                                : run_by_steps(layer, cell, x, first, backward);
}

// Every sequence must have the full length.
void check_lengths(const Call& call, int64_t length) {
  if (!call.has(kLengths)) return;
  for (const int64_t given : to_ints(call[kLengths]))
    if (given != length)
      throw Error(ErrorKind::kNotImplemented,
                  "sequences of several lengths: " + std::to_string(given) + " of " +
                      std::to_string(length));
}

void run_layer(Call& call, const Layer& layer) {
  if (call[kX].dim() != 3)
    throw Error(ErrorKind::kValue, "expected 3 dimensions, got " + std::to_string(call[kX].dim()));
  const Tensor x = layer.batch_first ? call[kX].transpose(0, 1) : call[kX];
  if (x.size(0) < 1 || x.size(0) > kMaxSteps)
    throw Error(ErrorKind::kNotImplemented, std::to_string(x.size(0)) + " steps, 1 to " +
                                                std::to_string(kMaxSteps) + " are run");
  check_lengths(call, x.size(0));
  std::vector<Tensor> all, last_h, last_c;
  for (int64_t d = 0; d < layer.directions(); ++d) {
    const Track track = run_direction(call, layer, x, d, d == 1 || !layer.forward);
    all.push_back(layer.batch_first ? track.states.transpose(0, 1) : track.states);
    last_h.push_back(track.last.h);
    if (layer.has_cell_state) last_c.push_back(track.last.c);
  }
  const int64_t at = layer.batch_first ? 1 : 0;  // of the directions in a state
  call.result(stack(all, layer.batch_first ? 2 : 1), 0);
  call.result(stack(last_h, at), 1);
  if (layer.has_cell_state) call.result(stack(last_c, at), 2);
}

void read_direction(Node& node, Layer& layer) {
  const std::string text = node.string_or("direction", "forward");
  if (text != "forward" && text != "reverse" && text != "bidirectional")
    node.fail("direction is " + text);
  layer.forward = text != "reverse";
  layer.backward = text != "forward";
}

// Those that are the layer's own, for each direction.
void check_activations(Node& node, const Layer& layer, const std::vector<std::string>& own) {
  const std::vector<std::string> given = node.strings_or("activations", {});
  if (given.empty()) return;
  bool same = given.size() == own.size() * static_cast<size_t>(layer.directions());
  for (size_t i = 0; same && i < given.size(); ++i) same = given[i] == own[i % own.size()];
  if (!same) node.fail_unsupported("attribute \"activations\"");
}

Runner recurrent(Node& node, Layer layer, const std::vector<std::string>& activations) {
  layer.hidden = node.required_int("hidden_size");
  if (layer.hidden < 1) node.fail("hidden_size is " + std::to_string(layer.hidden));
  layer.batch_first = node.int_or("layout", 0) != 0;
  read_direction(node, layer);
  check_activations(node, layer, activations);
  return [layer](Call& call) { run_layer(call, layer); };
}

}  // namespace

Runner bind_gru(Node& node) {
  Layer layer{3, advance_gru};
  layer.reset_after = node.int_or("linear_before_reset", 0) != 0;
  return recurrent(node, layer, {"Sigmoid", "Tanh"});
}

Runner bind_lstm(Node& node) {
  Layer layer{4, advance_lstm};
  layer.has_cell_state = true;
  if (node.int_or("input_forget", 0) != 0) node.fail_unsupported("input_forget");
  return recurrent(node, layer, {"Sigmoid", "Tanh", "Tanh"});
}

Runner bind_rnn(Node& node) {
  Layer layer{1, advance_rnn};
  const std::vector<std::string> given = node.strings_or("activations", {});
  layer.relu = !given.empty() && given[0] == "Relu";
  return recurrent(node, layer, {layer.relu ? "Relu" : "Tanh"});
}

}  // namespace frit::onnx::ops
