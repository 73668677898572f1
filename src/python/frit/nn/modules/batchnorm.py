"""Batch and instance normalization."""
from __future__ import annotations

from frit._core import dtype
from frit._types import device
import frit
from frit import _core
from frit.nn import functional as F, init
from frit.nn.modules.module import Module
from frit.nn.parameter import Parameter


class _NormBase(Module):
    """The parameters and running statistics that both share."""

    _version = 2
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    _ranks = ()

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: device | str | None = None, dtype: dtype | None = None):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name in ("weight", "bias"):
            if affine:
                setattr(self, name, Parameter(_core.empty(num_features, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        tracked = track_running_stats
        self.register_buffer("running_mean", _core.zeros(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", _core.ones(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", frit.tensor(0, dtype=frit.int64) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self):
        """Forgets what was seen in training."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Weight 1 and bias 0."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def _check_input_dim(self, input):
        if self._ranks and input.dim() not in self._ranks:
            expected = " or ".join(f"{rank}D" for rank in self._ranks)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
        key = prefix + "num_batches_tracked"
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked  # checkpoints of before this buffer
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)


class _BatchNorm(_NormBase):
    def forward(self, input):
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the plain mean of all batches
                momentum = 1.0 / float(self.num_batches_tracked.item())
        by_batch = self.training or self.running_mean is None
        tracked = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if tracked else None, self.running_var if tracked else None,
                            self.weight, self.bias, by_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Normalizes [N, C] or [N, C, L] per channel: by running statistics in eval(), else by the batch's."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalizes [N, C, H, W] per channel: by running statistics in eval(), else by the batch's."""

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalizes [N, C, D, H, W] per channel: by running statistics in eval(), else by the batch's."""

    _ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """A batch normalization of any rank; there is one process only."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
                 track_running_stats: bool = True, process_group=None, device: device | str | None = None,
                 dtype: dtype | None = None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """Gives the module back: one process has nothing to synchronize."""
        return module
