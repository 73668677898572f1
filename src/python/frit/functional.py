"""Functions that PyTorch has here too."""
from frit import _core

for _name in ("atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod", "cdist",
              "einsum", "meshgrid", "norm", "split", "tensordot", "unique", "unique_consecutive"):
    if hasattr(_core, _name):
        globals()[_name] = getattr(_core, _name)
