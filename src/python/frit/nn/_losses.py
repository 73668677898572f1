"""Losses that are put together of other functions."""
from __future__ import annotations

import frit
from frit import _core
from frit._core import Tensor


def _reduced(losses, reduction):
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    if reduction == "none":
        return losses
    raise ValueError(f"{reduction} is not a valid value for reduction")


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average=None,
                          reduce=None, reduction: str = "mean") -> Tensor:
    """1 - cos(a, b) where target is 1; max(0, cos(a, b) - margin) where it is -1."""
    dot = (input1 * input2).sum(-1)
    squares = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = dot / squares.sqrt()
    zeros = _core.zeros_like(cosine)
    losses = (_core.where(target == 1, 1 - cosine, zeros)
              + _core.where(target == -1, (cosine - margin).clamp(min=0), zeros))
    return _reduced(losses, reduction)


def multi_margin_loss(input: Tensor, target: Tensor, p: float = 1, margin: float = 1.0, weight: Tensor | None = None,
                      size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """The mean over the other classes of max(0, margin - x[target] + x[i]) ** p."""
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    x = input if input.dim() == 2 else input.reshape(1, -1)
    y = target.reshape(-1, 1)
    distances = (margin - x.gather(1, y) + x).clamp(min=0)
    distances = distances * distances if p == 2 else distances
    if weight is not None:
        distances = distances * weight[y]
    losses = distances.scatter(1, y, 0).sum(1) / x.size(1)
    return _reduced(losses if input.dim() == 2 else losses.squeeze(0), reduction)


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None,
                           reduction: str = "mean") -> Tensor:
    """The mean over pairs of a target class and another of max(0, 1 - x[target] + x[other]).

    target holds class numbers, up to the first -1 of each row.
    """
    x = input if input.dim() == 2 else input.reshape(1, -1)
    y = target.reshape(x.shape)
    valid = (y < 0).cumsum(1) == 0
    y = _core.where(valid, y, _core.zeros_like(y))
    is_target = _core.zeros_like(x).scatter_add(1, y, valid.to(x.dtype)) > 0
    pairs = (1 - x.gather(1, y).unsqueeze(2) + x.unsqueeze(1)).clamp(min=0)
    counted = _core.logical_and(valid.unsqueeze(2), _core.logical_not(is_target).unsqueeze(1))
    losses = _core.where(counted, pairs, _core.zeros_like(pairs)).sum((1, 2)) / x.size(1)
    return _reduced(losses if input.dim() == 2 else losses.squeeze(0), reduction)


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
                                reduce=None, reduction: str = "mean") -> Tensor:
    """The mean over classes of the binary cross entropy of sigmoid(input)."""
    logsigmoid = _core._neural["logsigmoid"]
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return _reduced(losses.sum(input.dim() - 1) / input.size(input.dim() - 1), reduction)


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
                        eps: float = 1e-6, swap: bool = False, size_average=None, reduce=None,
                        reduction: str = "mean") -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)."""
    distance = _core._neural["pairwise_distance"]
    return triplet_margin_with_distance_loss(anchor, positive, negative, margin=margin, swap=swap, reduction=reduction,
                                             distance_function=lambda a, b: distance(a, b, p, eps))


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function=None,
                                      margin: float = 1.0, swap: bool = False, reduction: str = "mean") -> Tensor:
    """As triplet_margin_loss, with a distance of one's own."""
    distance = distance_function or _core._neural["pairwise_distance"]
    far = distance(anchor, negative)
    if swap:
        far = _core.minimum(far, distance(positive, negative))
    return _reduced((distance(anchor, positive) - far + margin).clamp(min=0), reduction)


def _ctc_of_one(log_probs, labels, blank):
    """The negative log likelihood of one sequence, by the forward sums over its alignments."""
    length, count = log_probs.size(0), 2 * len(labels) + 1
    states = [blank if i % 2 == 0 else labels[i // 2] for i in range(count)]
    emitted = log_probs.index_select(1, frit.tensor(states, dtype=frit.int64))
    never = float("-inf")
    skips = [0.0 if i % 2 == 1 and i > 1 and states[i] != states[i - 2] else never for i in range(count)]
    skip = frit.tensor(skips, dtype=log_probs.dtype)
    start = frit.tensor([0.0 if i < 2 else never for i in range(count)], dtype=log_probs.dtype)
    alpha = emitted[0] + start if length else start
    pad = _core._neural["pad"]
    for t in range(1, length):
        ways = [alpha, pad(alpha, (1, -1), value=never), pad(alpha, (2, -2), value=never) + skip]
        if count == 1:
            ways = ways[:1]
        alpha = _core.logsumexp(_core.stack(ways), 0) + emitted[t]
    return -_core.logsumexp(alpha[-2:], 0)


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths, target_lengths, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """The negative log likelihood of label sequences, over all their alignments with the input.

    log_probs: [time, batch, classes]. targets: [batch, length], or all labels in one row.
    """
    single = log_probs.dim() == 2
    if single:
        log_probs, targets = log_probs.unsqueeze(1), targets.reshape(1, -1)
    lengths = [int(n) for n in frit.as_tensor(input_lengths).reshape(-1).tolist()]
    counts = [int(n) for n in frit.as_tensor(target_lengths).reshape(-1).tolist()]
    rows, losses, begin = targets.tolist(), [], 0
    for i, (length, count) in enumerate(zip(lengths, counts)):
        labels = rows[i][:count] if targets.dim() == 2 else rows[begin:begin + count]
        begin += count
        losses.append(_ctc_of_one(log_probs[:length, i], labels, blank))
    losses = _core.stack(losses)
    if zero_infinity:
        losses = _core.where(_core.isinf(losses), _core.zeros_like(losses), losses)
    if reduction == "mean":
        return (losses / frit.tensor([max(n, 1) for n in counts], dtype=losses.dtype)).mean()
    return _reduced(losses.squeeze(0) if single else losses, reduction)
