"""PyTorch's graphs of Python code: classes to derive from exist, tracing is refused."""
from frit._refuse import refusing, refusing_class
from frit.nn import Module

_WHY = "graphs of Python code are not supported: frit.explain() shows what was compiled"


def wrap(fn_or_name):
    """Gives the function back."""
    return fn_or_name


symbolic_trace = refusing("fx.symbolic_trace", _WHY)
replace_pattern = refusing("fx.replace_pattern", _WHY)
Tracer = refusing_class("fx.Tracer", _WHY)
Graph = refusing_class("fx.Graph", _WHY)
Node = refusing_class("fx.Node", _WHY)
Proxy = refusing_class("fx.Proxy", _WHY)
Interpreter = refusing_class("fx.Interpreter", _WHY)
Transformer = refusing_class("fx.Transformer", _WHY)
GraphModule = refusing_class("fx.GraphModule", _WHY, (Module,))
