"""Frit: PyTorch's tensors and functions on CPUs, accelerated unasked.

    import frit
    x = frit.tensor([1., 2.])
    print(x * 2 + 1)

`import frit as torch` runs PyTorch's programs, and frit.as_torch() those that say `import torch.nn`.
"""
from frit import _core
from frit._core import *
from frit._core import _rebuild, _weight_norm
from frit._types import (BFloat16Tensor, BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor,
                         IntTensor, LongTensor, ShortTensor, channels_last, contiguous_format, device, finfo,
                         get_default_device, get_default_dtype, iinfo, is_tensor, layout, memory_format,
                         preserve_format, set_default_device, set_default_dtype, set_default_tensor_type, strided,
                         typename)
from frit._modes import (autocast, enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled,
                         no_grad, set_grad_enabled)
from frit._compile import Explanation, compile, explain, register_backend
from frit._settings import *
from frit._torch import as_torch
from frit import _tensor  # methods of Tensor
from frit._constants import e, inf, nan, newaxis, pi
from frit.version import __version__

# What is loaded at its first use, so that `import frit` is quick.
_MODULES = frozenset((
    "_C", "_tensor_str", "accelerator", "amp", "autograd", "backends", "compiler", "cpu", "cuda", "distributed",
    "distributions", "fft", "func", "functional", "fx", "graph", "hub", "jit", "library", "linalg", "multiprocessing",
    "nn", "npy", "onnx", "ops", "optim", "overrides", "profiler", "random", "safetensors", "serialization", "special",
    "testing", "types", "utils", "version", "xpu"))
_FROM_MODULES = {"save": "serialization", "load": "serialization", "from_dlpack": "_exchange",
                 "to_dlpack": "_exchange", "set_printoptions": "_tensor_str"}
_FROM_MODULES.update(dict.fromkeys((
    "adaptive_max_pool1d", "adjoint", "alpha_dropout", "alpha_dropout_", "as_strided_", "bilinear", "chain_matmul",
    "channel_shuffle", "combinations", "conv_tbc", "cumulative_trapezoid", "detach_", "dropout_", "embedding_bag",
    "feature_alpha_dropout", "feature_dropout", "fill", "fill_", "get_device", "is_conj", "is_distributed",
    "is_inference", "is_neg", "is_nonzero", "is_same_size", "is_signed", "max_pool1d_with_indices",
    "native_channel_shuffle", "pdist", "randint_like", "range", "resize_as_", "row_stack", "rrelu", "rrelu_",
    "scalar_tensor", "trapezoid", "trapz", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "vander",
    "zero_"), "_more"))


def __getattr__(name):
    import importlib
    if name in _MODULES:
        try:
            return importlib.import_module("frit." + name)
        except ModuleNotFoundError as error:
            if error.name != "frit." + name:
                raise
    elif name in _FROM_MODULES:
        value = getattr(importlib.import_module("frit." + _FROM_MODULES[name]), name)
        globals()[name] = value
        return value
    if name.startswith("__"):
        raise AttributeError(f"module 'frit' has no attribute '{name}'")
    from difflib import get_close_matches
    nearest = get_close_matches(name, __dir__(), 1, 0.5)
    raise AttributeError(f"frit has no torch.{name}" + (f"; nearest name: {nearest[0]}" if nearest else ""))


def __dir__():
    return sorted({*globals(), *_MODULES, *_FROM_MODULES})
