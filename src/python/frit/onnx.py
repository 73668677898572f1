"""Export to ONNX: refused. Frit reads ONNX files in C++ (frit/onnx.h)."""
from frit._refuse import refusing

_WHY = "exporting to ONNX is not supported"
export = refusing("onnx.export", _WHY)
register_custom_op_symbolic = refusing("onnx.register_custom_op_symbolic", _WHY)


def is_in_onnx_export():
    """False: nothing is exported."""
    return False
