"""Files of the safetensors format: names, dtypes, shapes and bytes, nothing that could be run.

    frit.safetensors.save_file({"weight": w}, "model.safetensors")
    frit.safetensors.load_file("model.safetensors")

The functions are named as those of the package safetensors. A file is mapped, so that safe_open()
reads only what is asked for.
"""
import json
import mmap
import os

from frit import _core

_DTYPES = {"F64": _core.float64, "F32": _core.float32, "F16": _core.float16, "BF16": _core.bfloat16,
           "I64": _core.int64, "I32": _core.int32, "I16": _core.int16, "I8": _core.int8, "U8": _core.uint8,
           "BOOL": _core.bool}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_MAX_HEADER = 100_000_000


def _fail(problem):
    raise ValueError(f"safetensors: {problem}")


class _File:
    """The tensors of a file's bytes."""

    def __init__(self, content):
        self._content = memoryview(content)
        if len(content) < 8:
            _fail("the file is too short for a header")
        size = int.from_bytes(self._content[:8], "little")
        if size > min(_MAX_HEADER, len(content) - 8):
            _fail(f"the header says {size} bytes, the file has {len(content)}")
        try:
            header = json.loads(bytes(self._content[8:8 + size]))
        except ValueError as error:
            _fail(f"the header is no JSON: {error}")
        if not isinstance(header, dict):
            _fail("the header is no object")
        self._begin = 8 + size
        self.metadata = header.pop("__metadata__", None)
        self.entries = header
        self._check()

    def _check(self):
        """Each tensor's bytes fit its shape, and together they are the file's."""
        end = 0
        for name, entry in sorted(self.entries.items(), key=lambda item: item[1]["data_offsets"]):
            if entry.get("dtype") not in _DTYPES:
                _fail(f"{name}: unknown dtype {entry.get('dtype')}")
            begin, stop = entry["data_offsets"]
            count = 1
            for n in entry["shape"]:
                if not isinstance(n, int) or n < 0:
                    _fail(f"{name}: bad shape {entry['shape']}")
                count *= n
            if begin != end or stop - begin != count * _DTYPES[entry["dtype"]].itemsize:
                _fail(f"{name}: bytes {begin} to {stop} do not fit {entry['dtype']} of shape {entry['shape']}")
            end = stop
        if self._begin + end != len(self._content):
            _fail(f"the tensors take {end} bytes, the file has {len(self._content) - self._begin}")

    def tensor(self, name):
        if name not in self.entries:
            _fail(f"there is no tensor {name}")
        entry = self.entries[name]
        begin, end = entry["data_offsets"]
        return _core._rebuild(self._content[self._begin + begin:self._begin + end], entry["shape"],
                              _DTYPES[entry["dtype"]])


def _mapped(path):
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class safe_open:
    """A file whose tensors are read one by one.

        with safe_open("model.safetensors") as f:
            w = f.get_tensor("weight")
    """

    def __init__(self, filename, framework="pt", device="cpu"):
        self._file = _File(_mapped(filename))
        self._device = device

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def keys(self):
        """The names."""
        return sorted(self._file.entries)

    def metadata(self):
        """The texts that the writer added, or None."""
        return self._file.metadata

    def get_tensor(self, name):
        """A tensor."""
        return self._file.tensor(name).to(self._device)

    def get_slice(self, name):
        """A tensor, to be indexed."""
        return self.get_tensor(name)


def load(data):
    """The tensors of a file's bytes, by name."""
    file = _File(data)
    return {name: file.tensor(name) for name in file.entries}


def load_file(filename, device="cpu"):
    """The tensors of a file, by name."""
    return {name: tensor.to(device) for name, tensor in load(_mapped(filename)).items()}


def save(tensors, metadata=None):
    """The bytes of a file with the tensors."""
    header = {"__metadata__": metadata} if metadata else {}
    contents, end = [], 0
    # The widest first, so that each lies at a multiple of its size.
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        content = _core._elements_of(tensor)
        header[name] = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [end, end + len(content)]}
        end += len(content)
        contents.append(content)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *contents])


def save_file(tensors, filename, metadata=None):
    """Writes tensors by name."""
    with open(filename, "wb") as file:
        file.write(save(tensors, metadata))


def load_model(model, filename, strict=True, device="cpu"):
    """Gives a module the tensors of a file; returns (missing, unexpected)."""
    return tuple(model.load_state_dict(load_file(filename, device), strict=strict))


def save_model(model, filename, metadata=None):
    """Writes a module's tensors."""
    save_file(model.state_dict(), filename, metadata)
