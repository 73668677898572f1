"""Methods of Tensor that are written in Python."""
from frit import _core
from frit._core import Tensor


def _refuse(name, why):
    def refused(self, *args, **kwargs):
        raise NotImplementedError(f"{name}(): {why}")

    refused.__name__ = name
    refused.__doc__ = f"Refused: {why}."
    return refused


_methods = {}


def _method(function):
    _methods[function.__name__] = function
    return function


for _name in ("backward", "register_hook", "retain_grad", "register_post_accumulate_grad_hook"):
    _methods[_name] = _refuse(_name, "there are no gradients: Frit runs models, it does not train them")
for _name in ("cuda", "xpu", "pin_memory", "ipu"):
    _methods[_name] = _refuse(_name, "not available: there is only cpu")
for _name in ("to_sparse", "to_mkldnn", "coalesce", "to_sparse_csr"):
    _methods[_name] = _refuse(_name, "there are only strided tensors")


@_method
def detach_(self):
    """Gives the tensor back: nothing is attached."""
    return self


@_method
def share_memory_(self):
    """Refused: memory is not shared between processes."""
    raise NotImplementedError("share_memory_(): not supported")


@_method
def is_shared(self):
    """Whether other processes see the memory: never."""
    return False


@_method
def is_pinned(self):
    """Whether the memory is pinned for a device: never."""
    return False


@_method
def is_inference(self):
    """Whether it was made in inference_mode(), which has no effect: never."""
    return False


@_method
def is_conj(self):
    """Whether it is a conjugated view: never."""
    return False


@_method
def is_neg(self):
    """Whether it is a negated view: never."""
    return False


@_method
def is_signed(self):
    """Whether the dtype has negative numbers."""
    return self.dtype.is_signed


@_method
def is_coalesced(self):
    """Whether it is a sparse tensor without duplicates: never."""
    return False


@_method
def get_device(self):
    """The device's number; -1: the CPU has none."""
    return -1 if self.is_cpu else self.device.index


@_method
def is_same_size(self, other):
    """Whether both have the same sizes."""
    return self.shape == other.shape


@_method
def is_nonzero(self):
    """Whether the one element is not 0."""
    return bool(self)


@_method
def to_dense(self, dtype=None):
    """The tensor itself, which is strided."""
    return self if dtype is None else self.to(dtype)


@_method
def adjoint(self):
    """The matrices transposed."""
    return self.mT


@_method
def resize_as_(self, other):
    """Gives the tensor other's sizes; the elements stay where there is room."""
    return self.resize_(other.shape)


@_method
def resize_(self, *sizes):
    """Gives the tensor other sizes; the elements stay, in order, as far as there is room."""
    sizes = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    if tuple(self.shape) != sizes:
        resized = _core.empty(sizes, dtype=self.dtype)
        kept = min(resized.numel(), self.numel())
        resized.view(-1)[:kept] = self.reshape(-1)[:kept]
        self.data = resized
    return self


@_method
def set_(self, source):
    """Makes the tensor stand for another's elements."""
    self.data = source
    return self


@_method
def new(self, *args):
    """A tensor of the same dtype: of data, or of sizes."""
    if len(args) == 1 and not isinstance(args[0], int):
        return _core.tensor(args[0], dtype=self.dtype)
    return _core.empty(args if args else (0,), dtype=self.dtype)


@_method
def new_empty_strided(self, size, stride, dtype=None, **options):
    """New elements with those strides."""
    length = 1 + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else 0
    return _core.empty(length, dtype=dtype or self.dtype).as_strided(size, stride)


@_method
def as_strided_(self, size, stride, storage_offset=None):
    """as_strided(), of this object."""
    offset = self.storage_offset() if storage_offset is None else storage_offset
    self.data = self.as_strided(size, stride, offset)
    return self


@_method
def fill_diagonal_(self, fill_value, wrap=False):
    """Fills the diagonal of a matrix."""
    if self.dim() != 2:
        raise RuntimeError(f"fill_diagonal_(): expected 2 dimensions, got {self.dim()}")
    if wrap:
        raise NotImplementedError("fill_diagonal_(wrap=True): not supported")
    self.diagonal().fill_(fill_value)
    return self


@_method
def apply_(self, callable):
    """Replaces each element by what the function gives for it."""
    values = [callable(x) for x in self.reshape(-1).tolist()]
    return self.copy_(_core.tensor(values, dtype=self.dtype).reshape(self.shape))


@_method
def map_(self, other, callable):
    """Replaces each element by what the function gives for it and the other's."""
    pairs = zip(self.reshape(-1).tolist(), other.expand(self.shape).reshape(-1).tolist())
    return self.copy_(_core.tensor([callable(a, b) for a, b in pairs], dtype=self.dtype).reshape(self.shape))


@_method
def as_subclass(self, cls):
    """The same elements as an object of a subclass of Tensor."""
    return _core._make_subclass(cls, self)


@_method
def bernoulli_(self, p=0.5, *, generator=None):
    """Fills with ones, with probability p, and zeros."""
    if isinstance(p, Tensor):
        return self.copy_(_core.bernoulli(p.expand(self.shape)))
    drawn = _core.bernoulli(_core.empty(self.shape, dtype=_core.float32), p)
    return self.copy_(drawn)


def _uniform(self):
    """Numbers from 0 to 1 in f64, of which PyTorch makes other distributions."""
    return _core.rand(self.shape, dtype=_core.float64)


@_method
def exponential_(self, lambd=1, *, generator=None):
    """Fills with numbers of the exponential distribution."""
    return self.copy_(_core.log1p(-_uniform(self)) / -lambd)


@_method
def cauchy_(self, median=0, sigma=1, *, generator=None):
    """Fills with numbers of the Cauchy distribution."""
    return self.copy_(_core.tan((_uniform(self) - 0.5) * 3.141592653589793) * sigma + median)


@_method
def geometric_(self, p, *, generator=None):
    """Fills with the number of trials until the first success."""
    import math
    return self.copy_(_core.ceil(_core.log(_uniform(self)) / math.log(1 - p)))


@_method
def log_normal_(self, mean=1, std=2, *, generator=None):
    """Fills with exp of normally distributed numbers."""
    drawn = [_core.empty(min(14, self.numel() - i), dtype=_core.float64).normal_(mean, std)
             for i in range(0, self.numel(), 14)]  # as few at a time as PyTorch draws one by one
    return self.copy_(_core.exp(_core.cat(drawn)).reshape(self.shape)) if drawn else self


@_method
def random_(self, *bounds, generator=None):
    """Fills with whole numbers: random_(), random_(below), random_(from, below)."""
    if not bounds:
        digits = {_core.float32: 24, _core.float64: 53, _core.float16: 11, _core.bfloat16: 8}.get(self.dtype)
        highest = 2 if self.dtype is _core.bool else 2 ** (8 * self.dtype.itemsize - self.dtype.is_signed)
        bounds = (0, 2 ** digits + 1 if digits else min(highest, 2 ** 63 - 1))
    low, high = (0, bounds[0]) if len(bounds) == 1 else bounds
    return self.copy_(_core.randint(low, high, self.shape))


@_method
def __copy__(self):
    """Another object on the same elements."""
    return self.detach()


@_method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A DLPack capsule on the same memory."""
    return _core._to_dlpack(self.clone() if copy else self)


@_method
def __dlpack_device__(self):
    """(1, 0): the CPU."""
    return 1, 0


@staticmethod
def _make_subclass(cls, data, require_grad=False):
    """An object of a subclass of Tensor on the same elements."""
    result = _core._make_subclass(cls, data)
    result.requires_grad = require_grad
    return result


_methods["_make_subclass"] = _make_subclass


def _property(name, kind, meaning, get):
    # The type comes first, as in the docstrings of the compiled ones.
    _methods[name] = property(get, doc=f"{name} -> {kind}\n\n{meaning}.")


_property("H", "Tensor", "A matrix transposed", lambda self: self.mT)
_property("mH", "Tensor", "The matrices transposed", lambda self: self.mT)
_property("real", "Tensor", "The tensor itself, which is real", lambda self: self)
_property("names", "tuple[None, ...]", "Dimensions have no names", lambda self: (None,) * self.dim())
_property("output_nr", "int", "0: there are no gradients", lambda self: 0)
_property("retains_grad", "bool", "False: there are no gradients", lambda self: False)
_property("_base", "None", "None: views do not say what they are views of", lambda self: None)
for _name in ("is_mps", "is_mkldnn", "is_xpu", "is_sparse_csr"):
    _property(_name, "bool", "False: there are only strided tensors on the CPU", lambda self: False)

_core._add_methods(_methods)
