#!/usr/bin/env python3
"""How fast networks run, against PyTorch eager, torch.jit and, where PyTorch has it, torch.compile.

    bazel build //src/python:package
    PYTHONPATH=bazel-bin/src/python/package /usr/bin/python3 bench/models_bench.py [--threads N] [NAME...]

The networks are those of network_models.py, on f32, with equal weights and inputs. All ways alternate in one process; a figure
is the median of the clock's time of a call (of gpt_decode: of one word). Before that, results are held against PyTorch's. Where
only one of PyTorch and Frit can be imported, it is measured alone.
PyTorch needs a BLAS that is no mere reference: Debian's package libopenblas0-pthread, or what lies in the folder that --blas
names.
"""
import argparse
import collections
import importlib
import json
import statistics
import sys
import time
import warnings

import network_models
import openblas

ROUNDS = 9
ROUND_SECONDS = 0.05  # at least
WARM_UP = 12  # calls


def imported(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def ways_of_torch(torch, network):
    """{name of the way: call without arguments}"""
    traced = torch.jit.freeze(torch.jit.trace(network.module, network.inputs, check_trace=False))
    ways = {"torch": network, "torch.jit": lambda: network(traced)}
    if hasattr(torch, "compile"):
        compiled = torch.compile(network.module)
        ways["torch.compile"] = lambda: network(compiled)
    return ways


def ways_of_frit(frit, network):
    def run(mode):
        frit.set_jit_mode(mode)
        return network()
    return {"frit eager": lambda: run("off"), "frit hot": lambda: run("on")}


def give_values(frit, ours, theirs):
    """PyTorch's weights and inputs to Frit's network."""
    with frit.no_grad():
        state = ours.module.state_dict()
        for key, value in theirs.module.state_dict().items():
            state[key].copy_(frit.tensor(value.numpy()))
    ours.inputs = tuple(frit.tensor(x.numpy()) for x in theirs.inputs)


def ways_of(torch, frit, name):
    """All ways, and the number of steps in a call."""
    theirs = torch and network_models.make(torch)[name]()
    ours = frit and network_models.make(frit)[name]()
    if theirs and ours:
        give_values(frit, ours, theirs)
    ways = {**(ways_of_torch(torch, theirs) if theirs else {}), **(ways_of_frit(frit, ours) if ours else {})}
    return ways, (theirs or ours).steps


def check(name, ways):
    first, *_ = results = [way().flatten().tolist() for way in ways.values()]
    allowed = 1e-3 * max(1, *map(abs, first))
    for way, result in zip(ways, results):
        far = max(abs(a - b) for a, b in zip(first, result, strict=True))
        if not far <= allowed:
            sys.exit(f"models_bench: {name}: {way} is off by {far:g}")


def batch(call, count):
    start = time.perf_counter_ns()
    for _ in range(count):
        call().data_ptr()  # what nobody looks at need not be computed
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
        best = min((ns for way, ns in times.items() if way.startswith("torch")), default=float("nan"))
        ratio = best / times.get("frit hot", float("nan"))
        print(f"{name:14}" + "".join(f"{ns / 1e3:15.1f}" for ns in times.values()) + f"{ratio:10.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--blas", default=openblas.FOLDER)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    openblas.start_again_with(arguments.blas, arguments.threads)
    warnings.simplefilter("ignore")
    torch, frit = imported("torch"), imported("frit")
    if torch and not openblas.loaded(torch):
        sys.exit(f"models_bench: {openblas.WITHOUT}")
    for module in filter(None, (torch, frit)):
        module.set_num_threads(arguments.threads)
        module.set_grad_enabled(False)
    names = arguments.names or network_models.NAMES
    results = {name: measure(torch, frit, name) for name in names}
    if arguments.json:
        print(json.dumps({"torch": torch and torch.__version__, "threads": arguments.threads, "results": results}))
    else:
        print_table(results)


if __name__ == "__main__":
    main()
