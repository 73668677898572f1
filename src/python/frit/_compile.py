"""compile() and explain()."""
import functools

from frit import _core


def compile(function=None, *, backend="", fullgraph=False, dynamic=None, asynchronous=False):
    """Makes `function` one region: its ops are compiled after one recording.

    The function still runs at each call, so that its control flow stays right. Usable as a
    decorator, with or without options.

    fullgraph: a graph break is an error. dynamic: whether numbers and sizes are arguments from the
    first plan on (True), never (False), or once they were seen to change (None). asynchronous:
    plans are built on a worker thread, while calls go on eagerly.
    """
    if function is None:
        return functools.partial(compile, backend=backend, fullgraph=fullgraph, dynamic=dynamic,
                                 asynchronous=asynchronous)
    compiled = _core.Compiled(function, backend, fullgraph, dynamic, asynchronous)
    return functools.update_wrapper(compiled, function)


def _parsed(text):
    import json  # here, since `import frit` is to be quick
    return json.loads(text)


class Explanation:
    """What became of a function's ops. str() is for people, `data` the same as dicts and lists."""

    def __init__(self, text, data):
        self.text = text
        self.data = data

    def __str__(self):
        return self.text

    __repr__ = __str__


def explain(function=None):
    """explain(fn)(*args) runs fn four times as a region and says what came of it.

    explain() without a function: of all plans of the process.
    """
    if function is None:
        text, data = _core._explain(None)
        return Explanation(text, _parsed(data))
    compiled = function if isinstance(function, _core.Compiled) else compile(function)

    def run(*args, **kwargs):
        for _ in range(4):
            compiled(*args, **kwargs)
        text, data = _core._explain(compiled)
        return Explanation(text, _parsed(data))

    return run
