"""Instance normalization."""
from __future__ import annotations

from frit._core import dtype
from frit._types import device
from frit.nn import functional as F
from frit.nn.modules.batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
                 track_running_stats: bool = False, device: device | str | None = None, dtype: dtype | None = None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input):
        self._check_input_dim(input)
        own = self.training or not self.track_running_stats
        single = input.dim() == self._ranks[0]
        result = F.instance_norm(input.unsqueeze(0) if single else input, self.running_mean, self.running_var,
                                 self.weight, self.bias, own, 0.0 if self.momentum is None else self.momentum, self.eps)
        return result.squeeze(0) if single else result


class InstanceNorm1d(_InstanceNorm):
    """Normalizes each channel of each sample of [N, C, L] or [C, L]."""

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalizes each channel of each sample of [N, C, H, W] or [C, H, W]."""

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalizes each channel of each sample of [N, C, D, H, W] or [C, D, H, W]."""

    _ranks = (4, 5)
