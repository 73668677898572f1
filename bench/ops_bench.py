#!/usr/bin/env python3
"""How fast each op of the table runs, over PyTorch's eager speed: eagerly and compiled.

    bazel build //src/python:package
    PYTHONPATH=bazel-bin/src/python/package /usr/bin/python3 bench/ops_bench.py [--sizes 64,65536] [OP...]

Rows come from src/ops/ops.def; CALLS says how those are called that take more than elementwise
operands. All on f32 (integers where the row asks for them), one thread, on 64, 4K, 64K and 4M elements.
The three alternate in batches of one process, one for each op and size, so that no memory is left
over from the last one; a figure is PyTorch's median of the processor's time over Frit's, so 2 is twice
as fast. Means are geometric; transcendental ops and memory-bound sizes are listed apart. With --json:
everything, as one object.

PyTorch's products count only with OpenBLAS. Where Debian's alternative names another BLAS but
libopenblas0-pthread is installed, the program starts itself again with that in front (or with the
folder that --blas names).
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import math
import multiprocessing
import os
import pathlib
import re
import statistics
import sys
import time
import types
import warnings

import torch

import frit

import openblas

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = (64, 4096, 65536, 1 << 22)
LARGE = 1 << 22  # out of cache: memory-bound
ROUNDS, FEW_ROUNDS = 7, 3
LONG_NS = 100_000_000  # a call that is timed in few rounds
BATCH_NS = 400_000  # at least, per round
SLOW = 0.7

Row = collections.namedtuple("Row", "name family operands dtype tolerance")


def read_table():
    """The rows of ops.def."""
    rows = []
    for line in (ROOT / "src/ops/ops.def").read_text().splitlines():
        match = re.match(r"FRIT_(UNARY|BINARY|PARAMETRIC|TERNARY|CORE|COMPOSITE)\((.*)", line)
        if match is None:
            continue
        kind, rest = match.groups()
        fields = [field.strip() for field in rest.split(", ")]
        if kind == "CORE":
            rows.append(Row(fields[0], fields[1][1:].lower(), fields[2], fields[4], fields[6]))
        elif kind == "COMPOSITE":
            rows.append(Row(fields[0], "composite", fields[1], fields[3], fields[4]))
        else:
            operands = {"UNARY": 1, "BINARY": 2, "PARAMETRIC": 2, "TERNARY": 3}[kind]
            rows.append(Row(fields[0], kind.lower(), operands, fields[1], fields[2]))
    return rows


def is_transcendental(row):
    return row.family in ("unary", "binary") and row.tolerance != "exact"


class Operands:
    """What the calls are made of: matrices x, y, z of n elements, all in (-1, 1), and what fits them."""

    def __init__(self, n, dtype):
        torch.manual_seed(n)
        rows = 1 << (n.bit_length() - 1) // 2
        shape = rows, n // rows
        if dtype.is_floating_point:
            self.x, self.y, self.z = (torch.rand(shape, dtype=dtype) * 1.9 - 0.95 for _ in range(3))
        else:
            self.x, self.y, self.z = (torch.randint(1, 9, shape, dtype=dtype) for _ in range(3))
        self.mask = self.z > 0
        self.square = self.x[:, :rows].contiguous()
        self.row, self.other_row = self.x[0].clone(), self.y[0].clone()
        self.positive = self.y[0].abs()
        self.rows = torch.randint(0, rows, (rows,))
        self.places = torch.randint(0, rows, shape)
        self.flat, self.other_flat = self.x.flatten(), self.y.flatten()
        side = 1 << max((n.bit_length() - 1 - 4) // 2, 1)
        channels = max(n // side // side, 1)
        self.image = self.flat.reshape(1, channels, side, -1)
        self.filters = torch.rand(channels, min(channels, 64), 3, 3) - 0.5
        self.volume = self.image[:, :self.filters.shape[1]].contiguous()
        self.ints = (self.x * 100).int()
        self.bias = self.x[0].clone()

    def as_frit(self):
        copy = types.SimpleNamespace()
        for name, value in vars(self).items():
            setattr(copy, name, frit.from_numpy(value.numpy()).clone())
        return copy


# m is torch or frit, f its nn.functional, t an Operands.
CALLS = {
    "where": lambda m, f, t: m.where(t.mask, t.x, t.y),
    "cast": lambda m, f, t: t.x.to(m.float64),
    **{name: lambda m, f, t, name=name: getattr(m, name)(t.x, -1)
       for name in ("sum", "prod", "amax", "amin", "argmax", "argmin", "cumsum", "cumprod", "cummax", "cummin",
                    "logcumsumexp", "mean", "var", "logsumexp", "softmax", "log_softmax", "any", "all", "sort",
                    "unsqueeze")},
    "norm": lambda m, f, t: m.norm(t.x, 2, -1),
    "glu": lambda m, f, t: f.glu(t.x, -1),
    "reshape": lambda m, f, t: t.x.reshape(-1),
    "view": lambda m, f, t: t.x.view(-1),
    "permute": lambda m, f, t: t.x.permute(1, 0),
    "expand": lambda m, f, t: t.row.expand(4, -1),
    "slice": lambda m, f, t: t.x[1:],
    "select": lambda m, f, t: t.x.select(0, 1),
    "squeeze": lambda m, f, t: t.x.squeeze(),
    "as_strided": lambda m, f, t: t.x.as_strided((2, 2), (1, 2)),
    "contiguous": lambda m, f, t: t.x.t().contiguous(),
    "flip": lambda m, f, t: m.flip(t.x, (1,)),
    "cat": lambda m, f, t: m.cat((t.x, t.y), 1),
    "pad": lambda m, f, t: f.pad(t.x, (1, 1)),
    "index_select": lambda m, f, t: m.index_select(t.x, 0, t.rows),
    "gather": lambda m, f, t: m.gather(t.x, 0, t.places),
    "index": lambda m, f, t: t.x[t.rows],
    "scatter": lambda m, f, t: m.scatter(t.x, 0, t.places, t.y),
    "scatter_add": lambda m, f, t: m.scatter_add(t.x, 0, t.places, t.y),
    "scatter_reduce": lambda m, f, t: m.scatter_reduce(t.x, 0, t.places, t.y, "amax"),
    "index_put": lambda m, f, t: m.index_put(t.x, (t.rows,), t.y),
    "index_add": lambda m, f, t: m.index_add(t.x, 0, t.rows, t.y),
    "index_copy": lambda m, f, t: m.index_copy(t.x, 0, t.rows, t.y),
    "index_fill": lambda m, f, t: m.index_fill(t.x, 0, t.rows, 1.0),
    "searchsorted": lambda m, f, t: m.searchsorted(t.positive, t.x),
    "topk": lambda m, f, t: m.topk(t.x, 4),
    "matmul": lambda m, f, t: m.matmul(t.square, t.square),
    "addmm": lambda m, f, t: m.addmm(t.bias, t.square, t.x),
    "baddbmm": lambda m, f, t: m.baddbmm(t.x[None], t.square[None], t.x[None]),
    "linear": lambda m, f, t: f.linear(t.x, t.y),
    "convolution": lambda m, f, t: f.conv2d(t.volume, t.filters, None, 1, 1),
    "conv_transpose": lambda m, f, t: f.conv_transpose2d(t.image, t.filters, None, 1, 1),
    "max_pool2d": lambda m, f, t: f.max_pool2d(t.image, 2),
    "avg_pool2d": lambda m, f, t: f.avg_pool2d(t.image, 2),
    "max_pool": lambda m, f, t: f.max_pool2d(t.image, 2, return_indices=True),
    "avg_pool": lambda m, f, t: f.avg_pool3d(t.image, 2),
    "adaptive_avg_pool": lambda m, f, t: f.adaptive_avg_pool2d(t.image, 2),
    "adaptive_max_pool": lambda m, f, t: f.adaptive_max_pool2d(t.image, 2),
    "interpolate": lambda m, f, t: f.interpolate(t.image, scale_factor=2.0, mode="bilinear"),
    "full": lambda m, f, t: m.full(t.x.shape, 1.5),
    "arange": lambda m, f, t: m.arange(0.0, t.x.shape[0] * t.x.shape[1]),
    "store": lambda m, f, t: t.z.copy_(t.y),
    "cdist": lambda m, f, t: m.cdist(t.x[:, :16], t.y[:, :16]),
    "cosine_similarity": lambda m, f, t: f.cosine_similarity(t.x, t.y, -1),
    "cross": lambda m, f, t: m.cross(t.x[:3], t.y[:3], 0),
    "clamp": lambda m, f, t: m.clamp(t.x, -0.5, 0.5),
    "clamp_min": lambda m, f, t: m.clamp_min(t.x, -0.5),
    "clamp_max": lambda m, f, t: m.clamp_max(t.x, 0.5),
    "addcmul": lambda m, f, t: m.addcmul(t.x, t.y, t.z, value=0.5),
    "addcdiv": lambda m, f, t: m.addcdiv(t.x, t.y, t.z, value=0.5),
    "lerp": lambda m, f, t: m.lerp(t.x, t.y, 0.3),
    "polygamma": lambda m, f, t: m.polygamma(2, t.x),
    "trunc_divide": lambda m, f, t: m.div(t.x, t.y, rounding_mode="trunc"),
    "isclose": lambda m, f, t: m.isclose(t.x, t.y),
    "round_decimals": lambda m, f, t: m.round(t.x, decimals=2),
    "threshold": lambda m, f, t: f.threshold(t.x, 0.1, 0.2),
    "prelu": lambda m, f, t: f.prelu(t.x, t.row),
    "masked_fill": lambda m, f, t: m.masked_fill(t.x, t.mask, 0.5),
    "embedding": lambda m, f, t: f.embedding(t.rows, t.x),
    "layer_norm": lambda m, f, t: f.layer_norm(t.x, t.x.shape[1:], t.row, t.other_row),
    "rms_norm": lambda m, f, t: f.rms_norm(t.x, t.x.shape[1:], t.row),
    "batch_norm": lambda m, f, t: f.batch_norm(t.x, t.row, t.positive, t.row, t.other_row),
    "group_norm": lambda m, f, t: f.group_norm(t.image, 1),
    "scaled_dot_product_attention":
        lambda m, f, t: m._C._nn._scaled_dot_product_attention(t.x[None], t.y[None], t.z[None])[0]
        if m is torch else f.scaled_dot_product_attention(t.x[None], t.y[None], t.z[None]),
    **{name: lambda m, f, t, name=name: getattr(f, name)(t.x, t.y, reduction="none")
       for name in ("mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits", "kl_div")},
    "binary_cross_entropy":
        lambda m, f, t: f.binary_cross_entropy(m.abs(t.x), m.abs(t.y), reduction="none"),
    # Names that are no rows of their own, but are used as if they were.
    "hardtanh": lambda m, f, t: f.hardtanh(t.x),
}
EXTRA = [Row("hardtanh", "composite", 1, "Number", "exact")]
PRODUCTS = ("contract",)
PRODUCT_NAMES = ("linear", "baddbmm", "scaled_dot_product_attention", "cdist")


class NotTimed(Exception):
    pass


def find(m, name):
    for place in (m, m.nn.functional, m.special, m.Tensor):
        if callable(getattr(place, name, None)):
            return getattr(place, name)
    raise NotTimed(f"{m.__name__} has no such name")


def bound(m, row, t):
    """The call, without arguments."""
    if row.name in CALLS:
        return lambda: CALLS[row.name](m, m.nn.functional, t)
    function = find(m, row.name)
    x, y = t.x, t.y
    if row.operands in (2, "2") and row.family == "binary":
        return lambda: function(x, y)
    return lambda: function(x)


def operands(row, n):
    """Operands of which the op makes numbers, if it can."""
    t = Operands(n, torch.int32 if row.dtype == "Integral" else torch.float32)
    if row.name in CALLS or row.dtype == "Integral":
        return t
    for shift in (0, 1):
        result = bound(torch, row, t)()
        if not (result.is_floating_point() and result.isnan().any()):
            break
        t.x, t.y = t.x.abs() + shift, t.y.abs() + shift
    return t


def batch(function, count):
    start = time.process_time_ns()
    for _ in itertools.repeat(None, count):
        function()
    return (time.process_time_ns() - start) / count


def count_for(function):
    count = 1
    while True:
        took = batch(function, count) * count
        if took >= BATCH_NS or count >= 1 << 20:
            return count
        count = min(max(count * 2, int(count * BATCH_NS / max(took, 1)) + 1), count * 64)


def measure(row, n):
    """Medians in ns: torch, eager, hot."""
    t = operands(row, n)
    theirs, ours = bound(torch, row, t), bound(frit, row, t.as_frit())
    compiled = frit.compile(ours)
    modes = {"torch": (theirs, "off"), "eager": (ours, "off"), "hot": (compiled, "on")}
    counts, times, rounds = {}, collections.defaultdict(list), ROUNDS
    for name, (function, jit) in modes.items():
        frit.set_jit_mode(jit)
        for _ in range(8 if jit == "on" else 1):
            took = batch(function, 1)
        if took > LONG_NS:
            rounds = FEW_ROUNDS
        counts[name] = count_for(function)
    for _ in range(rounds):
        for name, (function, jit) in modes.items():
            frit.set_jit_mode(jit)
            times[name].append(batch(function, counts[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def measure_apart(row, n):
    """The same in a process of its own."""
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as process:
        return process.submit(measure, row, n).result()


def is_product(row):
    return row.family in PRODUCTS or row.name in PRODUCT_NAMES


def mean(values):
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def run(rows, sizes, left_out):
    """[(row, n, times)], and {name: reason} of what was not timed."""
    results, reasons = [], {}
    for row in rows:
        if is_product(row) and left_out:
            reasons[row.name] = left_out
            continue
        for n in sizes:
            try:
                results.append((row, n, measure_apart(row, n)))
            except Exception as error:
                reasons[row.name] = f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
                break
    return results, reasons


def speedup(times, mode):
    return times["torch"] / times[mode]


def print_means(title, results):
    if not results:
        return
    by_size = {n: [r for r in results if r[1] == n] for n in sorted({r[1] for r in results})}
    cells = [f"{mean(speedup(t, mode) for _, _, t in part):.2f}" for mode in ("eager", "hot")
             for part in (*by_size.values(), results)]
    print(f"| {title} | " + " | ".join(cells) + " |")


def kind_of(result):
    row, n, _ = result
    if is_transcendental(row):
        return "transcendental"
    return "memory-bound" if n >= LARGE else "other"


def print_slow(mode, results):
    slow = [result for result in results if speedup(result[2], mode) < SLOW]
    print(f"\nBelow {SLOW}, {mode}: {len(slow)} of {len(results)}\n")
    for result in sorted(slow, key=lambda result: (kind_of(result), speedup(result[2], mode))):
        row, n, t = result
        print(f"- {kind_of(result)}: {row.name}, {n} elements: {speedup(t, mode):.2f} "
              f"(PyTorch {t['torch']:.0f} ns, Frit {t[mode]:.0f} ns)")


def print_report(results, reasons):
    sizes = sorted({n for _, n, _ in results})
    names = [f"{mode} {n}" for mode in ("eager", "hot") for n in (*sizes, "all")]
    print("Speed over PyTorch's, geometric means.\n\n| family | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for family in dict.fromkeys(row.family for row, _, _ in results):
        print_means(family, [r for r in results if r[0].family == family])
    for kind in ("transcendental", "memory-bound", "other"):
        print_means(kind, [r for r in results if kind_of(r) == kind])
    print_means("all", results)
    for mode in ("eager", "hot"):
        print_slow(mode, results)
    print("\nNot timed:\n")
    for name, reason in reasons.items():
        print(f"- {name}: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--blas", default=openblas.FOLDER)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    openblas.start_again_with(options.blas, threads=1)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    frit.set_num_threads(1)
    rows = [row for row in read_table() + EXTRA if not options.names or row.name in options.names]
    left_out = "" if openblas.loaded(torch) else openblas.WITHOUT
    results, reasons = run(rows, [int(n) for n in options.sizes.split(",")], left_out)
    if options.json:
        print(json.dumps({"results": [{"op": row.name, "family": row.family, "elements": n,
                                       "transcendental": is_transcendental(row), **times}
                                      for row, n, times in results], "not_timed": reasons}))
    else:
        print_report(results, reasons)
    return 0


if __name__ == "__main__":
    sys.exit(main())
