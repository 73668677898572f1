"""Names for annotations."""
import builtins
from typing import List, Sequence, Tuple, Union

from frit._core import Size, Tensor, dtype
from frit._types import device, layout

_int, _float, _bool = builtins.int, builtins.float, builtins.bool
Number = Union[builtins.int, builtins.float, builtins.bool]
_dtype, _device, _layout = dtype, device, layout
_size = Union[Size, List[builtins.int], Tuple[builtins.int, ...]]
Device = Union[device, builtins.str, builtins.int, None]
_TensorOrTensors = Union[Tensor, Sequence[Tensor]]
