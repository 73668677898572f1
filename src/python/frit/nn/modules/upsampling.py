"""Resampling of images."""
from __future__ import annotations

from frit.nn import functional as F
from frit.nn.modules.module import Module


class Upsample(Module):
    """F.interpolate() as a module."""

    def __init__(self, size=None, scale_factor=None, mode: str = "nearest", align_corners=None,
                 recompute_scale_factor=None):
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor = tuple(map(float, scale_factor)) if isinstance(scale_factor, tuple) else (
            float(scale_factor) if scale_factor else None)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             self.recompute_scale_factor)

    def extra_repr(self):
        which = "size" if self.scale_factor is None else "scale_factor"
        return f"{which}={getattr(self, which)}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Upsample with the nearest elements."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Upsample between the four nearest elements, corners on corners."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
