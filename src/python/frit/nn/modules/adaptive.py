"""A softmax over many classes, of which few are frequent."""
from __future__ import annotations

from collections import namedtuple

from frit import _core
from frit._core import dtype
from frit._types import device
from frit.nn import functional as F
from frit.nn.modules.container import ModuleList, Sequential
from frit.nn.modules.linear import Linear
from frit.nn.modules.module import Module

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log probabilities in two steps: of the frequent classes and clusters, then within a cluster."""

    def __init__(self, in_features: int, n_classes: int, cutoffs, div_value: float = 4.0, head_bias: bool = False,
                 device: device | str | None = None, dtype: dtype | None = None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (cutoffs != sorted(cutoffs) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1
                or len(set(cutoffs)) != len(cutoffs) or any(int(c) != c for c in cutoffs)):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                             "where each value is between 1 and n_classes-1")
        options = {"device": device, "dtype": dtype}
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = cutoffs + [n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(Sequential(Linear(in_features, hidden, bias=False, **options),
                                        Linear(hidden, size, bias=False, **options)))

    def reset_parameters(self):
        """Draws new weights."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def log_prob(self, input):
        """The log probabilities of all classes."""
        head = F.log_softmax(self.head(input), 1)
        parts = [head[:, :self.shortlist_size]]
        for i, tail in enumerate(self.tail):
            place = self.shortlist_size + i
            parts.append(F.log_softmax(tail(input), 1) + head[:, place:place + 1])
        return _core.cat(parts, 1)

    def predict(self, input):
        """The likeliest class of each row."""
        return self.log_prob(input).argmax(1)

    def forward(self, input, target):
        """Gives (the targets' log probabilities, the mean loss)."""
        single = target.dim() == 0
        x, y = (input.unsqueeze(0), target.unsqueeze(0)) if single else (input, target)
        if x.size(0) != y.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if ((y < 0) | (y >= self.n_classes)).any():
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                               f"[{y.min().item()}, {y.max().item()}] were found. ")
        output = self.log_prob(x).gather(1, y.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if single else output, loss)
