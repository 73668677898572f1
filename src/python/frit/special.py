"""Functions that PyTorch has here too."""
from frit._core import (digamma, entr, erf, erfc, erfcx, erfinv, exp2, expit, expm1, i0, i0e, i1, i1e, lgamma, log1p,
                        log_ndtr, log_softmax, logit, logsumexp, ndtr, polygamma, round, sinc, softmax, xlog1py, xlogy, zeta)
from frit._core import mvlgamma as multigammaln

gammaln, psi = lgamma, digamma
