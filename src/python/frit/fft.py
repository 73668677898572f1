"""Fourier transforms.

Complex is no dtype: a complex number is a pair in a last dimension of size 2, real part first, as PyTorch's
view_as_real shows it. rfft takes real numbers and gives pairs; irfft takes pairs and gives real numbers; the others
take and give pairs. dim and s count dimensions without the pair's.
"""
from frit import _core

globals().update(_core._fourier)
