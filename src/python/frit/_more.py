"""Functions of torch's own level that are put together of others."""
import builtins

import frit
from frit import _core
from frit._core import Tensor
from frit.nn import functional as F
from frit.nn._noise import _dropped

_AS_METHODS = ("detach_", "get_device", "is_conj", "is_inference", "is_neg", "is_nonzero", "is_same_size", "is_signed",
               "zero_", "fill_", "adjoint", "resize_as_", "as_strided_")
for _name in _AS_METHODS:
    globals()[_name] = getattr(Tensor, _name)

for _name in ("adaptive_max_pool1d", "alpha_dropout", "bilinear", "channel_shuffle", "conv_tbc", "embedding_bag",
              "feature_alpha_dropout", "native_channel_shuffle", "pdist", "rrelu", "rrelu_"):
    globals()[_name] = getattr(F, _name)
max_pool1d_with_indices = F.max_pool1d_with_indices


def is_distributed(input):
    """Whether the tensor is spread over processes: never."""
    return False


def fill(input, value):
    """A tensor of the same shape with one number."""
    return input.clone().fill_(value)


def dropout_(input, p=0.5, train=True):
    """F.dropout(), written to its argument."""
    return F.dropout(input, p, train, True)


def alpha_dropout_(input, p=0.5, train=False):
    """F.alpha_dropout(), written to its argument."""
    return F.alpha_dropout(input, p, train, True)


def feature_dropout(input, p, train):
    """Zeroes whole channels with probability p."""
    return _dropped(input, [*input.shape[:2], *[1] * (input.dim() - 2)], p, False) if train and p else input


def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor without dimensions of a number: f32 where no dtype is given."""
    return _core.full((), s, dtype=dtype or _core.float32, device=device)


def randint_like(input, low, high=None, *, dtype=None, layout=None, device=None, memory_format=None,
                 requires_grad=False):
    """Whole random numbers in the shape of another tensor."""
    low, high = (0, low) if high is None else (low, high)
    return _core.randint(low, high, input.shape, dtype=dtype or input.dtype)


def range(start, end=None, step=1, *, dtype=None, layout=None, device=None, requires_grad=False):
    """Numbers from start to end, with the end."""
    start, end = (0, start) if end is None else (start, end)
    count = int((end - start) / step + 1)
    return start + step * _core.arange(count, dtype=dtype or _core.float32)


def row_stack(tensors, *, out=None):
    """vstack() under another name."""
    return _core.vstack(tensors) if out is None else _core.vstack(tensors, out=out)


def chain_matmul(*matrices, out=None):
    """The product of matrices from left to right."""
    return frit.linalg.multi_dot(matrices, out=out)


def combinations(input, r=2, with_replacement=False):
    """The choices of r elements of a vector, in order, as rows."""
    import itertools
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError("Expect a non-negative number, but got " + str(r))
    if r == 0:
        return _core.empty(0, dtype=input.dtype)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(builtins.range(input.size(0)), r))
    return input[frit.tensor(rows, dtype=frit.int64).reshape(len(rows), r)]


def vander(x, N=None, increasing=False):
    """The powers of a vector's elements, by columns."""
    n = x.size(0) if N is None else N
    powers = _core.arange(n) if increasing else n - 1 - _core.arange(n)
    columns = x.unsqueeze(-1) if x.dtype.is_floating_point else x.long().unsqueeze(-1)
    return columns.pow(powers)


def _steps(y, x, dx, dim):
    """(y[1:] + y[:-1]) times the distance."""
    length = y.size(dim)
    sums = y.narrow(dim, 1, length - 1) + y.narrow(dim, 0, length - 1)
    if x is None:
        return sums * dx
    if x.dim() == 1:
        sizes = [1] * y.dim()
        sizes[dim] = -1
        x = x.reshape(sizes)
    return sums * (x.narrow(dim, 1, length - 1) - x.narrow(dim, 0, length - 1))


def trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area under lines through points, along a dimension."""
    if y.size(dim) == 0:
        return _core.zeros([n for d, n in enumerate(y.shape) if d != dim % y.dim()], dtype=y.dtype)
    return _steps(y, x, dx, dim).sum(dim) / 2.0


def trapz(y, x=None, *, dx=1, dim=-1):
    """trapezoid() under a former name."""
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area under lines through points, up to each point but the first."""
    return _steps(y, x, dx, dim).cumsum(dim) / 2.0


def unsafe_chunk(input, chunks, dim=0):
    """chunk()."""
    return _core.chunk(input, chunks, dim)


def unsafe_split(tensor, split_size, dim=0):
    """split()."""
    return _core.split(tensor, split_size, dim)


unsafe_split_with_sizes = unsafe_split
