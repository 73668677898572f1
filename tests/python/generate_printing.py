"""Writes printing.jsonl: tensors, options and how PyTorch prints them.

    python3 generate_printing.py      # needs PyTorch; the file is committed

Each line is [options, expression, text]: set_printoptions(**options), then repr() of the expression, or the expression
itself where it is a str.
"""
import json
import os
import random

import torch

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int64", "int32", "int16", "int8", "uint8")
NAN, INF = "nan", "inf"


def numbers(kind, count, rng):
    """`count` numbers of a kind, as texts."""
    def any_of(*texts):
        return [rng.choice(texts) for _ in range(count)]

    if kind == "unit":
        return [f"{rng.uniform(-1, 1):.6g}" for _ in range(count)]
    if kind == "whole":
        return [f"{rng.randint(-90, 90)}." for _ in range(count)]
    if kind == "far apart":
        return [f"{rng.uniform(1, 9) * 10 ** rng.randint(-7, 7):.5g}" for _ in range(count)]
    if kind == "near the switch":
        return any_of("1.", "1000.", "1001.", "999.5", "0.001", "1e-4", "9.9e-5", "1e8", "100000001.", "0.")
    if kind == "tiny":
        return [f"{rng.uniform(1, 9):.4g}e-6" for _ in range(count)]
    if kind == "special":
        return any_of(NAN, INF, "-" + INF, "0.", "-0.", "1.", "2.5")
    if kind == "not finite":
        return any_of(NAN, INF, "-" + INF, "0.", "-0.")
    return [str(rng.randint(0, 120)) for _ in range(count)]


def nested(texts, shape):
    if not shape:
        return texts.pop(0)
    return "[" + ", ".join(nested(texts, shape[1:]) for _ in range(shape[0])) + "]"


def literal(kind, shape, dtype, rng):
    count = 1
    for size in shape:
        count *= size
    values = nested(numbers(kind, count, rng), shape)
    return f"torch.tensor({values}, dtype=torch.{dtype})"


SHAPES = ((), (1,), (3,), (7,), (30,), (1, 1), (2, 3), (5, 13), (2, 1, 3), (2, 2, 2, 2))
SIZED = ("torch.zeros(0)", "torch.zeros(0, 3)", "torch.zeros(2, 0, 4)", "torch.zeros(3, 0, dtype=torch.int64)",
         "torch.zeros(0, dtype=torch.bool)", "torch.zeros(1, 0, dtype=torch.float16)")
LARGE = ("torch.arange(1000)", "torch.arange(1001)", "torch.arange(1001.)", "torch.arange(2000).reshape(2, 1000)",
         "torch.arange(1200).reshape(300, 4)", "torch.arange(3000.).reshape(10, 10, 30) / 7",
         "torch.arange(3000, dtype=torch.int16).reshape(10, 10, 30)", "torch.arange(1001) % 2 == 0",
         "torch.arange(1500, dtype=torch.float64).reshape(3, 500) * 1e6", "torch.arange(1400).reshape(7, 2, 100).half()",
         "torch.arange(2048.).reshape(2, 2, 2, 256)", "torch.arange(1008.).reshape(7, 144).bfloat16()")
OPTIONS = ({"precision": 0}, {"precision": 2}, {"precision": 10}, {"threshold": 5}, {"threshold": 5, "edgeitems": 1},
           {"threshold": 0, "edgeitems": 2}, {"linewidth": 20}, {"linewidth": 41}, {"linewidth": 200}, {"profile": "short"},
           {"profile": "full"}, {"sci_mode": True}, {"sci_mode": False}, {"sci_mode": True, "precision": 1, "linewidth": 30},
           {"profile": "short", "precision": 3, "sci_mode": False, "threshold": 10})
FORMATS = ('f"{torch.tensor(1.5)}"', 'f"{torch.tensor(1.5):8.3f}"', 'f"{torch.tensor(7):04d}"', 'f"{torch.tensor(True)}"',
           'f"{torch.tensor([1.5, 2])}"', 'str(torch.tensor([1, 2]))', '"%s" % torch.zeros(2, 2)',
           'f"{torch.tensor(0.1, dtype=torch.float64)!r}"', '"{:>40}".format(str(torch.ones(3)))',
           'f"{torch.tensor(0.1, dtype=torch.bfloat16)}"', 'repr([torch.ones(1), (torch.zeros(1),)])')
MARKED = ("torch.ones(2, requires_grad=True)", "torch.ones(11, dtype=torch.float64, requires_grad=True)",
          "torch.nn.Parameter(torch.ones(2, 2))", "torch.nn.Parameter(torch.ones(13), requires_grad=False)",
          "torch.ones(2).to(torch.float64).t()", "torch.arange(6).reshape(2, 3).t()", "torch.arange(9)[::2]",
          "torch.ones(1).expand(3, 2)")


def cases():
    rng = random.Random(7)
    kinds = ("unit", "whole", "far apart", "near the switch", "tiny", "special", "not finite")
    for shape in SHAPES:
        for dtype in FLOATS:
            for kind in kinds:
                yield {}, literal(kind, shape, dtype, rng)
        for dtype in INTS:
            yield {}, literal("ints", shape, dtype, rng)
        yield {}, literal("ints", shape, "int64", rng) + " % 2 == 0"
    for width in range(2, 14):  # where the dtype's name meets the end of the line
        yield {}, f"torch.zeros({width}, dtype=torch.float64)"
        yield {}, f"torch.zeros({width + 10}, dtype=torch.int16)"
        yield {"linewidth": 30 + width}, "torch.ones(4, dtype=torch.float64)"
    for expression in SIZED + LARGE + FORMATS + MARKED:
        yield {}, expression
    for options in OPTIONS:
        for expression in LARGE[1:6] + MARKED[:3] + FORMATS[4:6]:
            if "reshape(300, 4)" not in expression or options.get("profile") != "full":
                yield options, expression
        for shape in ((), (6,), (3, 5), (2, 2, 4)):
            for kind in kinds:
                yield options, literal(kind, shape, rng.choice(FLOATS), rng)
            yield options, literal("ints", shape, rng.choice(INTS), rng)


def text_of(options, expression):
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    value = eval(expression, {"torch": torch, "nan": float("nan"), "inf": float("inf")})
    return value if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "printing.jsonl"), "w") as file:
        for options, expression in cases():
            text = text_of(options, expression)
            if len(text) < 6000:
                file.write(json.dumps([options, expression, text]) + "\n")
