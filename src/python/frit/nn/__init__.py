"""Neural networks: modules, their parameters, functions, starting values."""
from frit.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from frit.nn import functional, init
from frit.nn import modules
from frit.nn.modules import *
from frit.nn import utils


class DataParallel(Module):
    """Runs a module on all devices: on the CPU, which is the only one."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def factory_kwargs(kwargs):
    """The device, dtype and memory format among a layer's keyword arguments."""
    given = dict(kwargs or {})
    known = {name: given.pop(name) for name in ("device", "dtype", "memory_format") if name in given}
    known.update(given.pop("factory_kwargs", {}))
    if given:
        raise TypeError(f"unexpected kwargs {given.keys()}")
    return known
