"""Parameters that are computed from others: module.parametrizations holds these and the computation."""
import contextlib

from frit._core import Tensor
from frit.nn.modules.container import ModuleDict, ModuleList
from frit.nn.modules.module import Module
from frit.nn.parameter import Parameter

_cache = None  # of the values, inside cached()


@contextlib.contextmanager
def cached():
    """Inside, each parametrized tensor is computed once."""
    global _cache
    before, _cache = _cache, {}
    try:
        yield
    finally:
        _cache = before


class ParametrizationList(ModuleList):
    """The computations of one tensor, and what they start from: original, or original0, original1, ..."""

    def __init__(self, modules, original, unsafe=False):
        super().__init__(modules)
        self.unsafe = unsafe
        start = original.data
        for module in reversed(list(modules)):
            if hasattr(module, "right_inverse"):
                start = module.right_inverse(start)
        self.is_tensor = isinstance(start, Tensor)
        if self.is_tensor:
            self.original = Parameter(start, original.requires_grad)
            return
        self.ntensors = len(start)
        for i, part in enumerate(start):
            setattr(self, f"original{i}", Parameter(part, original.requires_grad))

    def _start(self):
        return (self.original,) if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def forward(self):
        first, *others = self
        value = first(*self._start())
        for module in others:
            value = module(value)
        return value


def _property(name):
    def get(self):
        if _cache is None:
            return self.parametrizations[name]()
        key = id(self), name
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    def put(self, value):
        inner = self.parametrizations[name]
        for module in reversed(list(inner)):
            value = module.right_inverse(value)
        for target, part in zip(inner._start(), (value,) if inner.is_tensor else value):
            target.copy_(part)

    return property(get, put)


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """From here on module.tensor_name is parametrization(original)."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        module.parametrizations[tensor_name].append(parametrization)
        return module
    original = getattr(module, tensor_name)
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    inner = ParametrizationList([parametrization], original, unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        base = type(module)
        object.__setattr__(module, "__class__", type("Parametrized" + base.__name__, (base,), {"_unparametrized": base}))
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = inner
    setattr(type(module), tensor_name, _property(tensor_name))
    return module


def is_parametrized(module, tensor_name=None):
    """Whether the module, or one tensor of it, is computed from others."""
    inner = module._modules.get("parametrizations")
    if inner is None:
        return False
    return len(inner) > 0 if tensor_name is None else tensor_name in inner


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Makes the tensor a parameter again, with the value that it has now or (False) that it started from."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    inner = module.parametrizations[tensor_name]
    if not leave_parametrized and not inner.is_tensor:
        raise ValueError("Cannot leave unparametrized a tensor that is computed from several")
    value = inner() if leave_parametrized else inner.original
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not is_parametrized(module):
        del module.parametrizations
        object.__setattr__(module, "__class__", type(module)._unparametrized)
    setattr(module, tensor_name, Parameter(value.data, inner._start()[0].requires_grad))
    return module


def type_before_parametrizations(module):
    """The class that the module was made of."""
    return getattr(type(module), "_unparametrized", type(module))
