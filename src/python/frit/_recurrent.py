"""lstm(), gru(), rnn_tanh() and rnn_relu(), and one step of each, over other functions."""
from frit import _core
from frit.nn._noise import dropout as _dropout

_linear = _core._neural["linear"]


def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an LSTM: (h, c)."""
    return _lstm_step(_linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a GRU: h."""
    return _gru_step(_linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an RNN: h."""
    return _core.tanh(_linear(input, w_ih, b_ih) + _linear(hx, w_hh, b_hh))


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an RNN: h."""
    return _core.relu(_linear(input, w_ih, b_ih) + _linear(hx, w_hh, b_hh))


# A step gets the input after its weights, since these are applied to all of the sequence at once.

def _lstm_step(projected, state, w_hh, b_hh, w_hr=None):
    h, c = state
    i, f, g, o = (projected + _linear(h, w_hh, b_hh)).chunk(4, -1)
    c = _core.sigmoid(f) * c + _core.sigmoid(i) * _core.tanh(g)
    h = _core.sigmoid(o) * _core.tanh(c)
    return (h if w_hr is None else _linear(h, w_hr)), c


def _gru_step(projected, state, w_hh, b_hh):
    h, = state
    x_r, x_z, x_n = projected.chunk(3, -1)
    h_r, h_z, h_n = _linear(h, w_hh, b_hh).chunk(3, -1)
    z = _core.sigmoid(x_z + h_z)
    n = _core.tanh(x_n + _core.sigmoid(x_r + h_r) * h_n)
    return ((h - n) * z + n,)


def _rnn_tanh_step(projected, state, w_hh, b_hh):
    return (_core.tanh(projected + _linear(state[0], w_hh, b_hh)),)


def _rnn_relu_step(projected, state, w_hh, b_hh):
    return (_core.relu(projected + _linear(state[0], w_hh, b_hh)),)


def _direction(step, x, state, weights, has_biases, backwards):
    """One layer in one direction over [T, N, I]: all outputs, and the last state."""
    w_ih, w_hh, *rest = weights
    b_ih, b_hh = rest[:2] if has_biases else (None, None)
    more = rest[2:] if has_biases else rest  # an LSTM's projection
    projected = _linear(x, w_ih, b_ih).unbind(0)
    outputs = []
    for step_input in reversed(projected) if backwards else projected:
        state = step(step_input, state, w_hh, b_hh, *more)
        outputs.append(state[0])
    return _core.stack(outputs[::-1] if backwards else outputs), state


def _run(step, x, states, weights, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """All layers; `states` has a tensor of all layers' states for each that a cell has."""
    x = x.transpose(0, 1) if batch_first else x
    directions = 2 if bidirectional else 1
    per_layer = len(weights) // (num_layers * directions)
    ends = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            place = layer * directions + direction
            output, end = _direction(step, x, tuple(s[place] for s in states),
                                     weights[place * per_layer:(place + 1) * per_layer], has_biases, direction == 1)
            outputs.append(output)
            ends.append(end)
        x = _core.cat(outputs, -1) if bidirectional else outputs[0]
        if dropout and train and layer < num_layers - 1:
            x = _dropout(x, dropout)
    return (x.transpose(0, 1) if batch_first else x, *(_core.stack(list(parts)) for parts in zip(*ends)))


def lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """Layers of LSTMs over a sequence: (outputs, h, c). hx: (h, c)."""
    return _run(_lstm_step, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """Layers of GRUs over a sequence: (outputs, h)."""
    return _run(_gru_step, input, (hx,), params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """Layers of RNNs over a sequence: (outputs, h)."""
    return _run(_rnn_tanh_step, input, (hx,), params, has_biases, num_layers, dropout, train, bidirectional,
                batch_first)


def rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """Layers of RNNs over a sequence: (outputs, h)."""
    return _run(_rnn_relu_step, input, (hx,), params, has_biases, num_layers, dropout, train, bidirectional,
                batch_first)
