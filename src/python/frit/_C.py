"""The few names of PyTorch's compiled part that programs call."""
from frit._core import Size, Tensor, dtype
from frit._types import device, layout, memory_format


def _log_api_usage_once(event):
    """Does nothing."""


def _get_tracing_state():
    """None: nothing is traced."""


def __getattr__(name):
    raise AttributeError(f"frit has no torch._C.{name}")
