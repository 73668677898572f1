"""normalized() and partitioned(), for backends written in Python; and the settings of PyTorch's libraries, which have no effect."""
from types import SimpleNamespace

from frit.backends import cuda, cudnn, mps


def _library(available=False, **attributes):
    return SimpleNamespace(is_available=lambda: available, is_built=lambda: available, **attributes)


mkl = _library()
mkldnn = _library(available=True, enabled=True)
openmp = _library()
opt_einsum = _library(enabled=False, strategy=None)
quantized = SimpleNamespace(engine="none", supported_engines=["none"])
xnnpack = SimpleNamespace(enabled=False)


class normalized:
    """A backend that gets graphs of core ops: frit.compile(fn, backend=normalized(compiler)).

    `frit ops --core` lists them. Other ops are decomposed; those named in `keep` stay whole. Or, the other way round,
    only those named in `decompositions` are decomposed.
    """

    def __init__(self, compiler, decompositions=None, *, keep=()):
        self.compiler = compiler
        if decompositions is None:
            self.keep = tuple(keep)
            return
        from frit import _core
        composites = [name for name, family in _core._op_rows() if family == "kComposite"]
        unknown = sorted(set(decompositions) - set(composites))
        if unknown:
            raise ValueError(f"normalized(): no ops that can be decomposed: {', '.join(unknown)}")
        self.keep = tuple(name for name in composites if name not in set(decompositions) or name in keep)


class partitioned:
    """A backend that gets the parts of a graph that are made of these ops: frit.compile(fn, backend=partitioned(compiler, ops)).

    Each part, as large as can be, is a graph of its own. The rest, and the parts that `compiler` does not want, are
    compiled by Frit. normalized(partitioned(compiler, ops)) shares out graphs of core ops.
    """

    def __init__(self, compiler, ops):
        from frit import _core
        self.compiler, self.ops = compiler, tuple(ops)
        unknown = sorted(set(self.ops) - {name for name, _ in _core._op_rows()})
        if unknown:
            raise ValueError(f"partitioned(): no such ops: {', '.join(unknown)}")
