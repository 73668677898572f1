"""Functions that PyTorch has here too."""
from frit._core import erf, exp2, expit, expm1, log1p, log_softmax, logsumexp, round, softmax
