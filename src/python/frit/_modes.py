"""Scopes that PyTorch programs enter. Frit computes no gradients, so they have no effect."""
import functools


class _Scope:
    """A context manager and a decorator, with or without parentheses."""

    def __new__(cls, function=None, *args, **kwargs):
        scope = super().__new__(cls)
        return scope(function) if callable(function) else scope

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            return function(*args, **kwargs)

        return inside


class no_grad(_Scope):
    """Without gradients, as always."""


class inference_mode(_Scope):
    """Without gradients, as always."""


class enable_grad(_Scope):
    """Without effect: there are no gradients."""


class set_grad_enabled(_Scope):
    """Without effect: there are no gradients."""


def is_grad_enabled():
    """Whether gradients are computed: never."""
    return False


def is_inference_mode_enabled():
    """Whether inference_mode() is on: never, as it has no effect."""
    return False


class autocast(_Scope):
    """Accepted where it has no effect on the CPU; enabling it for the CPU is refused."""

    def __new__(cls, device_type="cuda", dtype=None, enabled=True, cache_enabled=None):
        if enabled and str(device_type) == "cpu":
            raise NotImplementedError("autocast('cpu'): not supported: convert with .bfloat16() instead")
        return super().__new__(cls)

    def __init__(self, device_type="cuda", dtype=None, enabled=True, cache_enabled=None):
        self.device = device_type
