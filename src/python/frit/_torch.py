"""as_torch(): programs that say `import torch.nn as nn` get Frit."""
import importlib
import sys


class _Loader:
    """Gives frit.x where torch.x is imported."""

    def create_module(self, spec):
        module = importlib.import_module("frit" + spec.name[len("torch"):])
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.own_spec  # which the import system has replaced


class _Finder:
    def find_spec(self, fullname, path=None, target=None):
        if fullname != "torch" and not fullname.startswith("torch."):
            return None
        import importlib.machinery
        import importlib.util
        if importlib.util.find_spec("frit" + fullname[len("torch"):]) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Loader(), is_package=True)


def _loaded():
    return [name for name in sys.modules if name == "torch" or name.startswith("torch.")]


class _AsTorch:
    """What as_torch() gives: leaving it as a context makes `torch` what it was."""

    def __init__(self, finder, before):
        self._finder = finder
        self._before = before

    def undo(self):
        """`import torch` means what it did before."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
            for name in _loaded():
                del sys.modules[name]
            sys.modules.update(self._before)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.undo()


def as_torch():
    """From here on, `import torch` and `import torch.nn` give frit and frit.nn.

        frit.as_torch()
        import torch.nn as nn

    As a context manager, until its end.
    """
    before = {name: sys.modules[name] for name in _loaded()}
    for name in before:
        del sys.modules[name]
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    sys.modules["torch"] = sys.modules["frit"]
    return _AsTorch(finder, before)
