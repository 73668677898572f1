"""Which form of attention is to be used: there is one."""
import contextlib
import enum


class SDPBackend(enum.Enum):
    """PyTorch's forms of attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3


def sdpa_kernel(backends, set_priority=False):
    """A scope without effect."""
    return contextlib.nullcontext()
