"""Graphs as ONNX models, and onnxruntime as a backend.

A backend's frit.graph.Graph is written by save() or to_bytes(): what has no ONNX form raises NotImplementedError that
names it. compile(fn, backend="onnxruntime") runs graphs by onnxruntime's library, which is looked for when a graph is
first compiled; register_onnxruntime() says where it is. PyTorch's export of modules is refused.
"""
from frit import _core
from frit._refuse import refusing

_WHY = "exporting a module is not supported: compile() it with a backend that calls frit.onnx.save(graph, path)"
export = refusing("onnx.export", _WHY)
register_custom_op_symbolic = refusing("onnx.register_custom_op_symbolic", _WHY)


def is_in_onnx_export():
    """False: modules are not exported."""
    return False


def to_bytes(graph):
    """A frit.graph.Graph as an ONNX model of opset 17, in bytes."""
    return graph._core.onnx_bytes()


def save(graph, path):
    """Writes a frit.graph.Graph as an ONNX model of opset 17."""
    model = to_bytes(graph)
    with open(path, "wb") as file:
        file.write(model)


def register_onnxruntime(library=""):
    """Makes compile(backend="onnxruntime") load `library`, a file; "": where the system's loader finds it.

    Returns its version. Raises RuntimeError where it is missing or too old.
    """
    version = _core._onnxruntime_version(library)
    _core._register_onnxruntime(library)
    return version
