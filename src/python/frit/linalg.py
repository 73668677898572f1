"""Norms and products under the names that PyTorch has for them here."""
import math

from frit._core import amax, amin, cross as _cross, diagonal as _diagonal, matmul, norm as _norm, sum as _sum


def _written(result, out):
    if out is None:
        return result
    out.copy_(result)
    return out


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """The norm of x, or along dimensions, as one vector."""
    return _written(_norm(x, ord, dim, keepdim, dtype), out)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """The Frobenius norm of matrices, or the largest or smallest sum of a column (1) or row (inf)."""
    if ord == "fro":
        return _written(_norm(A, 2, dim, keepdim, dtype), out)
    if ord not in (1, -1, math.inf, -math.inf):
        raise NotImplementedError(f"matrix_norm(ord={ord}): not implemented")
    x = (A if dtype is None else A.to(dtype)).abs()
    row, column = (d % x.dim() for d in dim)
    summed, left = (row, column) if abs(ord) == 1 else (column, row)
    sums = _sum(x, summed, keepdim=True)
    result = (amax if ord > 0 else amin)(sums, left, keepdim=True)
    if not keepdim:
        result = result.squeeze(max(row, column)).squeeze(min(row, column))
    return _written(result, out)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None, out=None):
    """That of a vector or of matrices, as ord and dim say."""
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype, out=out)
    if isinstance(dim, int) or (dim is not None and len(dim) == 1) or (dim is None and A.dim() == 1):
        return vector_norm(A, ord, dim, keepdim, dtype=dtype, out=out)
    if dim is None and A.dim() != 2:
        raise RuntimeError(f"linalg.norm(): expected 1 or 2 dimensions with ord, got {A.dim()}")
    return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype, out=out)


def cross(input, other, *, dim=-1, out=None):
    """The vector product along a dimension of size 3."""
    if input.dim() != other.dim() or input.size(dim) != 3 or other.size(dim) != 3:
        raise RuntimeError(f"linalg.cross(): dimension {dim} of both must have size 3")
    return _written(_cross(input, other, dim), out)


def vecdot(x, y, *, dim=-1, out=None):
    """The sum of products along a dimension."""
    return _written(_sum(x * y, dim), out)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The elements of matrices at [i, i + offset]; a view."""
    return _diagonal(A, offset, dim1, dim2)


def multi_dot(tensors, *, out=None):
    """The product of matrices from left to right; the first and last may be vectors."""
    result = tensors[0]
    for tensor in tensors[1:]:
        result = matmul(result, tensor)
    return _written(result, out)
