"""LSTMs whose outputs are projected to fewer numbers: step by step, over other functions."""
from frit import _core
from frit.nn._noise import dropout as _dropout

_linear = _core._neural["linear"]


def _step(projected, state, w_hh, b_hh, w_hr):
    h, c = state
    i, f, g, o = (projected + _linear(h, w_hh, b_hh)).chunk(4, -1)
    c = _core.sigmoid(f) * c + _core.sigmoid(i) * _core.tanh(g)
    return _linear(_core.sigmoid(o) * _core.tanh(c), w_hr), c


def _direction(x, state, weights, has_biases, backwards):
    """One layer in one direction over [T, N, I]: all outputs, and the last state."""
    w_ih, w_hh, *rest = weights
    b_ih, b_hh = rest[:2] if has_biases else (None, None)
    steps = _linear(x, w_ih, b_ih).unbind(0)  # the input's part of all steps at once
    outputs = []
    for projected in reversed(steps) if backwards else steps:
        state = _step(projected, state, w_hh, b_hh, rest[-1])
        outputs.append(state[0])
    return _core.stack(outputs[::-1] if backwards else outputs), state


def lstm(x, states, weights, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    """(outputs, h, c), with frit.lstm()'s arguments; each layer's last weight is the projection."""
    x = x.transpose(0, 1) if batch_first else x
    directions = 2 if bidirectional else 1
    per_layer = len(weights) // (num_layers * directions)
    ends = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            place = layer * directions + direction
            output, end = _direction(x, tuple(s[place] for s in states),
                                     weights[place * per_layer:(place + 1) * per_layer], has_biases, direction == 1)
            outputs.append(output)
            ends.append(end)
        x = _core.cat(outputs, -1) if bidirectional else outputs[0]
        if dropout and train and layer < num_layers - 1:
            x = _dropout(x, dropout)
    return (x.transpose(0, 1) if batch_first else x, *(_core.stack(list(parts)) for parts in zip(*ends)))
