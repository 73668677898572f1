"""The small classes that the compiled part has no need to know."""
import threading

from frit import _core


class device:
    """Where a tensor lives: "cpu", or a device that a plug-in has registered: "npu", "npu:1"."""

    __slots__ = ("type", "index")

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        name, _, number = str(type).partition(":")
        if number and index is not None:
            raise RuntimeError(f"device({type}, {index}): two indices")
        if name != "cpu" or number != "0":
            _core._check_device(str(type) if index is None or name == "cpu" else f"{name}:{index}")
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


    def __enter__(self):
        """New tensors are made on it."""
        _scopes.outer = [*getattr(_scopes, "outer", ()), _core._default_device()]
        _core._set_default_device(self)
        return self

    def __exit__(self, *error):
        _core._set_default_device(_scopes.outer.pop())


_scopes = threading.local()  # the default devices around those of this thread's `with`


def set_default_device(device):
    """New tensors of this thread are made there, unless the call says otherwise. None: on the CPU."""
    _core._set_default_device("cpu" if device is None else device)


def get_default_device():
    """Where new tensors of this thread are made."""
    return _core._default_device()


class layout:
    """How elements lie in memory: there is only frit.strided."""

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
_core._set_defaults(device, strided)


def is_tensor(obj):
    """Whether an object is a Tensor."""
    return isinstance(obj, _core.Tensor)


def typename(obj):
    """The name of an object's class with its module; tensors are torch.FloatTensor and so on."""
    if isinstance(obj, _core.Tensor):
        return "torch." + _LEGACY_NAMES[obj.dtype]
    cls = obj if isinstance(obj, type) else type(obj)
    module = getattr(cls, "__module__", "")
    prefix = "" if module in ("builtins", "", None) else module + "."
    if prefix.startswith("frit."):
        prefix = "torch." + prefix[len("frit."):]
    return prefix + getattr(cls, "__qualname__", cls.__name__)


def get_default_dtype():
    """The dtype of new tensors of floats: frit.float32."""
    return _core.float32


def set_default_dtype(dtype):
    """Accepts frit.float32, which is the default."""
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


class _TensorOfDtype(type):
    """The classes FloatTensor and so on: tensors of one dtype, without a class of their own."""

    def __new__(mcs, name, dtype):
        return super().__new__(mcs, name, (), {"dtype": dtype, "__module__": "frit",
                                               "__doc__": f"Tensors of dtype {dtype}."})

    def __init__(cls, name, dtype):
        super().__init__(name, (), {})

    def __call__(cls, *args):
        if len(args) == 1 and not isinstance(args[0], int):
            return _core.tensor(args[0], dtype=cls.dtype)
        return _core.empty(args if args else (0,), dtype=cls.dtype)

    def __instancecheck__(cls, instance):
        return isinstance(instance, _core.Tensor) and instance.dtype is cls.dtype


_LEGACY_NAMES = {_core.float32: "FloatTensor", _core.float64: "DoubleTensor", _core.float16: "HalfTensor",
                 _core.bfloat16: "BFloat16Tensor", _core.int64: "LongTensor", _core.int32: "IntTensor",
                 _core.int16: "ShortTensor", _core.int8: "CharTensor", _core.uint8: "ByteTensor",
                 _core.bool: "BoolTensor"}
globals().update({_name: _TensorOfDtype(_name, _dtype) for _dtype, _name in _LEGACY_NAMES.items()})


def set_default_tensor_type(t):
    """Accepts FloatTensor, which is the default."""
    set_default_dtype(_core.float32 if t in (globals()["FloatTensor"], "torch.FloatTensor") else t)
