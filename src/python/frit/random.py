"""Random numbers: their seeds, and their state."""
import contextlib

from frit._settings import get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from frit._core import default_generator

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True):
    """What is drawn inside leaves no trace outside."""
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
