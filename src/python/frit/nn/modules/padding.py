"""Padding."""
from __future__ import annotations

from collections.abc import Sequence

from frit.nn import functional as F
from frit.nn.modules.module import Module
from frit.nn.modules.utils import _ntuple


class _PadNd(Module):
    __constants__ = ["padding"]
    _rank = 0
    _mode = "constant"

    def __init__(self, padding: int | Sequence[int]):
        super().__init__()
        self.padding = _ntuple(2 * self._rank)(padding)

    def forward(self, input):
        return F.pad(input, self.padding, mode=self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: int | Sequence[int], value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last 1 dimension with one value."""

    _rank = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last 2 dimensions with one value."""

    _rank = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last 3 dimensions with one value."""

    _rank = 3


class ZeroPad1d(_ConstantPadNd):
    """Pads the last 1 dimension with zeros."""

    _rank = 1

    def __init__(self, padding: int | Sequence[int]):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad2d(_ConstantPadNd):
    """Pads the last 2 dimensions with zeros."""

    _rank = 2

    def __init__(self, padding: int | Sequence[int]):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad3d(_ConstantPadNd):
    """Pads the last 3 dimensions with zeros."""

    _rank = 3

    def __init__(self, padding: int | Sequence[int]):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ReflectionPad1d(_PadNd):
    """Pads the last 1 dimension with what lies inside, mirrored."""

    _rank = 1
    _mode = "reflect"


class ReflectionPad2d(_PadNd):
    """Pads the last 2 dimensions with what lies inside, mirrored."""

    _rank = 2
    _mode = "reflect"


class ReflectionPad3d(_PadNd):
    """Pads the last 3 dimensions with what lies inside, mirrored."""

    _rank = 3
    _mode = "reflect"


class ReplicationPad1d(_PadNd):
    """Pads the last 1 dimension with the values of the border."""

    _rank = 1
    _mode = "replicate"


class ReplicationPad2d(_PadNd):
    """Pads the last 2 dimensions with the values of the border."""

    _rank = 2
    _mode = "replicate"


class ReplicationPad3d(_PadNd):
    """Pads the last 3 dimensions with the values of the border."""

    _rank = 3
    _mode = "replicate"


class CircularPad1d(_PadNd):
    """Pads the last 1 dimension with what lies at the other end."""

    _rank = 1
    _mode = "circular"


class CircularPad2d(_PadNd):
    """Pads the last 2 dimensions with what lies at the other end."""

    _rank = 2
    _mode = "circular"


class CircularPad3d(_PadNd):
    """Pads the last 3 dimensions with what lies at the other end."""

    _rank = 3
    _mode = "circular"
