"""weight_norm under the name that newer programs use."""
from frit.nn.utils.weight_norm import weight_norm
from frit.nn.utils.spectral_norm import spectral_norm
