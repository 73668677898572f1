#!/usr/bin/env python3
"""What an op call costs from Python, over the same call from C++.

    bazel build //src/python:package //bench:dispatch_bench
    PYTHONPATH=bazel-bin/src/python/package python3 bench/python_bench.py

Chains on 16 elements, as in bench/dispatch_bench, which runs between two halves of these
measurements: abs where nothing is compiled, relu where all is. Times are the processor's, medians;
the loop around is taken off. x + b stands against the same abs, whose kernel costs the same.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import time

import frit

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHAIN = 20
GOAL = 80  # ns over the C++ call
REPETITIONS = 9


def loop(x, b):
    for _ in range(CHAIN):
        x = b
    return x


def operator_abs(x, b):
    for _ in range(CHAIN):
        x = abs(x)
    return x


def operator_add(x, b):
    for _ in range(CHAIN):
        x = x + b
    return x


def function_abs(x, b):
    function = frit.abs
    for _ in range(CHAIN):
        x = function(x)
    return x


def method_relu(x, b):
    for _ in range(CHAIN):
        x = x.relu()
    return x


COLD = {"abs(x)": operator_abs, "x + b": operator_add, "frit.abs(x)": function_abs,
        "x.relu()": method_relu}
MATCHED = {"x.relu(), matched": method_relu, "x + b, matched": operator_add}


def time_per_op(function, x, b, calls=2000):
    start = time.process_time_ns()
    for _ in range(calls):
        function(x, b)
    return (time.process_time_ns() - start) / calls / CHAIN


def measure_python(times):
    x, b = frit.full((16,), 1.5), frit.full((16,), 0.5)
    compiled = {name: frit.compile(function) for name, function in MATCHED.items()}
    for _ in range(REPETITIONS):
        frit.set_jit_mode("off")
        for name, function in {"loop": loop, **COLD}.items():
            times.setdefault(name, []).append(time_per_op(function, x, b))
        frit.set_jit_mode("on")
        for name, function in compiled.items():
            time_per_op(function, x, b, calls=10)
            times.setdefault(name, []).append(time_per_op(function, x, b))


def measure_cpp():
    command = [ROOT / "bazel-bin/bench/dispatch_bench", "--benchmark_filter=BM_ColdOp/observed:0|BM_MatchedOp",
               "--benchmark_format=json", "--benchmark_repetitions=9",
               "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.05"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    runs = json.loads(output)["benchmarks"]
    return {run["run_name"]: run["cpu_time"] / CHAIN for run in runs
            if run["aggregate_name"] == "median"}


def main():
    times = {}
    measure_python(times)
    cpp = measure_cpp()
    measure_python(times)
    median = {name: statistics.median(values) for name, values in times.items()}
    loop = median.pop("loop")
    short = False
    print(f"{'call':18}{'Python ns':>10}{'C++ ns':>8}{'over ns':>8}{'ratio':>7}")
    for name, ns in median.items():
        own = ns - loop
        base = cpp["BM_MatchedOp" if "matched" in name else "BM_ColdOp/observed:0"]
        short |= own - base > GOAL
        print(f"{name:18}{own:10.1f}{base:8.1f}{own - base:8.1f}{own / base:7.2f}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
