"""Seeds of random numbers."""
from frit._settings import get_rng_state, initial_seed, manual_seed, seed, set_rng_state
