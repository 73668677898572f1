"""Settings of PyTorch's libraries: they read back as they were set, and have no effect."""
from types import SimpleNamespace

from frit.backends import cuda, cudnn, mps


def _library(available=False, **attributes):
    return SimpleNamespace(is_available=lambda: available, is_built=lambda: available, **attributes)


mkl = _library()
mkldnn = _library(available=True, enabled=True)
openmp = _library()
opt_einsum = _library(enabled=False, strategy=None)
quantized = SimpleNamespace(engine="none", supported_engines=["none"])
xnnpack = SimpleNamespace(enabled=False)
