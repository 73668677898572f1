"""When two results agree: as PyTorch's own tests see it, on NumPy arrays.

The 16-bit brain floats, which NumPy lacks, are compared as the f32 of the same values.
"""
import numpy

# (relative, absolute), as torch.testing.assert_close has them; other dtypes agree exactly.
TOLERANCES = {"float64": (1e-7, 1e-7), "float32": (1.3e-6, 1e-5), "float16": (1e-3, 1e-5),
              "bfloat16": (1.6e-2, 1e-5)}


def difference(got, want, dtype):
    """None where the arrays agree, else a text. NaN is NaN."""
    if list(got.shape) != list(want.shape):
        return f"shape {list(got.shape)}, expected {list(want.shape)}"
    if dtype not in TOLERANCES:
        wrong = got != want
        return f"{int(wrong.sum())} of {want.size} elements are not equal" if wrong.any() else None
    relative, absolute = TOLERANCES[dtype]
    got, want = got.astype(numpy.float64), want.astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        far = numpy.abs(got - want)
        near = (far <= absolute + relative * numpy.abs(want)) & numpy.isfinite(want)
    agree = near | (got == want) | (numpy.isnan(got) & numpy.isnan(want))
    if agree.all():
        return None
    wrong = far[~agree]
    return (f"{wrong.size} of {want.size} elements are not close: off by up to {wrong.max():g} "
            f"({absolute:g} + {relative:g} * size allowed)")
