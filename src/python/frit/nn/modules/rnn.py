"""Recurrent networks: layers of cells over a sequence, and single cells."""
from __future__ import annotations

import math
import warnings

from frit._core import dtype
from frit._types import device
import frit
from frit import _core
from frit.nn import init
from frit.nn._projected_lstm import lstm as projected_lstm
from frit.nn.modules.module import Module
from frit.nn.parameter import Parameter
from frit.nn.utils.rnn import PackedSequence, pack_lists, sequences_of

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def apply_permutation(tensor, permutation, dim=1):
    """Reorders a dimension."""
    return tensor.index_select(dim, permutation)


class RNNBase(Module):
    """What LSTM, GRU and RNN share: the weights of all layers and directions, by PyTorch's names."""

    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout",
                     "bidirectional", "proj_size"]

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: device | str | None = None, dtype: dtype | None = None):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check()
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[:self._num_directions]:
                self._add_weights(layer, suffix, device, dtype)
        self.reset_parameters()

    @property
    def _num_directions(self):
        return 2 if self.bidirectional else 1

    def _check(self):
        if not 0 <= self.dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element "
                             "being zeroed")
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                          f"num_layers greater than 1, but got dropout={self.dropout} and num_layers=1", stacklevel=4)
        if self.hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    def _add_weights(self, layer, suffix, device, dtype):
        given = self.proj_size or self.hidden_size
        inputs = self.input_size if layer == 0 else given * self._num_directions
        gates = _GATES[self.mode] * self.hidden_size
        sizes = {"weight_ih": (gates, inputs), "weight_hh": (gates, given)}
        if self.bias:
            sizes.update(bias_ih=(gates,), bias_hh=(gates,))
        if self.proj_size:
            sizes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = []
        for name, size in sizes.items():
            names.append(f"{name}_l{layer}{suffix}")
            setattr(self, names[-1], Parameter(_core.empty(size, device=device, dtype=dtype)))
        self._all_weights.append(names)

    def reset_parameters(self):
        """Draws new weights."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self):
        """Does nothing: the weights may lie anywhere."""

    @property
    def all_weights(self):
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self):
        parameters = self._parameters
        return [parameters[name] for names in self._all_weights for name in names]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text

    def _state_size(self, index):
        """The last dimension of the hidden state (0) or the cell's (1)."""
        return self.proj_size or self.hidden_size if index == 0 else self.hidden_size

    def _num_states(self):
        return 2 if self.mode == "LSTM" else 1

    def _states(self, hx, batch, like):
        """The initial states as a list: zeros where none are given."""
        layers = self.num_layers * self._num_directions
        if hx is None:
            return [_core.zeros(layers, batch, self._state_size(i), dtype=like.dtype)
                    for i in range(self._num_states())]
        states = list(hx) if self.mode == "LSTM" else [hx]
        for i, state in enumerate(states):
            expected = (layers, batch, self._state_size(i))
            if tuple(state.shape) != expected:
                name = "hx" if self.mode != "LSTM" else f"hidden[{i}]"
                raise RuntimeError(f"Expected {name} size {expected}, got {list(state.shape)}")
        return states

    def _run(self, input, states, batch_first):
        function = projected_lstm if self.proj_size > 0 else getattr(frit, self.mode.lower())
        state = tuple(states) if self.mode == "LSTM" else states[0]
        return function(input, state, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
                        self.bidirectional, batch_first)

    def forward(self, input, hx=None):
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, "
                               f"got {input.size(-1)}")
        single = input.dim() == 2
        batch_dim = 0 if self.batch_first else 1
        if single:
            input = input.unsqueeze(batch_dim)
            if hx is not None:
                hx = tuple(h.unsqueeze(1) for h in hx) if self.mode == "LSTM" else hx.unsqueeze(1)
        output, *states = self._run(input, self._states(hx, input.size(batch_dim), input), self.batch_first)
        if single:
            output, states = output.squeeze(batch_dim), [state.squeeze(1) for state in states]
        return output, self._as_hidden(states)

    def _as_hidden(self, states):
        return tuple(states) if self.mode == "LSTM" else states[0]

    def _forward_packed(self, packed, hx):
        """Each sequence by itself, so that none sees another's padding."""
        sequences = sequences_of(packed)
        like = packed.data
        states = self._states(hx, len(sequences), like)
        if hx is not None and packed.sorted_indices is not None:
            states = [apply_permutation(state, packed.sorted_indices) for state in states]
        outputs, ends = [], []
        for i, sequence in enumerate(sequences):
            output, *end = self._run(sequence.unsqueeze(1), [state[:, i:i + 1] for state in states], False)
            outputs.append(output.squeeze(1))
            ends.append(end)
        states = [_core.cat([end[i] for end in ends], 1) for i in range(len(states))]
        if packed.unsorted_indices is not None:
            states = [apply_permutation(state, packed.unsorted_indices) for state in states]
        result = PackedSequence(pack_lists(outputs), packed.batch_sizes, packed.sorted_indices,
                                packed.unsorted_indices)
        return result, self._as_hidden(states)


class RNN(RNNBase):
    """h' = tanh(W x + b + U h + c), or relu, over a sequence."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
                 bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
                 device: device | str | None = None, dtype: dtype | None = None):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """A long short-term memory over a sequence: lstm(x) and lstm(x, (h, c)) give y, (h, c)."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: device | str | None = None, dtype: dtype | None = None):
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
                         proj_size, device, dtype)


class GRU(RNNBase):
    """Gated recurrent units over a sequence: gru(x) and gru(x, h) give y, h."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
                 device: device | str | None = None, dtype: dtype | None = None):
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0,
                         device, dtype)


class RNNCellBase(Module):
    """The weights of one cell."""

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks, device: device | str | None = None,
                 dtype: dtype | None = None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        sizes = {"weight_ih": (gates, input_size), "weight_hh": (gates, hidden_size), "bias_ih": (gates,),
                 "bias_hh": (gates,)}
        for name, size in sizes.items():
            if bias or name.startswith("weight"):
                setattr(self, name, Parameter(_core.empty(size, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draws new weights."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _check(self, input):
        if input.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected input to be 1D or 2D, got {input.dim()}D instead")

    def _step(self, name, input, hx):
        """One step of a cell with one state."""
        self._check(input)
        single = input.dim() == 1
        x = input.unsqueeze(0) if single else input
        if hx is None:
            h = _core.zeros(x.size(0), self.hidden_size, dtype=x.dtype)
        else:
            h = hx.unsqueeze(0) if single else hx
        result = getattr(frit, name)(x, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return result.squeeze(0) if single else result


class RNNCell(RNNCellBase):
    """One step of RNN: cell(x, h) gives h."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
                 device: device | str | None = None, dtype: dtype | None = None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(f"rnn_{self.nonlinearity}_cell", input, hx)


class LSTMCell(RNNCellBase):
    """One step of LSTM: cell(x, (h, c)) gives (h, c)."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: device | str | None = None,
                 dtype: dtype | None = None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        self._check(input)
        single = input.dim() == 1
        x = input.unsqueeze(0) if single else input
        if hx is None:
            zeros = _core.zeros(x.size(0), self.hidden_size, dtype=x.dtype)
            hx = (zeros, zeros)
        elif single:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        h, c = frit.lstm_cell(x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return (h.squeeze(0), c.squeeze(0)) if single else (h, c)


class GRUCell(RNNCellBase):
    """One step of GRU: cell(x, h) gives h."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: device | str | None = None,
                 dtype: dtype | None = None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step("gru_cell", input, hx)
