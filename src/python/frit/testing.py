"""Comparisons for tests."""
import frit
from frit import _core

# PyTorch's tolerances: relative, absolute.
_TOLERANCES = {_core.float64: (1e-7, 1e-7), _core.float32: (1.3e-6, 1e-5), _core.float16: (1e-3, 1e-5),
               _core.bfloat16: (1.6e-2, 1e-5)}


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Raises AssertionError where two tensors, numbers or nested sequences or dicts of them differ."""
    if isinstance(expected, dict):
        if set(actual) != set(expected):
            raise AssertionError(f"The keys differ: {sorted(actual)} and {sorted(expected)}")
        pairs = [(actual[key], expected[key]) for key in expected]
    elif isinstance(expected, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        pairs = list(zip(actual, expected))
    else:
        _assert_tensors_close(frit.as_tensor(actual), frit.as_tensor(expected), rtol, atol, equal_nan, check_dtype, msg)
        return
    for a, b in pairs:
        assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)


def _assert_tensors_close(a, b, rtol, atol, equal_nan, check_dtype, msg):
    if a.shape != b.shape:
        raise AssertionError(f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}.")
    if check_dtype and a.dtype != b.dtype:
        raise AssertionError(f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}.")
    least = max(_TOLERANCES.get(a.dtype, (0, 0)), _TOLERANCES.get(b.dtype, (0, 0)))
    rtol, atol = least if rtol is None else (rtol, atol)
    a, b = a.double(), b.double()
    if not _core.allclose(a, b, rtol, atol, equal_nan):
        worst = (a - b).abs().max().item()
        raise AssertionError(msg or f"Tensor-likes are not close!\n\nGreatest absolute difference: {worst} "
                                    f"(up to {atol} allowed, besides {rtol} of the value)")
