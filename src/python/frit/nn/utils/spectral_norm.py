"""Weights divided by their largest singular value."""
from frit import _core
from frit.nn import functional as F
from frit.nn.parameter import Parameter


class SpectralNorm:
    """The hook that makes weight = weight_orig / sigma before each call."""

    def __init__(self, name, n_power_iterations, dim, eps):
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def _matrix(self, weight):
        order = [self.dim] + [d for d in range(weight.dim()) if d != self.dim]
        return weight.permute(order).reshape(weight.size(self.dim), -1)

    def compute_weight(self, module, iterate):
        """The weight; `iterate` first improves the estimate of sigma."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self._matrix(weight)
        for _ in range(self.n_power_iterations if iterate else 0):
            v.copy_(F.normalize(_core.mv(matrix.t(), u), dim=0, eps=self.eps))
            u.copy_(F.normalize(_core.mv(matrix, v), dim=0, eps=self.eps))
        return weight / _core.dot(u, _core.mv(matrix, v))

    def remove(self, module):
        """Makes the weight a parameter again."""
        weight = self.compute_weight(module, False)
        delattr(module, self.name)
        for suffix in ("_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Replaces a parameter by itself over its largest singular value."""
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    norm = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters[name]
    rows, columns = norm._matrix(weight).shape
    u = F.normalize(_core.empty(rows).normal_(0, 1), dim=0, eps=eps)
    v = F.normalize(_core.empty(columns).normal_(0, 1), dim=0, eps=eps)
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(norm)
    return module


def remove_spectral_norm(module, name="weight"):
    """Makes one parameter again."""
    for number, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
