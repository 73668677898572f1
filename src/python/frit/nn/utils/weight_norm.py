"""Weights as a length and a direction."""
from frit import _core
from frit.nn.parameter import Parameter


def _length(v, dim):
    """The norm of v over all dimensions but one, or over all (-1, None)."""
    if dim is None or dim == -1:
        return _core.norm(v)
    dims = [d for d in range(v.dim()) if d != dim % v.dim()]
    return _core.norm(v, 2, dims, True) if dims else v.abs()


class WeightNorm:
    """The hook that makes weight = g * v / |v| before each call."""

    def __init__(self, name, dim):
        self.name = name
        self.dim = dim

    def compute_weight(self, module):
        """The weight that g and v stand for."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return v * (g / _length(v, self.dim))

    def remove(self, module):
        """Makes the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        delattr(module, self.name + "_g")
        delattr(module, self.name + "_v")
        setattr(module, self.name, Parameter(weight))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module, name="weight", dim=0):
    """Replaces a parameter by its length name_g and its direction name_v."""
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    norm = WeightNorm(name, -1 if dim is None else dim)
    weight = getattr(module, name)
    delattr(module, name)
    module.register_parameter(name + "_g", Parameter(_length(weight, norm.dim)))
    module.register_parameter(name + "_v", Parameter(weight.data))
    setattr(module, name, norm.compute_weight(module))
    module.register_forward_pre_hook(norm)
    return module


def remove_weight_norm(module, name="weight"):
    """Makes one parameter of length and direction again."""
    for number, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
