"""Channels as pixels, and back."""
from __future__ import annotations

from frit.nn import functional as F
from frit.nn.modules.module import Module


class PixelShuffle(Module):
    """[N, C * r * r, H, W] as [N, C, H * r, W * r]."""

    def __init__(self, upscale_factor: int):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """[N, C, H * r, W * r] as [N, C * r * r, H, W]."""

    def __init__(self, downscale_factor: int):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self):
        return f"downscale_factor={self.downscale_factor}"
