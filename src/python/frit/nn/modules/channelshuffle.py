"""Channels in another order."""
from __future__ import annotations

from frit.nn import functional as F
from frit.nn.modules.module import Module


class ChannelShuffle(Module):
    """Channel i of group g goes to place i * groups + g."""

    def __init__(self, groups: int):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
