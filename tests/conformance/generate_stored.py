"""Writes the samples of stored.py; needs PyTorch and Frit.

    PYTHONPATH=bazel-bin/src/python/package python3 tests/conformance/generate_stored.py \
        > tests/conformance/stored/samples.jsonl

Of each op that Frit has: the first small samples on which it agrees with PyTorch as they are (others
need PyTorch for a second opinion, or are listed as differences), and its error cases.
"""
import json
import random
import sys
import warnings

import opinfo_test
import stored

import frit

# How many samples of each dtype are stored, and how many elements their tensors may have together.
COUNTS = {"float32": 3, "float64": 1, "bfloat16": 1, "int64": 1, "bool": 1}
MOST_ELEMENTS = 60
MOST_ERRORS = 2


class NotStored(Exception):
    pass


def encode(torch, value):
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).split(".")[-1]
        if value.is_complex() or value.layout != torch.strided:
            raise NotStored
        value = value.detach().resolve_neg()
        if value.dim() > 32:  # NumPy has no more
            raise NotStored
        return stored.encode_array((value.float() if dtype == "bfloat16" else value).numpy(), dtype)
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).split(".")[-1]}
    if isinstance(value, tuple):
        return {"tuple": [encode(torch, v) for v in value]}
    if isinstance(value, list):
        return [encode(torch, v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise NotStored


def result(torch, value):
    if isinstance(value, (tuple, list)):
        return [result(torch, v) for v in value]
    return encode(torch, value)


def elements(value):
    if isinstance(value, dict) and "shape" in value:
        return len(value["bytes"]) // 4
    if isinstance(value, dict):
        return sum(map(elements, value.values()))
    return sum(map(elements, value)) if isinstance(value, list) else 1


def line_of(torch, op, dtype, sample):
    """The object of a sample, or None where it is not to be stored."""
    want, error = opinfo_test.outcome(op, sample.input, *sample.args, **sample.kwargs)
    try:
        line = {"op": op.name, "dtype": dtype,
                "args": encode(torch, [sample.input, *sample.args]),
                "kwargs": {key: encode(torch, v) for key, v in sample.kwargs.items()}}
        if error is None:
            line["want"] = result(torch, want)
        else:
            line["error"] = type(error).__name__
    except NotStored:
        return None
    return line if elements(line["args"]) + elements(line.get("want")) <= MOST_ELEMENTS else None


def agrees(function, line):
    frit.manual_seed(opinfo_test.SEED)
    try:
        got = function(*stored.to_frit(frit, line["args"]),
                       **{key: stored.to_frit(frit, v) for key, v in line["kwargs"].items()})
    except Exception as error:
        return any(c.__name__ == line.get("error") for c in type(error).__mro__)
    return "want" in line and stored.difference(frit, got, line["want"]) is None


def samples_of(torch, op):
    """(dtype, sample, how many of its kind are wanted)"""
    if op.error_inputs_func and op.name not in opinfo_test.differences.UNINITIALISED_ERRORS \
            and not op.name.startswith("__r"):
        for case in op.error_inputs("cpu"):
            yield "errors", case.sample_input, MOST_ERRORS
    for dtype, count in COUNTS.items():
        if op.supports_dtype(getattr(torch, dtype), "cpu"):
            torch.manual_seed(0)
            random.seed(0)
            for sample in op.sample_inputs("cpu", getattr(torch, dtype), requires_grad=False):
                yield dtype, sample, count


def main():
    warnings.simplefilter("ignore")
    torch, op_db = opinfo_test.import_torch()
    done = set()
    for op in op_db:
        function = opinfo_test.find(frit, op.name)
        if function is None or "empty" in op.name:
            continue
        left = {}
        for dtype, sample, count in samples_of(torch, op):
            if left.setdefault(dtype, count) == 0:
                continue
            line = line_of(torch, op, dtype, sample)
            text = json.dumps(line, separators=(",", ":"))
            if line is None or text in done or not agrees(function, line):
                continue
            left[dtype] -= 1
            done.add(text)
            print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
