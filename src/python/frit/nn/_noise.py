"""Functions that draw random numbers, in PyTorch's order."""
from __future__ import annotations

import math
from collections.abc import Sequence

import frit
from frit import _core
from frit._core import Tensor


def _check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _kept(sizes, p, dtype):
    return _core.bernoulli(_core.empty(sizes, dtype=dtype), 1 - p)


def _written(target, result, inplace):
    return target.copy_(result) if inplace else result


def _dropped(input, sizes, p, inplace):
    """Zeroes with probability p what shares a number of the noise, of those sizes; scales the rest."""
    noise = _core.zeros(sizes, dtype=input.dtype) if p == 1 else _kept(sizes, p, input.dtype) / (1 - p)
    return _written(input, input * noise, inplace)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, zeroes elements with probability p and scales the others by 1 / (1 - p)."""
    _check_probability(p)
    if not training or p == 0 or input.numel() == 0:
        return input
    return _dropped(input, input.shape, p, inplace)


def _drop_channels(input, p, training, inplace, num_batch):
    _check_probability(p)
    if not training or p == 0:
        return input
    return _dropped(input, [n if d < num_batch else 1 for d, n in enumerate(input.shape)], p, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of [N, C, L] or [C, L] with probability p."""
    return _drop_channels(input, p, training, inplace, input.dim() - 1)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of [N, C, H, W] with probability p."""
    return _drop_channels(input, p, training, inplace, 2)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of [N, C, D, H, W] or [C, D, H, W] with probability p."""
    return _drop_channels(input, p, training, inplace, input.dim() - 3)


_ALPHA = 1.7580993408473766  # the value that selu goes to, negated


def _alpha(input, p, training, inplace, num_batch):
    _check_probability(p)
    if not training or p == 0:
        return input
    if p == 1:
        return _written(input, input * 0, inplace)
    sizes = [n if d < num_batch else 1 for d, n in enumerate(input.shape)]
    noise = _kept(sizes, p, input.dtype)
    scale = 1 / ((_ALPHA * _ALPHA * p + 1) * (1 - p)) ** 0.5
    shift = (noise - 1) * (_ALPHA * scale) + _ALPHA * scale * p
    return _written(input, input * (noise * scale) + shift, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps the mean and variance of what selu gives."""
    return _alpha(input, p, training, inplace, input.dim())


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """alpha_dropout of whole channels."""
    return _alpha(input, p, training, inplace, 2)


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
          inplace: bool = False) -> Tensor:
    """x where positive; else x times a slope, which is drawn in training and the middle one otherwise."""
    if not training:
        return _core._neural["rrelu"](input, lower, upper, False, inplace)
    negative = input <= 0
    slopes = _core.rand(int(negative.sum()), dtype=_core.float64) * (upper - lower) + lower
    noise = _core.ones_like(input).masked_scatter(negative, slopes.to(input.dtype))
    return _written(input, input * noise, inplace)


def gumbel_softmax(logits, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of the distribution that the logits give, softened by tau; hard: one of ones and zeros."""
    noise = -_core.empty_like(logits).exponential_().log()
    soft = _core.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    return _core.zeros_like(logits).scatter(dim, index, 1.0)


def _starts(samples, size, out_size, kernel):
    """Where the windows of a fractional pool begin: [..., out_size], by one random number each."""
    if out_size == 1:
        return frit.full((*samples.shape, 1), size - kernel, dtype=frit.int64)
    step = (size - kernel) / (out_size - 1)
    steps = _core.arange(out_size - 1, dtype=samples.dtype)
    u = samples.unsqueeze(-1)
    begins = ((steps + u) * step).to(frit.int64) - (u * step).to(frit.int64)
    last = frit.full((*samples.shape, 1), size - kernel, dtype=frit.int64)
    return _core.cat([begins, last], -1)


def _fractional(x, kernel, output_size, output_ratio, return_indices, samples, rank):
    kernel = (kernel,) * rank if isinstance(kernel, int) else tuple(kernel)
    sizes = x.shape[-rank:]
    if output_size is None:
        if output_ratio is None:
            raise ValueError(f"fractional_max_pool{rank}d requires specifying either an output_size or an output_ratio")
        ratio = (output_ratio,) * rank if isinstance(output_ratio, (int, float)) else tuple(output_ratio)
        output_size = [int(n * r) for n, r in zip(sizes, ratio)]
    out = (output_size,) * rank if isinstance(output_size, int) else tuple(output_size)
    batched = x if x.dim() == rank + 2 else x.unsqueeze(0)
    planes = batched.reshape(*batched.shape[:2], math.prod(sizes))
    if samples is None:
        samples = _core.rand(*batched.shape[:2], rank, dtype=x.dtype)
    # The numbers of a plane are for its last dimension first. offset: of every element of every window.
    offset = frit.zeros((*batched.shape[:2], 1, 1), dtype=frit.int64)
    for d in range(rank):
        number = samples[..., rank - 1 - d] if rank == 2 else samples[..., d]
        place = _starts(number, sizes[d], out[d], kernel[d]).unsqueeze(-1) + _core.arange(kernel[d])
        n, c, windows, inside = offset.shape
        offset = (offset.reshape(n, c, windows, 1, inside, 1) * sizes[d]
                  + place.reshape(n, c, 1, out[d], 1, kernel[d])).reshape(n, c, windows * out[d], inside * kernel[d])
    n, c, windows, inside = offset.shape
    values, which = planes.gather(2, offset.reshape(n, c, windows * inside)).reshape(n, c, windows, inside).max(-1)
    indices = offset.gather(3, which.unsqueeze(-1)).squeeze(-1)
    shape = (*x.shape[:-rank], *out)
    values = values.reshape(shape)
    return (values, indices.reshape(shape)) if return_indices else values


def fractional_max_pool2d(input: Tensor, kernel_size: int | Sequence[int], output_size=None, output_ratio=None,
                          return_indices=False, _random_samples=None):
    """The largest values of windows whose places are drawn at random."""
    return _fractional(input, kernel_size, output_size, output_ratio, return_indices, _random_samples, 2)


def fractional_max_pool3d(input: Tensor, kernel_size: int | Sequence[int], output_size=None, output_ratio=None,
                          return_indices=False, _random_samples=None):
    """The largest values of windows whose places are drawn at random."""
    return _fractional(input, kernel_size, output_size, output_ratio, return_indices, _random_samples, 3)


def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: int | Sequence[int], output_size=None,
                                       output_ratio=None, return_indices=True, _random_samples=None):
    """fractional_max_pool2d and the places of the values."""
    return _fractional(input, kernel_size, output_size, output_ratio, True, _random_samples, 2)


def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: int | Sequence[int], output_size=None,
                                       output_ratio=None, return_indices=True, _random_samples=None):
    """fractional_max_pool3d and the places of the values."""
    return _fractional(input, kernel_size, output_size, output_ratio, True, _random_samples, 3)
