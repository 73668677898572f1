"""Settings of CUDA, which is not there: kept, without effect."""
import contextlib
from types import SimpleNamespace

matmul = SimpleNamespace(allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
                         allow_bf16_reduced_precision_reduction=True)


def is_built():
    """False: there is only the CPU."""
    return False


def flash_sdp_enabled():
    """False: there is only the CPU."""
    return False


def mem_efficient_sdp_enabled():
    """False: there is only the CPU."""
    return False


def math_sdp_enabled():
    """False: there is only the CPU."""
    return True


def enable_flash_sdp(enabled):
    """Does nothing: there is one form of attention."""


enable_mem_efficient_sdp = enable_math_sdp = enable_cudnn_sdp = enable_flash_sdp


def sdp_kernel(*args, **kwargs):
    """A scope without effect."""
    return contextlib.nullcontext()
