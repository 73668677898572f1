"""Pooling."""
from __future__ import annotations

from collections.abc import Sequence

from frit.nn import functional as F
from frit.nn.modules.module import Module
from frit.nn.modules.utils import _ntuple


class _MaxPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
    _pool = None

    def __init__(self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, return_indices: bool = False,
                 ceil_mode: bool = False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return self._pool(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                          self.return_indices)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class _MaxUnpoolNd(Module):
    _rank = 0
    _unpool = None

    def __init__(self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0):
        super().__init__()
        each = _ntuple(self._rank)
        self.kernel_size = each(kernel_size)
        self.stride = each(stride if stride is not None else kernel_size)
        self.padding = each(padding)

    def forward(self, input, indices, output_size=None):
        return self._unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _LPPoolNd(Module):
    _pool = None

    def __init__(self, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
                 ceil_mode: bool = False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return self._pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"ceil_mode={self.ceil_mode}")


class _AdaptiveAvgPoolNd(Module):
    _pool = None

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return self._pool(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class _AdaptiveMaxPoolNd(Module):
    _pool = None

    def __init__(self, output_size, return_indices: bool = False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input):
        return self._pool(input, self.output_size, self.return_indices)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AvgPool1d(Module):
    """Means of windows of [N, C, L] or [C, L]."""

    def __init__(self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True):
        super().__init__()
        one = _ntuple(1)
        self.kernel_size = one(kernel_size)
        self.stride = one(stride if stride is not None else kernel_size)
        self.padding = one(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPoolNd(Module):
    _pool = None

    def __init__(self, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
                 divisor_override=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        return self._pool(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                          self.divisor_override)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPoolNd):
    """Means of windows of [N, C, H, W] or [C, H, W]."""

    _pool = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPoolNd):
    """Means of windows of [N, C, D, H, W] or [C, D, H, W]."""

    _pool = staticmethod(F.avg_pool3d)


class MaxPool1d(_MaxPoolNd):
    """The largest values of windows in 1 dimension."""

    _pool = staticmethod(F.max_pool1d)


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts the values of MaxPool1d back to their places; zeros elsewhere."""

    _rank = 1
    _unpool = staticmethod(F.max_unpool1d)


class LPPool1d(_LPPoolNd):
    """(sum of x ** p) ** (1 / p) of windows in 1 dimension."""

    _pool = staticmethod(F.lp_pool1d)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means of windows so that the result has output_size, in 1 dimension."""

    _pool = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest values of windows so that the result has output_size, in 1 dimension."""

    _pool = staticmethod(F.adaptive_max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The largest values of windows in 2 dimensions."""

    _pool = staticmethod(F.max_pool2d)


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts the values of MaxPool2d back to their places; zeros elsewhere."""

    _rank = 2
    _unpool = staticmethod(F.max_unpool2d)


class LPPool2d(_LPPoolNd):
    """(sum of x ** p) ** (1 / p) of windows in 2 dimensions."""

    _pool = staticmethod(F.lp_pool2d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means of windows so that the result has output_size, in 2 dimensions."""

    _pool = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest values of windows so that the result has output_size, in 2 dimensions."""

    _pool = staticmethod(F.adaptive_max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The largest values of windows in 3 dimensions."""

    _pool = staticmethod(F.max_pool3d)


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts the values of MaxPool3d back to their places; zeros elsewhere."""

    _rank = 3
    _unpool = staticmethod(F.max_unpool3d)


class LPPool3d(_LPPoolNd):
    """(sum of x ** p) ** (1 / p) of windows in 3 dimensions."""

    _pool = staticmethod(F.lp_pool3d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means of windows so that the result has output_size, in 3 dimensions."""

    _pool = staticmethod(F.adaptive_avg_pool3d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest values of windows so that the result has output_size, in 3 dimensions."""

    _pool = staticmethod(F.adaptive_max_pool3d)


class _FractionalMaxPoolNd(Module):
    _rank = 0
    _pool = None

    def __init__(self, kernel_size: int | Sequence[int], output_size=None, output_ratio=None,
                 return_indices: bool = False, _random_samples=None):
        super().__init__()
        name = type(self).__name__
        if (output_size is None) == (output_ratio is None):
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        each = _ntuple(self._rank)
        self.kernel_size = each(kernel_size)
        self.return_indices = return_indices
        self.output_size = each(output_size) if output_size is not None else None
        self.output_ratio = each(output_ratio) if output_ratio is not None else None
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input):
        return self._pool(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
                          self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest values of windows whose places are drawn at random, in 2 dimensions."""

    _rank = 2
    _pool = staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The largest values of windows whose places are drawn at random, in 3 dimensions."""

    _rank = 3
    _pool = staticmethod(F.fractional_max_pool3d)
