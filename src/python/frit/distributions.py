"""A few distributions, to sample from and to ask for probabilities."""
import math

import frit
from frit import _core
from frit.nn import functional as F


class Distribution:
    """What all of them have."""

    def __init__(self, batch_shape=(), event_shape=()):
        self.batch_shape = _core.Size(batch_shape)
        self.event_shape = _core.Size(event_shape)

    def rsample(self, sample_shape=()):
        """As sample(): there are no gradients."""
        return self.sample(sample_shape)


class Categorical(Distribution):
    """Class numbers by probabilities, which need not add up to 1, or by logits."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self._probs = probs / probs.sum(-1, keepdim=True) if probs is not None else None
        self._logits = logits - logits.logsumexp(-1, keepdim=True) if logits is not None else None
        given = probs if probs is not None else logits
        self._num_events = given.size(-1)
        super().__init__(given.shape[:-1])

    @property
    def probs(self):
        """The probabilities."""
        return self._probs if self._probs is not None else F.softmax(self._logits, -1)

    @property
    def logits(self):
        """The logarithms of the odds."""
        if self._logits is not None:
            return self._logits
        eps = frit.finfo(self._probs.dtype).eps
        return _core.log(self._probs.clamp(min=eps, max=1 - eps))

    def sample(self, sample_shape=()):
        """Class numbers."""
        count = math.prod(sample_shape)
        drawn = _core.multinomial(self.probs.reshape(-1, self._num_events), count, True).t()
        return drawn.reshape(tuple(sample_shape) + tuple(self.batch_shape))

    def log_prob(self, value):
        """The logarithm of a class's probability."""
        logits = self.logits
        value, logits = _core.broadcast_tensors(value.to(frit.int64).unsqueeze(-1), logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        """The entropy."""
        return -(self.logits.clamp(min=frit.finfo(self.logits.dtype).min) * self.probs).sum(-1)

    @property
    def mode(self):
        """The most likely value."""
        return self.probs.argmax(-1)


class Normal(Distribution):
    """Normally distributed numbers."""

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _core.broadcast_tensors(frit.as_tensor(loc, dtype=None).float(),
                                                       frit.as_tensor(scale).float())
        super().__init__(self.loc.shape)

    @property
    def mean(self):
        """The mean."""
        return self.loc

    @property
    def stddev(self):
        """The standard deviation."""
        return self.scale

    @property
    def variance(self):
        """The variance."""
        return self.scale * self.scale

    def sample(self, sample_shape=()):
        """Numbers."""
        shape = tuple(sample_shape) + tuple(self.batch_shape)
        return _core.normal(self.loc.expand(shape), self.scale.expand(shape))

    def log_prob(self, value):
        """The logarithm of the density."""
        return (-((value - self.loc) ** 2) / (2 * self.variance) - self.scale.log() - math.log(math.sqrt(2 * math.pi)))

    def entropy(self):
        """The entropy."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + _core.log(self.scale)


class Bernoulli(Distribution):
    """Ones with a probability, and zeros."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self.probs = frit.as_tensor(probs) if probs is not None else _core.sigmoid(frit.as_tensor(logits))
        self.logits = frit.as_tensor(logits) if logits is not None else _core.logit(
            self.probs, frit.finfo(self.probs.dtype).eps)
        super().__init__(self.probs.shape)

    def sample(self, sample_shape=()):
        """Ones and zeros."""
        return _core.bernoulli(self.probs.expand(tuple(sample_shape) + tuple(self.batch_shape)))

    def log_prob(self, value):
        """The logarithm of the probability."""
        return -F.binary_cross_entropy_with_logits(self.logits.expand(value.shape), value, reduction="none")

    def entropy(self):
        """The entropy."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
