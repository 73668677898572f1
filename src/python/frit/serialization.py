"""frit.save() and frit.load(): PyTorch's files, both ways, without running code from them.

A file is a zip archive: data.pkl holds the object, in which each tensor names a storage, its offset,
sizes and strides; data/0, data/1, ... hold the storages' bytes. Tensors that share memory share a
storage, also after reading.
"""
import collections
import io
import mmap
import os
import pickle
import sys
import zipfile

import frit
from frit import _core
from frit._core import Tensor
from frit.nn.parameter import Buffer, Parameter

_STORAGES = {"DoubleStorage": _core.float64, "FloatStorage": _core.float32, "HalfStorage": _core.float16,
             "BFloat16Storage": _core.bfloat16, "LongStorage": _core.int64, "IntStorage": _core.int32,
             "ShortStorage": _core.int16, "CharStorage": _core.int8, "ByteStorage": _core.uint8,
             "BoolStorage": _core.bool}
_STORAGE_NAMES = {dtype: name for name, dtype in _STORAGES.items()}
_DTYPE_NAMES = {str(dtype).split(".")[-1]: dtype for dtype in _STORAGE_NAMES}


class _Global:
    """A function or class of PyTorch by name, which is written but need not exist here."""

    def __init__(self, module, name):
        self.text = f"{module}\n{name}\n".encode()

    def __call__(self):
        raise TypeError("a name in a file cannot be called")


class _Storage:
    """The memory of some tensors: what all of them together reach of it."""

    def __init__(self, key):
        self.key = key
        self.tensors = []

    def add(self, tensor):
        self.tensors.append(tensor)

    @property
    def dtype(self):
        return self.tensors[0].dtype

    @property
    def device(self):
        return self.tensors[0].device

    def length(self):
        """Elements up to the last one that a tensor reaches."""
        return max(t.storage_offset() + _reach(t.shape, t.stride()) for t in self.tensors)

    def content(self):
        """The bytes. The first tensor is taken as a view of all of them."""
        return _core._elements_of(self.tensors[0].as_strided((self.length(),), (1,), 0))


def _reach(sizes, strides):
    return 1 + sum((n - 1) * s for n, s in zip(sizes, strides)) if all(sizes) else 0


class _Pickler(pickle._Pickler):  # the one in Python, whose save() can be extended
    def __init__(self, file):
        super().__init__(file, protocol=2)
        self.storages = {}

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, _core.dtype):
            obj = _Global("torch", str(obj).split(".")[-1])
        if isinstance(obj, _Global):
            self.write(pickle.GLOBAL + obj.text)
            return
        super().save(obj, save_persistent_id)

    def persistent_id(self, obj):
        if not isinstance(obj, _Storage):
            return None
        return "storage", _Global("torch", _STORAGE_NAMES[obj.dtype]), obj.key, str(obj.device), obj.length()

    def reducer_override(self, obj):
        if isinstance(obj, (Parameter, Buffer)):
            parts = obj.data, bool(obj.requires_grad), collections.OrderedDict()
            return _Global("torch._utils", "_rebuild_parameter"), parts if isinstance(obj, Parameter) else parts[:1]
        if isinstance(obj, Tensor):
            storage = self.storages[_place(obj)]
            return _Global("torch._utils", "_rebuild_tensor_v2"), (
                storage, obj.storage_offset(), tuple(obj.shape), obj.stride(), bool(obj.requires_grad),
                collections.OrderedDict())
        if isinstance(obj, _core.Size):
            return _Global("torch", "Size"), (tuple(obj),)
        if isinstance(obj, frit.device):
            return _Global("torch", "device"), (str(obj),)
        return NotImplemented


def _place(tensor):
    """Which storage a tensor lies in; one of another dtype on the same memory is written by itself."""
    return _core._storage_of(tensor), tensor.dtype


class _Collector(_Pickler):
    """Finds the tensors, since a storage's size is known only when all of them are."""

    def __init__(self):
        super().__init__(io.BytesIO())
        self.found = []

    def reducer_override(self, obj):
        if isinstance(obj, Tensor) and not isinstance(obj, (Parameter, Buffer)):
            place = _place(obj)
            if place not in self.storages:
                self.storages[place] = _Storage(str(len(self.storages)))
            self.storages[place].add(obj)
            return _Global("torch._utils", "_rebuild_tensor_v2"), ()
        return super().reducer_override(obj)


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True):
    """Writes tensors, and lists, dicts, numbers and texts around them, to a path or file for load().

    PyTorch reads the file too.
    """
    collector = _Collector()
    collector.dump(obj)
    text = io.BytesIO()
    pickler = _Pickler(text)
    pickler.storages = collector.storages
    pickler.dump(obj)
    name = "archive"
    if isinstance(f, (str, os.PathLike)):
        name = os.path.splitext(os.path.basename(os.fspath(f)))[0] or name
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        def put(path, content):
            archive.writestr(zipfile.ZipInfo(f"{name}/{path}"), content)

        put("data.pkl", text.getvalue())
        put("byteorder", sys.byteorder)
        for storage in collector.storages.values():
            put(f"data/{storage.key}", storage.content())
        put("version", "3\n")


def _rebuild_tensor(storage, storage_offset, size, stride, *unused):
    return storage.as_strided(tuple(size), tuple(stride), storage_offset)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad=False, *unused):
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    tensor.requires_grad = requires_grad
    return tensor


def _rebuild_parameter(data, requires_grad=True, *unused):
    return Parameter(data, requires_grad)


def _bytes_of(text, encoding):
    """How bytes stand in a file of this protocol."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"load(): bytes in {encoding}: only latin1 is written")
    return text.encode("latin1")


# What a file may name, besides dtypes and storages. None of it can do more than make a value.
_SAFE = {
    ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor_v2,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): _rebuild_parameter,
    ("torch", "Size"): _core.Size,
    ("torch", "device"): frit.device,
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("collections", "Counter"): collections.Counter,
    ("builtins", "set"): set,
    ("builtins", "bytearray"): bytearray,
    ("builtins", "complex"): complex,
    ("_codecs", "encode"): _bytes_of,
    ("__builtin__", "set"): set,
    ("__builtin__", "bytearray"): bytearray,
}
_added = {}


def add_safe_globals(safe_globals):
    """Lets load() make objects of these classes and call these functions."""
    for each in safe_globals:
        if isinstance(each, tuple):  # (object, "module.name")
            each, path = each
            module, _, name = path.rpartition(".")
        else:
            module, name = each.__module__, each.__qualname__
        _added[module, name] = each


def clear_safe_globals():
    """Forgets what add_safe_globals() was given."""
    _added.clear()


def get_safe_globals():
    """What add_safe_globals() was given."""
    return list(_added.values())


class _StorageType:
    """The class of a storage in a file: says the dtype."""

    def __init__(self, dtype):
        self.dtype = dtype


class _Unpickler(pickle.Unpickler):
    """Makes the object of a file; names that are not known to be harmless are refused."""

    def __init__(self, file, read_storage, place, weights_only):
        super().__init__(file)
        self._read_storage = read_storage
        self._place = place
        self._weights_only = weights_only
        self._storages = {}

    def find_class(self, module, name):
        if (module, name) in _SAFE:
            return _SAFE[module, name]
        if (module, name) in _added:
            return _added[module, name]
        if module in ("torch", "torch.storage") and name in _STORAGES:
            return _StorageType(_STORAGES[name])
        if module == "torch" and name in _DTYPE_NAMES:
            return _DTYPE_NAMES[name]
        if (module, name) == ("torch.storage", "UntypedStorage"):
            return _StorageType(_core.uint8)
        if self._weights_only:
            raise pickle.UnpicklingError(
                f"load(weights_only=True): the file names {module}.{name}, which is not known to be harmless: "
                "add_safe_globals() allows it, and weights_only=False runs whatever the file says")
        if module == "torch" or module.startswith("torch."):
            module = "frit" + module[len("torch"):]
        return super().find_class(module, name)

    def persistent_load(self, saved_id):
        if not (isinstance(saved_id, tuple) and len(saved_id) == 5 and saved_id[0] == "storage"):
            raise pickle.UnpicklingError(f"load(): unknown reference: {saved_id!r}")
        _, kind, key, location, length = saved_id
        if key not in self._storages:
            self._storages[key] = _core._rebuild(self._read_storage(key, length * kind.dtype.itemsize), (length,),
                                                 kind.dtype).to(self._place(location))
        return self._storages[key]


class _Archive:
    """A zip file's entries, those that are stored plainly by a view of the mapped file."""

    def __init__(self, f):
        self._zip = zipfile.ZipFile(f)
        self._mapped = None
        if isinstance(f, (str, os.PathLike)):
            with open(f, "rb") as file:
                self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.prefix = self._zip.namelist()[0].split("/")[0] + "/"

    def has(self, name):
        return self.prefix + name in self._zip.NameToInfo

    def read(self, name):
        info = self._zip.getinfo(self.prefix + name)
        if self._mapped is None or info.compress_type != zipfile.ZIP_STORED:
            return self._zip.read(info)
        header = self._mapped[info.header_offset:info.header_offset + 30]
        begin = info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(
            header[28:30], "little")
        return memoryview(self._mapped)[begin:begin + info.file_size]

    def close(self):
        self._zip.close()


def _placing(map_location):
    """A function from a place in a file to a device."""
    if isinstance(map_location, (str, frit.device)):
        device = frit.device(map_location)
        return lambda location: device
    if callable(map_location):
        return lambda location: frit.device("cpu")
    places = map_location or {}

    def place(location):
        try:
            return frit.device(places.get(location, location))
        except RuntimeError as error:
            raise RuntimeError(f"load(): tensors were on {location}: {error}: map_location='cpu' brings them here"
                               ) from None

    return place


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None, **pickle_load_args):
    """Reads what save(), or PyTorch's, wrote: a path or a file.

    weights_only: no code from the file is run. False: the file may call anything; classes of torch are
    those of frit.
    map_location: where tensors go: a device, a dict from the places in the file to devices, or a function of a
    storage and a place, which leaves them on the CPU. None: where they were.
    """
    place = _placing(map_location)
    if not zipfile.is_zipfile(f):
        raise RuntimeError(f"load({f}): not a zip archive: PyTorch's files of before 1.6 are not supported: save them "
                           "anew with PyTorch")
    if hasattr(f, "seek"):
        f.seek(0)
    archive = _Archive(f)
    try:
        if not archive.has("data.pkl"):
            raise RuntimeError(f"load({f}): the archive holds no data.pkl")
        if archive.has("byteorder") and bytes(archive.read("byteorder")) != b"little":
            raise RuntimeError(f"load({f}): the file is not little-endian")

        def read_storage(key, size):
            content = archive.read("data/" + key)
            if len(content) < size:
                raise RuntimeError(f"load({f}): storage {key} has {len(content)} bytes, expected {size}")
            return memoryview(content)[:size]

        return _Unpickler(io.BytesIO(archive.read("data.pkl")), read_storage, place, weights_only).load()
    finally:
        archive.close()
