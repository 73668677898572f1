"""Registered ops by namespace, ops.mylib.scale(x): see frit.library. ops.aten has Frit's own functions."""
from frit import _core
from frit._refuse import refusing


class _Namespace:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, op):
        if op.startswith("__"):
            raise AttributeError(op)
        if self._name == "aten" and hasattr(_core, op):
            return getattr(_core, op)
        known = _core._find_op(f"{self._name}::{op}")
        return known or refusing(f"ops.{self._name}.{op}", "nobody has registered it")


def load_library(path):
    """Refused: libraries of PyTorch's ops need PyTorch."""
    raise OSError(f"ops.load_library({path}): libraries of PyTorch's ops need PyTorch itself")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Namespace(name)
