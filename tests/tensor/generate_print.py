"""Writes print.txt: tensors and how PyTorch prints them.

    python3 generate_print.py         # needs PyTorch; the file is committed

Each entry is a line `dtype sizes values`, the printed lines, and a line `---`. Without values the elements
are 0, 1, 2, ...
"""
import os
import re

import torch

NAMES = {torch.float64: "f64", torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16",
         torch.int64: "i64", torch.int32: "i32", torch.int16: "i16", torch.int8: "i8",
         torch.uint8: "u8", torch.bool: "bool"}
INF, NAN = float("inf"), float("nan")


def tensors():
    f = torch.tensor
    yield from (f(1.5), f(-2), f(True), f(NAN), f(3.0), f(1e-9), f(12345.678, dtype=torch.float64))
    yield from (torch.zeros(0), torch.zeros(0, 3), torch.zeros(2, 0, 4, dtype=torch.int64),
                torch.zeros(0, dtype=torch.bool), torch.zeros(3, 0, dtype=torch.float64))
    yield from (f([1.0, 2, 3]), f([1.0, 2.5, 3]), f([0.0, -0.0]), f([1e-5, 1.0]), f([1e-3, 1.0]),
                f([1.0, 1000.0]), f([1.0, 1001.0]), f([1.0, 1e9]), f([2e8]), f([99999.5]),
                f([INF, -INF, NAN]), f([INF, 1.0, NAN]), f([INF, 1.5, -NAN]), f([INF, 1e10, 1.0]),
                f([-1.25, 100.0, 0.0]), f([1e-4, 0.5]), f([9.9e-5]))
    yield from (f([1, -22, 333]), f([True, False]), f([[1, 2], [3, 4]], dtype=torch.int8),
                f([200, 3], dtype=torch.uint8), f([1, 2], dtype=torch.int32), f([5], dtype=torch.int16))
    yield from (f([1.5, 2], dtype=torch.float64), f([0.1, 65504], dtype=torch.float16),
                f([0.1, 3e38], dtype=torch.bfloat16), f([1e300, 1.0], dtype=torch.float64))
    torch.manual_seed(0)
    yield from (torch.randn(3, 4), torch.randn(2, 3, 4), torch.randn(2, 1, 2, 3), torch.randn(40),
                torch.randn(3, 17), torch.randn(5, 5, dtype=torch.float64) * 1e4,
                torch.randint(-99, 99, (30,)), torch.randn(26).half())
    yield torch.tensor([[[[[1.0, 2.0]]]]])
    for dtype in (torch.float32, torch.int64):
        yield torch.arange(1000, dtype=dtype)
        yield torch.arange(1001, dtype=dtype)
        yield torch.arange(2000, dtype=dtype).reshape(2, 1000)
        yield torch.arange(1200, dtype=dtype).reshape(300, 4)
        yield torch.arange(3000, dtype=dtype).reshape(10, 10, 30)
    yield torch.arange(1008, dtype=torch.float64).reshape(7, 144)
    yield torch.arange(1200, dtype=torch.int32).reshape(1, 8, 150)


def values(t):
    flat = t.flatten()
    if t.numel() >= 1000:
        return ""
    if t.is_floating_point():
        return " ".join(repr(float(v)) for v in flat)
    return " ".join(str(int(v)) for v in flat)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "print.txt"), "w") as file:
        for t in tensors():
            text = re.sub(r"dtype=torch\.", "dtype=", repr(t))
            file.write(f"{NAMES[t.dtype]} [{','.join(map(str, t.shape))}] {values(t)}\n{text}\n---\n")
