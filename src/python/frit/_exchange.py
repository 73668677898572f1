"""Tensors that share memory with other libraries' by DLPack."""
from frit import _core


def from_dlpack(ext_tensor):
    """A tensor on the memory of another library's, which lives as long as the tensor; also of a capsule."""
    if hasattr(ext_tensor, "__dlpack__"):
        ext_tensor = ext_tensor.__dlpack__()
    return _core._from_dlpack(ext_tensor)


def to_dlpack(tensor):
    """A capsule for another library's from_dlpack()."""
    return _core._to_dlpack(tensor)
