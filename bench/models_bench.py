#!/usr/bin/env python3
"""How fast networks run, against PyTorch eager, torch.jit and, where PyTorch has it, torch.compile.

    bazel build //src/python:package
    PYTHONPATH=bazel-bin/src/python/package /usr/bin/python3 bench/models_bench.py [--threads N] [NAME...]

The networks are those of network_models.py, on f32, with equal weights and inputs. All ways alternate in one process; a figure
is the median of the clock's time of a call (of gpt_decode: of one word). Before that, results are held against PyTorch's.
PyTorch needs a BLAS that is no mere reference: Debian's package libopenblas0-pthread, or what lies in the folder that --blas
names.
"""
import argparse
import collections
import json
import statistics
import sys
import time
import warnings

import openblas

ROUNDS = 9
ROUND_SECONDS = 0.05  # at least
WARM_UP = 12  # calls


def exchange(torch, frit, name):
    """The same network in both."""
    theirs, ours = network_models.make(torch)[name](), network_models.make(frit)[name]()
    with frit.no_grad():
        state = ours.module.state_dict()
        for key, value in theirs.module.state_dict().items():
            state[key].copy_(frit.tensor(value.numpy()))
    ours.inputs = tuple(frit.tensor(x.numpy()) for x in theirs.inputs)
    return theirs, ours


def ways_of(torch, frit, name):
    """{name of the way: call without arguments}, and the number of steps in a call."""
    theirs, ours = exchange(torch, frit, name)
    traced = torch.jit.freeze(torch.jit.trace(theirs.module, theirs.inputs, check_trace=False))

    def eager():
        frit.set_jit_mode("off")
        return ours()

    def hot():
        frit.set_jit_mode("on")
        return ours()
    ways = {"torch": theirs, "torch.jit": lambda: theirs(traced)}
    if hasattr(torch, "compile"):
        compiled = torch.compile(theirs.module)
        ways["torch.compile"] = lambda: theirs(compiled)
    return {**ways, "frit eager": eager, "frit hot": hot}, ours.steps


def check(name, ways):
    first, *_ = results = [way() for way in ways.values()]
    for way, result in zip(ways, results):
        far = numpy.abs(first.numpy() - result.numpy()).max()
        if not far <= 1e-3 * max(1, numpy.abs(first.numpy()).max()):
            sys.exit(f"models_bench: {name}: {way} is off by {far:g}")


def batch(call, count):
    start = time.perf_counter_ns()
    for _ in range(count):
        call().numpy()  # what nobody reads need not be computed
    return (time.perf_counter_ns() - start) / count


def measure(torch, frit, name):
    """Medians in ns of a step, by way."""
    ways, steps = ways_of(torch, frit, name)
    check(name, ways)
    counts, times = {}, collections.defaultdict(list)
    for way, call in ways.items():
        batch(call, WARM_UP)
        counts[way] = max(1, int(ROUND_SECONDS * 1e9 / batch(call, 3)))
    for _ in range(ROUNDS):
        for way, call in ways.items():
            times[way].append(batch(call, counts[way]))
    return {way: statistics.median(values) / steps for way, values in times.items()}


def print_table(results):
    print(f"{'microseconds':14}" + "".join(f"{way:>15}" for way in next(iter(results.values()))) + "   best of PyTorch / hot")
    for name, times in results.items():
        best = min(ns for way, ns in times.items() if way.startswith("torch"))
        print(f"{name:14}" + "".join(f"{ns / 1e3:15.1f}" for ns in times.values()) + f"{best / times['frit hot']:10.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--blas", default=openblas.FOLDER)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    openblas.start_again_with(arguments.blas, arguments.threads)
    warnings.simplefilter("ignore")
    global numpy, network_models
    import numpy
    import torch
    import frit
    import network_models
    if not openblas.loaded(torch):
        sys.exit(f"models_bench: {openblas.WITHOUT}")
    torch.set_num_threads(arguments.threads)
    frit.set_num_threads(arguments.threads)
    names = arguments.names or list(network_models.make(frit))
    with torch.no_grad():
        results = {name: measure(torch, frit, name) for name in names}
    if arguments.json:
        print(json.dumps({"torch": torch.__version__, "threads": arguments.threads, "results": results}))
    else:
        print_table(results)


if __name__ == "__main__":
    main()
