"""Modules whose sizes follow from the first input: refused, since their parameters have no shape."""
from frit.nn.modules.module import Module


class LazyModuleMixin(Module):
    """Refused: say the sizes."""

    def __init__(self, *args, **kwargs):
        name = type(self).__name__
        raise NotImplementedError(f"{name}: lazy modules are not supported: use {name[4:]} with its sizes")


for _name in ("Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
              "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"):
    globals()["Lazy" + _name] = type("Lazy" + _name, (LazyModuleMixin,), {"__doc__": "Refused: say the sizes."})
