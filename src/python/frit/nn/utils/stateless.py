"""Calls of a module with other tensors for its own."""
import contextlib


@contextlib.contextmanager
def _swapped(module, tensors):
    places = []
    try:
        for path, tensor in tensors.items():
            owner, _, name = path.rpartition(".")
            inner = module.get_submodule(owner)
            members = inner._parameters if name in inner._parameters else inner._buffers
            if name not in members:
                raise KeyError(f"the module has no parameter or buffer {path}")
            places.append((members, name, members[name]))
            members[name] = tensor
        yield
    finally:
        for members, name, tensor in reversed(places):
            members[name] = tensor


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """module(*args) as if it had these parameters and buffers, given by path."""
    dicts = parameters_and_buffers if isinstance(parameters_and_buffers, (tuple, list)) else [parameters_and_buffers]
    tensors = {path: tensor for each in dicts for path, tensor in each.items()}
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _swapped(module, tensors):
        return module(*args, **(kwargs or {}))
