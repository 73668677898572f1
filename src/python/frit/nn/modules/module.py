"""Module: the base of all layers and models."""
from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, Self

import frit
from frit import _core
from frit._core import Tensor, dtype
from frit._types import device as _device
from frit.nn.modules import state
from frit.nn.modules.global_hooks import (_global_forward_hooks, _global_forward_pre_hooks,
                                          register_module_buffer_registration_hook, register_module_forward_hook,
                                          register_module_forward_pre_hook,
                                          register_module_module_registration_hook,
                                          register_module_parameter_registration_hook)
from frit.nn.modules.global_hooks import registered as _registered
from frit.nn.modules.state import _IncompatibleKeys  # noqa: F401: found here by programs
from frit.nn.parameter import Buffer, Parameter
from frit.utils.hooks import Hooks, RemovableHandle  # noqa: F401

# The attributes of every module, set past its own __setattr__.
_DICTS = ("_parameters", "_buffers", "_modules")
_HOOKS = ("_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
          "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
          "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
          "_load_state_dict_post_hooks")


def _class_of(value):
    return frit.typename(value)


def _indented(text, width):
    first, *others = text.split("\n")
    return "\n".join([first] + [" " * width + line for line in others])


_addindent = _indented


def _forward_unimplemented(self, *input):
    """The computation of the module, which each subclass defines."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module:
    """The base class of layers and models.

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)

            def forward(self, x):
                return x + self.linear(x)

    Parameters, Buffers and Modules that are assigned as attributes are registered: they are part of
    parameters(), state_dict(), to() and the rest. Calling the module runs its hooks and forward().
    """

    dump_patches = False
    _version = 1
    call_super_init = False

    def __init__(self, *args, **kwargs):
        if not self.call_super_init and kwargs:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                            f"'{next(iter(kwargs))}'")
        if not self.call_super_init and args:
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but "
                            f"{len(args) + 1} were given")
        put = super().__setattr__
        put("training", True)
        for name in _DICTS:
            put(name, {})
        put("_non_persistent_buffers_set", set())
        put("_is_full_backward_hook", None)
        for name in _HOOKS:
            put(name, Hooks())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented

    # Calls and hooks.

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (self._forward_hooks or self._forward_pre_hooks or _global_forward_hooks or _global_forward_pre_hooks):
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_impl(self, *args, **kwargs):
        return Module.__call__(self, *args, **kwargs)

    def _call_with_hooks(self, args, kwargs):
        called = set()
        try:
            args, kwargs = self._run_pre_hooks(args, kwargs)
            result = self.forward(*args, **kwargs)
            for hooks in (_global_forward_hooks, self._forward_hooks):
                for number, hook in list(hooks.items()):
                    called.add(number)
                    result = self._run_hook(number, hook, args, kwargs, result)
            return result
        except Exception:
            for number, hook in list(self._forward_hooks.items()):
                if number in self._forward_hooks_always_called and number not in called:
                    self._run_hook(number, hook, args, kwargs, None)
            raise

    def _run_hook(self, number, hook, args, kwargs, result):
        with_kwargs = number in self._forward_hooks_with_kwargs
        replaced = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
        return result if replaced is None else replaced

    def _run_pre_hooks(self, args, kwargs):
        for hook in list(_global_forward_pre_hooks.values()):
            args = self._as_args(hook(self, args), args)
        for number, hook in list(self._forward_pre_hooks.items()):
            if number not in self._forward_pre_hooks_with_kwargs:
                args = self._as_args(hook(self, args), args)
                continue
            replaced = hook(self, args, kwargs)
            if replaced is None:
                continue
            if not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                                   f"but got {replaced}.")
            args, kwargs = replaced
        return args, kwargs

    @staticmethod
    def _as_args(replaced, args):
        if replaced is None:
            return args
        return replaced if isinstance(replaced, tuple) else (replaced,)

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                                  with_kwargs: bool = False) -> RemovableHandle:
        """hook(module, args) is called before forward(); what it returns replaces the arguments.

        with_kwargs: hook(module, args, kwargs), which returns None or (args, kwargs).
        """
        handle = self._forward_pre_hooks.add(hook, prepend, [self._forward_pre_hooks_with_kwargs])
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """hook(module, args, output) is called after forward(); what it returns replaces the output.

        with_kwargs: hook(module, args, kwargs, output). always_call: also where forward() failed.
        """
        handle = self._forward_hooks.add(
            hook, prepend, [self._forward_hooks_with_kwargs, self._forward_hooks_always_called])
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def register_full_backward_hook(self, hook, prepend=False):
        """The hook is kept and never called, since there are no gradients."""
        return self._backward_hooks.add(hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """The hook is kept and never called, since there are no gradients."""
        return self._backward_pre_hooks.add(hook, prepend)

    def register_backward_hook(self, hook):
        """The hook is kept and never called, since there are no gradients."""
        return self._backward_hooks.add(hook)

    # Registration.

    def _check_name(self, name, kind):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_class_of(name)}")
        if "." in name:
            where = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{where}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a buffer: a Tensor that belongs to the module's state and is no parameter.

        persistent: whether it is part of state_dict().
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer")
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{_class_of(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        self._buffers[name] = _registered("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a Parameter, or the place of one (None)."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter")
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_class_of(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        self._parameters[name] = _registered("parameter", self, name, param)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a child module under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_class_of(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {_class_of(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        self._check_name(name, "module")
        self._modules[name] = _registered("module", self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """As add_module()."""
        self.add_module(name, module)

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as "layers.0.conv"; "" is the module itself."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Puts a module at a path."""
        path, _, name = target.rpartition(".")
        if not name:
            raise ValueError("Cannot set the submodule without a target name!")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as "layers.0.weight"."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        parameter = getattr(module, name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path such as "layers.0.running_mean"."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return module._buffers[name]

    # Attributes.

    # The parameter, buffer or module of that name. In C++, since forward() asks often.
    __getattr__ = _core._registered_attribute

    def _forget(self, name, *kinds):
        for kind in kinds:
            registered = self.__dict__.get(kind)
            if registered is not None:
                registered.pop(name, None) if isinstance(registered, dict) else registered.discard(name)

    def _checked_dict(self, kind, what):
        registered = self.__dict__.get(kind)
        if registered is None:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        return registered

    def __setattr__(self, name, value):
        attributes = self.__dict__
        if isinstance(value, Parameter):
            self._checked_dict("_parameters", "parameters")
            self._forget(name, "__dict__", "_buffers", "_modules", "_non_persistent_buffers_set")
            attributes.pop(name, None)
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            modules = self._checked_dict("_modules", "module")
            self._forget(name, "_parameters", "_buffers", "_non_persistent_buffers_set")
            attributes.pop(name, None)
            modules[name] = _registered("module", self, name, value)
        elif name in attributes.get("_parameters", ()):
            if value is not None:
                raise TypeError(f"cannot assign '{_class_of(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)")
            self.register_parameter(name, None)
        elif name in attributes.get("_modules", ()):
            if value is not None:
                raise TypeError(f"cannot assign '{_class_of(value)}' as child module '{name}' "
                                "(torch.nn.Module or None expected)")
            attributes["_modules"][name] = _registered("module", self, name, None)
        elif isinstance(value, Buffer) or name in attributes.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def _set_buffer(self, name, value):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"cannot assign '{_class_of(value)}' as buffer '{name}' "
                            "(torch.nn.Buffer, torch.Tensor or None expected)")
        buffers = self._checked_dict("_buffers", "buffers")
        if name not in buffers:
            self.__dict__.pop(name, None)
            self.register_buffer(name, value, getattr(value, "persistent", True))
        else:
            buffers[name] = _registered("buffer", self, name, value)

    def __delattr__(self, name):
        for kind in _DICTS:
            if name in self.__dict__.get(kind, ()):
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        names = set(dir(type(self))) | set(self.__dict__)
        for kind in _DICTS:
            names |= set(self.__dict__[kind])
        return sorted(name for name in names if not name[:1].isdigit())

    def __setstate__(self, attributes):
        self.__dict__.update(attributes)
        for name in _HOOKS:
            self.__dict__[name] = Hooks(self.__dict__.get(name, ()))
        self.__dict__.setdefault("_non_persistent_buffers_set", set())

    # Walks.

    def _named_members(self, get_members, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in get_members(module):
                if member is None or (remove_duplicate and id(member) in seen):
                    continue
                seen.add(id(member))
                yield (path + "." if path else "") + name, member

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """(name, parameter) of the module and, with recurse, of those inside; each once."""
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of the module and, with recurse, of those inside; each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """(name, buffer) of the module and, with recurse, of those inside; each once."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of the module and, with recurse, of those inside; each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """(name, module) of the modules right inside this one; each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules right inside this one; each once."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo: set[Module] | None = None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """(path, module) of this module and all inside, the outer before the inner."""
        memo = set() if memo is None else memo
        if remove_duplicate and self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = (prefix + "." if prefix else "") + name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all inside; each once."""
        for _, module in self.named_modules():
            yield module

    # State.

    def register_state_dict_pre_hook(self, hook):
        """hook(module, prefix, keep_vars) is called before state_dict()."""
        return self._state_dict_pre_hooks.add(hook)

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("Cannot register the same function as the state dict post hook that was previously "
                               "registered via register_state_dict_post_hook")
        return self._state_dict_hooks.add(hook)

    def register_state_dict_post_hook(self, hook):
        """hook(module, state_dict, prefix, local_metadata) is called after state_dict()."""
        hook._from_public_api = True
        return self._state_dict_hooks.add(hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return self._load_state_dict_pre_hooks.add(functools.partial(hook, self) if with_module else hook)

    def register_load_state_dict_pre_hook(self, hook):
        """hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs) is called before load_state_dict() reads the module's tensors."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """hook(module, incompatible_keys) is called after load_state_dict()."""
        return self._load_state_dict_post_hooks.add(hook)

    _save_to_state_dict = state.save_members
    _load_from_state_dict = state.load_members
    state_dict = state.state_dict
    load_state_dict = state.load_state_dict

    def get_extra_state(self):
        """What state_dict() holds besides tensors; a subclass may define it."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state):
        """Takes what get_extra_state() gave."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    # Changes of all inside.

    def _apply(self, fn, recurse=True):
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is not None:
                parameter.data = fn(parameter.data)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Calls fn on every module inside and then on this one; returns the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _to_dtype(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def type(self, dst_type: dtype) -> Self:
        """Converts all parameters and buffers."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Converts floating point parameters and buffers to float32."""
        return self._to_dtype(_core.float32)

    def double(self) -> Self:
        """Converts floating point parameters and buffers to float64."""
        return self._to_dtype(_core.float64)

    def half(self) -> Self:
        """Converts floating point parameters and buffers to float16."""
        return self._to_dtype(_core.float16)

    def bfloat16(self) -> Self:
        """Converts floating point parameters and buffers to bfloat16."""
        return self._to_dtype(_core.bfloat16)

    def cpu(self) -> Self:
        """Moves parameters and buffers to the CPU; returns the module."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Refused: there are no GPUs."""
        raise RuntimeError("cuda(): not available: there is only cpu")

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """to(dtype), to(device, dtype) or to(tensor): moves parameters and buffers, converts those of floating point.

        memory_format=frit.channels_last orders tensors of 4 dimensions so.
        """
        device, dtype, memory_format = _parse_to(args, kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, "
                            f"but got desired dtype={dtype}")

        def convert(t):
            result = t.to(dtype) if dtype is not None and t.is_floating_point() else t
            if memory_format is not None and t.dim() == 4:
                result = result.contiguous(memory_format=memory_format)
            return result if device is None else result.to(device)

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Gives all parameters and buffers new memory on a device, whose values are any."""
        return self._apply(lambda t: _core.empty_like(t, device=device), recurse=recurse)

    def train(self, mode: bool = True) -> Self:
        """Sets the module and all inside to training (True) or inference (False); returns the module."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Sets the module and all inside to inference; returns the module."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Marks all parameters. There are no gradients."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Does nothing: there are no gradients."""

    def share_memory(self):
        """Refused: memory is not shared between processes."""
        raise NotImplementedError("share_memory(): not supported")

    def compile(self, *args, **kwargs):
        """Makes forward() one region, as frit.compile does."""
        object.__setattr__(self, "forward", frit.compile(self.forward, *args, **kwargs))

    # Printing.

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self) -> str:
        """What repr() says besides the modules inside; a subclass may define it."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indented(repr(module), 2)}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        inside = "\n  ".join(lines + children)
        return f"{self._get_name()}(" + (f"\n  {inside}\n" if inside else "") + ")"

    def _replicate_for_data_parallel(self):
        raise NotImplementedError("data parallelism is not supported")


def _parse_to(args, kwargs):
    """The device, dtype and memory format that the arguments of Module.to() ask for."""
    device, dtype, memory_format = None, kwargs.get("dtype"), kwargs.get("memory_format")
    for value in itertools.chain(args, [kwargs.get("device"), kwargs.get("tensor")]):
        if isinstance(value, _core.dtype):
            dtype = value
        elif isinstance(value, Tensor):
            device, dtype = value.device, value.dtype
        elif isinstance(value, (str, _device)):
            device = _device(value)
    return device, dtype, memory_format
