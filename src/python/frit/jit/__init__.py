"""TorchScript's names. Frit compiles what runs, unasked, so script() and trace() give their argument back: the
Python code itself is the program. Files of TorchScript are refused."""
from typing import Final

from frit._refuse import refusing, refusing_class
from frit.jit.annotations import Attribute

_FILES = "TorchScript files are not supported: save the state_dict() with frit.save()"
save = refusing("jit.save", _FILES)
load = refusing("jit.load", _FILES)


def is_scripting():
    """False: nothing is scripted."""
    return False


def is_tracing():
    """False: nothing is traced."""
    return False


def script(obj=None, *args, **kwargs):
    """Gives the function, class or module back: it runs as Python, and is compiled as it runs."""
    return obj if obj is not None else lambda function: function


def trace(func=None, *args, **kwargs):
    """Gives the function or module back: it runs as Python, and is compiled as it runs."""
    return func if func is not None else lambda function: function


def trace_module(mod, *args, **kwargs):
    """Gives the module back."""
    return mod


def freeze(mod, *args, **kwargs):
    """Gives the module back."""
    return mod


def optimize_for_inference(mod, *args, **kwargs):
    """Gives the module back."""
    return mod


def _given_back(function):
    """Gives the function back."""
    return function


unused = export = interface = script_method = _script_if_tracing = script_if_tracing = _given_back
_overload = _overload_method = _given_back


def ignore(drop=False, **kwargs):
    """Gives the function back."""
    return drop if callable(drop) else _given_back


def isinstance(obj, target_type):
    """Whether an object is of a class, or of one of several."""
    import builtins
    return builtins.isinstance(obj, target_type)


def annotate(the_type, the_value):
    """Gives the value."""
    return the_value


def fork(function, *args, **kwargs):
    """Calls the function; wait() gives its result."""
    return function(*args, **kwargs)


def wait(future):
    """The result of fork()."""
    return future


def set_fusion_strategy(strategy):
    """Does nothing: shapes may change."""


class ScriptModule:
    """The class of compiled modules, of which there are none."""


class ScriptFunction:
    """The class of compiled functions, of which there are none."""


class strict_fusion:
    """A scope without effect."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"frit has no torch.jit.{name}")
