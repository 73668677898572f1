"""Linear algebra on the matrices that the last two dimensions are, under the names of torch.linalg."""
import collections

from frit._core import (_linear, cholesky_inverse, cholesky_solve, cross as _cross, diagonal as _diagonal, matmul,
                        norm as _norm, positive as _positive, sum as _sum, zeros as _zeros)

# What PyTorch raises where a matrix is singular, or not what a decomposition asks for.
LinAlgError = RuntimeError


def _written(result, out):
    if out is None:
        return result
    if isinstance(result, tuple):
        if len(out) != len(result):
            raise TypeError(f"expected out to have {len(result)} tensors, not {len(out)}")
        return type(result)(*map(_written, result, out))
    return _positive(result, out=out)  # its value, by the rules of out=


def _named(name, fields):
    kind = collections.namedtuple("linalg_" + name, fields)
    function = _linear[name]

    def call(*args, out=None, **options):
        return _written(kind(*function(*args, **options)), out)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{function.__doc__}\n\nGives a named tuple ({fields.replace(' ', ', ')})."
    call.result_type = kind  # for type stubs
    return call


for _name in ("cholesky", "cond", "det", "eigvalsh", "inv", "matrix_power", "matrix_rank", "pinv", "solve",
              "solve_triangular", "svdvals"):
    globals()[_name] = _linear[_name]
eigh = _named("eigh", "eigenvalues eigenvectors")
lu_factor = _named("lu_factor", "LU pivots")
qr = _named("qr", "Q R")
slogdet = _named("slogdet", "sign logabsdet")
svd = _named("svd", "U S Vh")

_Lstsq = collections.namedtuple("linalg_lstsq", "solution residuals rank singular_values")


def lstsq(A, B, rcond=None, *, driver=None):
    """The shortest X that bring A @ X nearest to B; by singular values, whatever the driver's name."""
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"linalg.lstsq(): no such driver: {driver}")
    result = _Lstsq(*_linear["lstsq"](A, B, rcond))
    if driver == "gels":
        return result._replace(rank=_zeros(0, dtype=result.rank.dtype), singular_values=_zeros(0, dtype=A.dtype))
    if driver in (None, "gelsy"):
        return result._replace(residuals=_zeros(0, dtype=A.dtype), singular_values=_zeros(0, dtype=A.dtype))
    return result


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """The norm of x, or along dimensions, as one vector."""
    return _written(_norm(x, ord, dim, keepdim, dtype), out)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """The norm of matrices: "fro", "nuc", the largest or smallest singular value (2, -2) or sum of absolute values of
    a column (1, -1) or row (inf, -inf)."""
    return _written(_linear["matrix_norm"](A if dtype is None else A.to(dtype), ord, dim, keepdim), out)


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
