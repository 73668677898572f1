"""Hooks of all modules at once."""
from frit.utils.hooks import Hooks

_global_forward_pre_hooks = Hooks()
_global_forward_hooks = Hooks()
_global_registration_hooks = {kind: Hooks() for kind in ("parameter", "buffer", "module")}


def register_module_forward_pre_hook(hook):
    """hook(module, args) is called before the forward() of every module."""
    return _global_forward_pre_hooks.add(hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """hook(module, args, output) is called after the forward() of every module."""
    if with_kwargs or always_call:
        raise NotImplementedError("register_module_forward_hook(): with_kwargs and always_call are not supported")
    return _global_forward_hooks.add(hook)


def register_module_parameter_registration_hook(hook):
    """hook(module, name, parameter) is called where a parameter is registered; it may give another."""
    return _global_registration_hooks["parameter"].add(hook)


def register_module_buffer_registration_hook(hook):
    """hook(module, name, buffer) is called where a buffer is registered; it may give another."""
    return _global_registration_hooks["buffer"].add(hook)


def register_module_module_registration_hook(hook):
    """hook(module, name, child) is called where a module is registered; it may give another."""
    return _global_registration_hooks["module"].add(hook)


def registered(kind, module, name, value):
    """What is put where `value` is registered: what the hooks make of it."""
    for hook in _global_registration_hooks[kind].values():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value
