"""frit.nn: so far its functions."""
from frit.nn import functional
