"""How tensors are printed."""
from frit import _core

_PROFILES = {"default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
             "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
             "full": {"precision": 4, "threshold": float("inf"), "edgeitems": 3, "linewidth": 80}}
_options = {**_PROFILES["default"], "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Sets how tensors are printed from now on; what is not given stays, but for sci_mode.

    precision: digits after the point. threshold: elements of a tensor that is shown whole. edgeitems: what is shown at
    either end of a dimension of a larger one. linewidth: characters of a line. profile: "default", "short" or "full", which
    the others go before. sci_mode: whether numbers have exponents; None: where they differ much, or are large or small.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    new = {**_options, **_PROFILES.get(profile, {}), **{name: n for name, n in given.items() if n is not None},
           "sci_mode": sci_mode}
    _core._set_print_options(new["precision"], new["threshold"], new["edgeitems"], new["linewidth"], sci_mode)
    _options.update(new)


def get_printoptions():
    """The options that tensors are printed with, by name."""
    return dict(_options)


class printoptions:
    """set_printoptions() until the end of a `with`."""

    def __init__(self, **options):
        self._options = options

    def __enter__(self):
        self._before = get_printoptions()
        set_printoptions(**self._options)

    def __exit__(self, *error):
        set_printoptions(**self._before)
