"""Weight norm as a parametrization: parametrizations.weight.original0 is the length, original1 the direction."""
from frit.nn.modules.module import Module
from frit.nn.utils.parametrize import register_parametrization
from frit.nn.utils.weight_norm import _length


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return weight_v * (weight_g / _length(weight_v, self.dim))

    def right_inverse(self, weight):
        return _length(weight, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Replaces a parameter by its length and its direction."""
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
