"""Forms of the compiled functions with arguments that only Python knows, and short compositions."""
from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import frit
from frit import _core
from frit._core import Tensor, dtype

_neural = _core._neural


def _implied_dim(name, rank):
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. "
                  "Change the call to include dim=X as an argument.", stacklevel=4)
    return 0 if rank in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel=3, dtype: dtype | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along a dimension."""
    return _neural["softmax"](input, _implied_dim("softmax", input.dim()) if dim is None else dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel=3, dtype: dtype | None = None) -> Tensor:
    """log(softmax(x)) along a dimension."""
    return _neural["log_softmax"](input, _implied_dim("log_softmax", input.dim()) if dim is None else dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel=3, dtype: dtype | None = None) -> Tensor:
    """softmax(-x) along a dimension."""
    return _neural["softmin"](input, _implied_dim("softmin", input.dim()) if dim is None else dim, dtype=dtype)


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
               bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias per channel.

    training: with the batch's own mean and variance, which then move the running ones.
    """
    if not training:
        return _neural["batch_norm"](input, running_mean, running_var, weight, bias, False, 0.1, eps)
    if input.dim() < 2:
        raise RuntimeError(f"batch_norm(): expected at least 2 dimensions, got {input.dim()}")
    count = input.numel() // max(input.size(1), 1)
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.size()}")
    wide = [t if t is None or t.dtype is frit.float64 else t.float()  # 16-bit numbers are rounded once, at the end
            for t in (input, running_mean, running_var, weight, bias)]
    x, old_mean, old_var, weight, bias = wide
    var, mean = _core.var_mean(x, [d for d in range(x.dim()) if d != 1], unbiased=False)
    if running_mean is not None:
        running_mean.copy_(old_mean * (1 - momentum) + mean * momentum)
    if running_var is not None:
        running_var.copy_(old_var * (1 - momentum) + var * (momentum * count / (count - 1)))
    return _neural["batch_norm"](x, mean, var, weight, bias, False, 0.1, eps).to(input.dtype)


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
              norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """The rows of weight that input numbers.

    max_norm: rows that are used and longer are shortened to it, in place.
    """
    if max_norm is not None:
        rows = _core.unique(input.reshape(-1))
        norms = _core.norm(weight[rows], norm_type, 1, True)
        shorter = _core.where(norms > max_norm, max_norm / (norms + 1e-7), _core.ones_like(norms))
        weight[rows] = weight[rows] * shorter
    return _neural["embedding"](input, weight)


def _sizes(input, output_size, rank):
    """The output sizes; None keeps the input's."""
    if isinstance(output_size, int) or output_size is None:
        output_size = (output_size,) * rank
    return [n if n is not None else input.shape[d - rank] for d, n in enumerate(output_size)]


def adaptive_avg_pool2d(input: Tensor, output_size) -> Tensor:
    """Means of windows so that the result has output_size; None keeps a size."""
    return _neural["adaptive_avg_pool2d"](input, _sizes(input, output_size, 2))


def adaptive_avg_pool3d(input: Tensor, output_size) -> Tensor:
    """Means of windows so that the result has output_size; None keeps a size."""
    return _neural["adaptive_avg_pool3d"](input, _sizes(input, output_size, 3))


def adaptive_max_pool2d(input: Tensor, output_size, return_indices=False):
    """The largest values of windows so that the result has output_size; None keeps a size."""
    return _neural["adaptive_max_pool2d"](input, _sizes(input, output_size, 2), return_indices)


def adaptive_max_pool3d(input: Tensor, output_size, return_indices=False):
    """The largest values of windows so that the result has output_size; None keeps a size."""
    return _neural["adaptive_max_pool3d"](input, _sizes(input, output_size, 3), return_indices)


def adaptive_max_pool1d_with_indices(input: Tensor, output_size, return_indices=True):
    """adaptive_max_pool1d and the places of the values."""
    return _neural["adaptive_max_pool1d"](input, output_size, True)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size, return_indices=True):
    """adaptive_max_pool2d and the places of the values."""
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size, return_indices=True):
    """adaptive_max_pool3d and the places of the values."""
    return adaptive_max_pool3d(input, output_size, True)


def max_pool1d_with_indices(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
                            padding=0, dilation=1, ceil_mode: bool = False, return_indices=True):
    """max_pool1d and the places of the values."""
    return _neural["max_pool1d"](input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
                            padding=0, dilation=1, ceil_mode: bool = False, return_indices=True):
    """max_pool2d and the places of the values."""
    return _neural["max_pool2d"](input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
                            padding=0, dilation=1, ceil_mode: bool = False, return_indices=True):
    """max_pool3d and the places of the values."""
    return _neural["max_pool3d"](input, kernel_size, stride, padding, dilation, ceil_mode, True)


def _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, rank):
    kernel = (kernel_size,) * rank if isinstance(kernel_size, int) else tuple(kernel_size)
    count = 1
    for k in kernel:
        count *= k
    means = _neural[f"avg_pool{rank}d"](input.pow(norm_type), kernel, stride, 0, ceil_mode)
    signed = _core.sign(means) * _core.relu(_core.abs(means))
    return (signed * count).pow(1.0 / norm_type)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int | Sequence[int],
              stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over windows."""
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 1)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: int | Sequence[int],
              stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over windows."""
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 2)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: int | Sequence[int],
              stride: int | Sequence[int] | None = None, ceil_mode: bool = False) -> Tensor:
    """(sum of x ** p) ** (1 / p) over windows."""
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 3)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha * mean of the squares of `size` neighbouring channels) ** beta."""
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)")
    if input.numel() == 0:
        return input
    n, c = input.shape[:2]
    squares = (input * input).reshape(n, 1, c, math.prod(input.shape[2:]))
    padded = _neural["pad"](squares, (0, 0, size // 2, (size - 1) // 2))
    means = _neural["avg_pool2d"](padded, (size, 1), 1).reshape(input.shape)
    return input / (means * alpha + k).pow(beta)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y[k] = x1 @ weight[k] @ x2 + bias[k]."""
    if input1.dtype in (frit.float16, frit.bfloat16):  # rounded once, at the end
        wide = bilinear(input1.float(), input2.float(), weight.float(), None if bias is None else bias.float())
        return wide.to(input1.dtype)
    rows = math.prod(input1.shape[:-1])
    left, right = input1.reshape(rows, input1.size(-1)), input2.reshape(rows, input2.size(-1))
    out, a, b = weight.shape
    half = (left @ weight.permute(1, 0, 2).reshape(a, out * b)).reshape(rows, out, b)
    products = (half * right.unsqueeze(1)).sum(-1).to(input1.dtype)  # sums of integers are i64
    result = products.reshape(*input1.shape[:-1], out)
    return result if bias is None else result + bias


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channel i of group g goes to place i * groups + g."""
    n, c, *rest = input.shape
    if c % groups != 0:
        raise RuntimeError("Number of channels must be divisible by groups. "
                           f"Got {c} channels and {groups} groups.")
    return input.reshape(n, groups, c // groups, *rest).transpose(1, 2).reshape(n, c, *rest)


native_channel_shuffle = channel_shuffle


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad=0) -> Tensor:
    """conv1d of [time, batch, channels] with weight [width, in, out]."""
    result = _core.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return result.permute(2, 0, 1)


def pdist(input: Tensor, p: float = 2) -> Tensor:
    """The distances between all pairs of rows (i < j)."""
    n = input.size(0)
    rows, columns = _core.triu_indices(n, n, 1).unbind(0)
    return _core.norm(input[rows] - input[columns], p, 1)

