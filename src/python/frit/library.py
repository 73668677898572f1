"""Ops of the program's own, as torch.library has them: custom_op, register_fake, infer_schema, Library.

A registered op is one node in graphs and no break in what is compiled, once it has a fake function, which says of what
type its results are.
"""
import inspect
import threading
import types
import typing

from frit import _core
from frit._core import Tensor

__all__ = ["custom_op", "CustomOpDef", "infer_schema", "register_fake", "register_kernel", "Library", "define", "impl",
           "opcheck"]



# ---- schemas from annotations ----

_LISTS = (list, tuple, typing.get_origin(typing.Sequence[int]))


def _is_list_of(kind, item):
    arguments = [a for a in typing.get_args(kind) if a is not Ellipsis]
    return typing.get_origin(kind) in _LISTS and bool(arguments) and all(a is item for a in arguments)


def _is_union(kind):
    return typing.get_origin(kind) in (typing.Union, getattr(types, "UnionType", typing.Union))


def _type_of(kind, mutated, name, number):
    alias = f"(a{number}!)" if mutated else ""
    if isinstance(kind, type) and issubclass(kind, Tensor):
        return f"Tensor{alias}"
    simple = {int: "SymInt", float: "float", bool: "bool"}
    if _is_union(kind):
        members = set(typing.get_args(kind))
        if len(members) == 2 and type(None) in members and not mutated:
            optional = (members - {type(None)}).pop()
            if optional is Tensor or optional in simple:
                return f"{simple.get(optional, 'Tensor')}?"
        if members == {int, float, bool} or members == {int, float}:
            return "Scalar"
    if kind in simple and not mutated:
        return simple[kind]
    if kind is str and not mutated:
        return "str"
    if _is_list_of(kind, int) and not mutated:
        return "SymInt[]"
    if _is_list_of(kind, Tensor) and not mutated:
        return "Tensor[]"
    raise ValueError(f"infer_schema(func): parameter {name} has the unsupported type {kind}: Tensor, int, float, bool, "
                     "Optional of these, str, Union[int, float, bool], Sequence[int] and Sequence[Tensor] are supported")


def _default_of(value):
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value)


def _returns_of(kind):
    if kind is None or kind is type(None):
        return "()"
    if isinstance(kind, type) and issubclass(kind, Tensor):
        return "Tensor"
    parts = typing.get_args(kind)
    if typing.get_origin(kind) is tuple and parts and all(part is Tensor for part in parts):
        return "(" + ", ".join(["Tensor"] * len(parts)) + ")"
    raise ValueError(f"infer_schema(func): the return type {kind} is not supported: None, Tensor and Tuple[Tensor, ...] "
                     "with their number are")


def infer_schema(prototype_function, /, *, mutates_args, op_name=None):
    """The schema of a function from its annotations: "(Tensor x, float alpha=1.0) -> Tensor".

    mutates_args: names of the arguments that it writes to, or "unknown" for all tensors.
    """
    hints = typing.get_type_hints(prototype_function)
    parameters = inspect.signature(prototype_function).parameters
    if mutates_args != "unknown":
        for name in mutates_args:
            if name not in parameters:
                raise ValueError(f"infer_schema(func): mutates_args has {name}, which is no parameter")
    texts, keyword_only = [], False
    for number, (name, parameter) in enumerate(parameters.items()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"infer_schema(func): *{name} is not supported")
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            texts.append("*")
            keyword_only = True
        if name not in hints:
            raise ValueError(f"infer_schema(func): parameter {name} has no annotation")
        is_tensor = hints[name] is Tensor
        mutated = is_tensor if mutates_args == "unknown" else name in mutates_args
        text = f"{_type_of(hints[name], mutated, name, number)} {name}"
        if parameter.default is not parameter.empty:
            text += f"={_default_of(parameter.default)}"
        texts.append(text)
    if "return" not in hints:
        raise ValueError("infer_schema(func): the function has no return annotation")
    return f"{op_name or ''}({', '.join(texts)}) -> {_returns_of(hints['return'])}"


# ---- registering ----

class _Entry:
    """What is known of one op of this module: its schema and, once there is one, its function."""
    def __init__(self, name, schema):
        self.name, self.schema, self.function, self.fake, self.autocast, self.op = name, schema, None, None, None, None

    def register(self):
        if self.function is not None:
            self.op = _core._register_op(self.name + self.schema, self.function, self.fake, self.autocast)


_entries = {}
_lock = threading.RLock()


def _checked_name(name):
    space, colons, op = name.partition("::")
    if not (space and colons and op):
        raise ValueError(f"custom op: the name must be of the form namespace::name, not {name!r}")
    return name


def _entry(name):
    with _lock:
        if name not in _entries:
            raise RuntimeError(f"no op {name} was defined with frit.library")
        return _entries[name]


def _add(name, schema):
    """The one entry of that name."""
    with _lock:
        known = _entries.setdefault(_checked_name(name), _Entry(name, schema))
        if known.schema != schema:
            if known.op is not None:
                raise ValueError(f"{name}{schema}: {name} is registered already, as {name}{known.schema}")
            known.schema = schema
        return known


def _set(entry, **functions):
    """Registers the op with other functions; where that fails, all is as before."""
    with _lock:
        before = {part: getattr(entry, part) for part in functions}
        try:
            vars(entry).update(functions)
            entry.register()
        except BaseException:
            vars(entry).update(before)
            raise


def _set_function(entry, function):
    _set(entry, function=function)


def _set_fake(entry, function):
    _set(entry, fake=function)


class CustomOpDef:
    """What custom_op() makes of a function: call it as the function."""
    def __init__(self, name, schema, function, autocast=None):
        self._entry = _add(name, schema)
        self.__doc__, self.__name__ = function.__doc__, getattr(function, "__name__", name)
        self._qualname, self.__wrapped__ = name, function
        # The former one's fake is not this one's.
        _set(self._entry, function=function, fake=None, autocast=autocast)

    def __call__(self, *args, **kwargs):
        return self._entry.op(*args, **kwargs)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    @property
    def _opoverload(self):
        return self._entry.op

    def register_fake(self, fn, /):
        """Gives the op a function that says of what type its results are; usable as a decorator.

        It gets tensors of zeros, and 1.0 for numbers, and returns tensors of which nothing but the type is looked at.
        """
        _set_fake(self._entry, fn)
        return fn

    def register_kernel(self, device_types, fn=None, /):
        """Replaces the op's function; device_types: "cpu". Usable as a decorator."""
        if fn is None:
            return lambda function: self.register_kernel(device_types, function)
        kinds = [device_types] if isinstance(device_types, str) else list(device_types or ["cpu"])
        if "cpu" in kinds:
            _set_function(self._entry, fn)
        return fn

    def register_autograd(self, backward, /, *, setup_context=None):
        """Has no effect: nothing asks for gradients."""

    def register_vmap(self, func=None):
        """Refused."""
        raise NotImplementedError("register_vmap(): there is no vmap over custom ops")


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None, autocast=None):
    """Makes a function an op: one node in graphs, and no break once it has a fake function.

    name: "mylib::scale". mutates_args: names of the arguments that the function writes to. schema: "(Tensor x) -> Tensor";
    without it, it follows from the function's annotations. autocast: frit.float32 or frit.float64; the function gets
    floating operands of fewer bits as copies of that type, and its results are rounded once to what the fake function
    says, or to the operands' type. Usable as a decorator.
    """
    if fn is None:
        return lambda function: custom_op(name, function, mutates_args=mutates_args, device_types=device_types,
                                          schema=schema, autocast=autocast)
    if schema is None:
        schema = infer_schema(fn, mutates_args=mutates_args)
    return CustomOpDef(name, schema, fn, autocast)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1):
    """Gives the op of that name a fake function; usable as a decorator."""
    if func is None:
        return lambda function: register_fake(op, function)
    _set_fake(op._entry if isinstance(op, CustomOpDef) else _entry(op), func)
    return func


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """Gives the op of that name a function; usable as a decorator."""
    if func is None:
        return lambda function: register_kernel(op, device_types, function)
    _set_function(op._entry if isinstance(op, CustomOpDef) else _entry(op), func)
    return func


_KEYS = ("", "CPU", "cpu", "default", "CompositeExplicitAutograd", "CompositeImplicitAutograd", "types")


def _split(schema):
    name, parenthesis, rest = schema.partition("(")
    return name.strip(), parenthesis + rest


class Library:
    """Ops of one namespace: define() and impl() as in torch.library.Library."""
    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("DEF", "FRAGMENT", "IMPL"):
            raise ValueError(f"Library({ns}): the kind must be DEF, FRAGMENT or IMPL, not {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema, alias_analysis="", *, tags=()):
        """Defines an op by its schema, "scale(Tensor x, float by) -> Tensor"; returns its name."""
        name, rest = _split(schema)
        _add(f"{self.ns}::{name}", rest)
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False):
        """Gives the op a function for the CPU; a key of "Meta" gives it its fake function."""
        name = op_name if isinstance(op_name, str) else op_name.name
        entry = _entry(name if "::" in name else f"{self.ns}::{name}")
        key = dispatch_key or self.dispatch_key
        if key == "Meta":
            _set_fake(entry, fn)
        elif key in _KEYS:
            _set_function(entry, fn)

    def _register_fake(self, op_name, fn, _stacklevel=1):
        _set_fake(_entry(f"{self.ns}::{op_name}"), fn)

    def _destroy(self):
        """Has no effect: ops are never forgotten."""


def define(qualname, schema, *, lib=None, tags=()):
    """Defines the op "mylib::scale" by its schema, "(Tensor x, float by) -> Tensor"."""
    _add(qualname, schema)


def impl(qualname, types, func=None, *, lib=None):
    """Gives the op of that name a function; usable as a decorator."""
    if func is None:
        return lambda function: impl(qualname, types, function)
    _set_function(_entry(qualname), func)
    return func


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Has no effect: nothing asks for gradients."""


def register_autocast(op, device_type, cast_inputs, /, *, lib=None):
    """Has no effect: there is no autocast to ask for it. custom_op(autocast=...) holds of all calls."""


# ---- checking ----

def _tensors_of(result):
    if isinstance(result, Tensor):
        return [result]
    return [part for part in result or () if isinstance(part, Tensor)]


def _same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride()


def _same_values(a, b):
    return bool((a.eq(b) | (a.ne(a) & b.ne(b))).all())


def _check_schema(entry, op, args, kwargs):
    values = [*args, *kwargs.values()]
    before = [value.clone() if isinstance(value, Tensor) else None for value in values]
    op(*args, **kwargs)
    written = entry.schema.count("!)") > 0 if entry is not None else "!)" in op.schema
    for value, old in zip(values, before):
        if old is not None and not written and not _same_values(value, old):
            raise RuntimeError("an argument was written to, which the schema does not say")


def _check_fake(entry, op, args, kwargs):
    if entry is None or entry.fake is None:
        return
    said, made = _tensors_of(entry.fake(*args, **kwargs)), _tensors_of(op(*args, **kwargs))
    if len(said) != len(made) or not all(map(_same, said, made)):
        facts = [[(str(t.dtype), tuple(t.shape), t.stride()) for t in each] for each in (said, made)]
        raise RuntimeError(f"the fake function says {facts[0]}, the function gave {facts[1]}")


def _check_compiled(entry, op, args, kwargs):
    from frit import compile as compile_function
    compiled = compile_function(lambda *a: op(*a, **kwargs))
    for _ in range(3):
        copies = [[a.clone() if isinstance(a, Tensor) else a for a in args] for _ in range(2)]
        expected, got = _tensors_of(op(*copies[0], **kwargs)), _tensors_of(compiled(*copies[1]))
        pairs = zip(expected + _tensors_of(copies[0]), got + _tensors_of(copies[1]))
        if not all(_same(a, b) and _same_values(a, b) for a, b in pairs):
            raise RuntimeError("compiled, it gives other results")


_CHECKS = {"test_schema": _check_schema, "test_faketensor": _check_fake, "test_compiled": _check_compiled}


def opcheck(op, args, kwargs=None, *, test_utils=tuple(_CHECKS), raise_exception=True):
    """Calls an op with these arguments and holds it against its schema, its fake function and itself when compiled.

    Returns the checks' names with "SUCCESS" or, where raise_exception is False, the error. The op must give equal
    results for equal arguments.
    """
    if isinstance(op, CustomOpDef):
        entry, op = op._entry, op._opoverload
    else:
        entry = _entries.get(op.name)
    outcome = {}
    for name in (test_utils,) if isinstance(test_utils, str) else test_utils:
        if name not in _CHECKS:
            raise ValueError(f"opcheck(): no check {name!r}: there are {', '.join(_CHECKS)}")
        try:
            _CHECKS[name](entry, op, tuple(args), kwargs or {})
            outcome[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise RuntimeError(f"opcheck({op.name}): {name}: {error}") from error
            outcome[name] = error
    return outcome
