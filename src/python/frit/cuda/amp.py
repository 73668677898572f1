"""Mixed precision on CUDA: without effect."""
from frit._modes import autocast as _autocast
from frit.amp import GradScaler, custom_bwd, custom_fwd


class autocast(_autocast):
    """Without effect, since there is no CUDA."""

    def __new__(cls, enabled=True, dtype=None, cache_enabled=True):
        return super().__new__(cls, "cuda", dtype, enabled)

    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        super().__init__("cuda")
