"""The small classes that the compiled part has no need to know."""
from frit import _core


class device:
    """Where a tensor lives. There is only the CPU."""

    __slots__ = ("type", "index")

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        name, _, number = str(type).partition(":")
        if name != "cpu":
            raise RuntimeError(f"device({type}): not available: there is only cpu")
        self.type = name
        self.index = int(number) if number else index

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __eq__(self, other):
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


class layout:
    def __repr__(self):
        return "frit.strided"


class memory_format:
    """An order of dimensions in memory. `format_name` is what the compiled part reads."""

    __slots__ = ("format_name",)

    def __init__(self, format_name):
        self.format_name = format_name

    def __repr__(self):
        return f"frit.{self.format_name}"


strided = layout()
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
_core._set_defaults(device("cpu"), strided)


def is_tensor(obj):
    return isinstance(obj, _core.Tensor)


def get_default_dtype():
    return _core.float32


def set_default_dtype(dtype):
    if dtype is not _core.float32:
        raise NotImplementedError(f"set_default_dtype({dtype}): only frit.float32 can be the default")


class finfo:
    """The limits of a floating point dtype."""

    _BITS = {_core.float64: (64, 52, 11), _core.float32: (32, 23, 8), _core.float16: (16, 10, 5),
             _core.bfloat16: (16, 7, 8)}

    def __init__(self, dtype=_core.float32):
        if dtype not in self._BITS:
            raise TypeError(f"finfo({dtype}): not a floating point dtype")
        self.bits, mantissa, exponent = self._BITS[dtype]
        top = 2 ** (exponent - 1)
        self.dtype = str(dtype).split(".")[-1]
        self.eps = 2.0 ** -mantissa
        self.tiny = self.smallest_normal = 2.0 ** (2 - top)
        self.max = (2.0 - self.eps) * 2.0 ** (top - 1)
        self.min = -self.max
        self.resolution = 10.0 ** -int(mantissa * 0.30103)

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
                f"eps={self.eps:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, dtype):
        if dtype.is_floating_point or dtype is _core.bool:
            raise TypeError(f"iinfo({dtype}): not an integer dtype")
        self.bits = 8 * dtype.itemsize
        self.dtype = str(dtype).split(".")[-1]
        self.max = 2 ** (self.bits - dtype.is_signed) - 1
        self.min = -self.max - 1 if dtype.is_signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
