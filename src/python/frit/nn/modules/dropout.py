"""Dropout: in training, zeroes at random; in eval(), gives its argument back."""
from __future__ import annotations

from frit.nn import functional as F
from frit.nn.modules.module import Module


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]
    _drop = None

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        if not self.training:
            return input
        return self._drop(input, self.p, True, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Zeroes elements with probability p in training, and scales the others."""

    _drop = staticmethod(F.dropout)


class Dropout1d(_DropoutNd):
    """Zeroes whole channels of [N, C, L] in training."""

    _drop = staticmethod(F.dropout1d)


class Dropout2d(_DropoutNd):
    """Zeroes whole channels of [N, C, H, W] in training."""

    _drop = staticmethod(F.dropout2d)


class Dropout3d(_DropoutNd):
    """Zeroes whole channels of [N, C, D, H, W] in training."""

    _drop = staticmethod(F.dropout3d)


class AlphaDropout(_DropoutNd):
    """Dropout in training that keeps the mean and variance of what selu gives."""

    _drop = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    _drop = staticmethod(F.feature_alpha_dropout)
