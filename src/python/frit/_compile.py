"""compile() and explain()."""
import functools
import itertools
import threading

from frit import _core


def compile(function=None, *, backend="", fullgraph=False, dynamic=None, asynchronous=False):
    """Makes `function` one region: its ops are compiled after one recording.

    The function still runs at each call, so that its control flow stays right. Usable as a
    decorator, with or without options.

    backend: a name of list_backends(), several with commas between, first who is asked first; or a function that
    gets a frit.graph.Graph and returns a function of its inputs that gives its outputs, or None where it does not want
    the graph (see register_backend).
    fullgraph: a graph break is an error. dynamic: whether numbers and sizes are arguments from the
    first plan on (True), never (False), or once they were seen to change (None). asynchronous:
    plans are built on a worker thread, while calls go on eagerly.
    """
    if function is None:
        return functools.partial(compile, backend=backend, fullgraph=fullgraph, dynamic=dynamic,
                                 asynchronous=asynchronous)
    compiled = _core.Compiled(function, _backend_name(backend), fullgraph, dynamic, asynchronous)
    return functools.update_wrapper(compiled, function)


# By the ids of functions that were given as backends: these, which stay known to the plans that they have made, and
# their names.
_given = {}
_numbers = itertools.count()
_giving = threading.Lock()


def _backend_name(backend):
    if isinstance(backend, str):
        return backend
    with _giving:
        if id(backend) not in _given:
            name = f"{getattr(backend, '__qualname__', type(backend).__name__)}#{next(_numbers)}"
            register_backend(name, backend)
            _given[id(backend)] = backend, name
        return _given[id(backend)][1]


def register_backend(name, backend):
    """Makes compile(backend=name) call `backend` with the graph of each trace that gets hot.

    backend(graph) returns a function, which is called with an argument for each of graph.inputs and returns a Tensor for
    each of graph.outputs (one, or a tuple). Where it returns None, or raises NotImplementedError with a reason, the next
    backend of the list that was named gets the graph, or the ops run eagerly, as they do where it raises. The results
    must have the dtypes and shapes that the graph states; what the function is given it must not write to.
    frit.backends.normalized(backend) gets graphs of core ops, frit.backends.partitioned(backend, ops) parts of them.
    """
    from frit.backends import normalized, partitioned
    from frit.graph import Graph
    keep = ops = None
    if isinstance(backend, normalized):
        backend, keep = backend.compiler, backend.keep
    if isinstance(backend, partitioned):
        backend, ops = backend.compiler, backend.ops
    if not callable(backend):
        raise TypeError(f"register_backend(): not callable: {type(backend).__name__}")

    def compiler(core, guards, examples):
        graph = Graph(core, guards, examples)
        try:
            return backend(graph)
        finally:
            graph.examples = []  # a graph may be kept, and is not to keep a call's tensors alive

    _core._register_backend(name, compiler, ops, keep)


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
