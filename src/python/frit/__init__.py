"""Frit: PyTorch's tensors and functions on CPUs, accelerated unasked.

    import frit
    x = frit.tensor([1., 2.])
    print(x * 2 + 1)
"""
from frit import _core
from frit._core import *
from frit._core import _rebuild
from frit._types import (channels_last, contiguous_format, device, finfo, get_default_dtype, iinfo,
                         is_tensor, layout, memory_format, preserve_format, set_default_dtype,
                         strided)
from frit._modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from frit._compile import Explanation, compile, explain
from frit import linalg, nn, special
