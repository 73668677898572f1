"""Names for annotations."""
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union


class BroadcastingListCls:
    """A type that is subscripted: one number, or one per dimension."""

    def __getitem__(self, types):
        return Any


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()


class Attribute(NamedTuple):
    """A value with the type that a compiler should know."""

    value: object
    type: object
