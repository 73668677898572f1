"""Functions that PyTorch has here too."""
from frit._core import matmul
