"""The functions of neural networks, under PyTorch's names."""
from frit import _core

globals().update(_core._neural)
