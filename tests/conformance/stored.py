"""Samples of PyTorch's op database with its results, for where PyTorch is not installed.

    generate_stored.py > stored/samples.jsonl      # with PyTorch

A line is an object: op, dtype, args, kwargs, and want, or error, the class that PyTorch raised. A
tensor is {"tensor": dtype, "shape": sizes, "bytes": base64}, a tuple {"tuple": [...]}, a dtype
{"dtype": name}; all else is as it is.
"""
import base64
import json
import pathlib

import numpy

import comparison

SAMPLES = pathlib.Path(__file__).parent / "stored/samples.jsonl"


def encode_array(array, dtype):
    """An array; that of bfloat16 holds f32 numbers."""
    if dtype == "bfloat16":
        array = (array.view(numpy.uint32) >> 16).astype(numpy.uint16)
    return {"tensor": dtype, "shape": list(array.shape),
            "bytes": base64.b64encode(numpy.ascontiguousarray(array).tobytes()).decode()}


def decode_array(value):
    dtype, raw = value["tensor"], base64.b64decode(value["bytes"])
    if dtype == "bfloat16":
        array = (numpy.frombuffer(raw, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
    else:
        array = numpy.frombuffer(raw, numpy.dtype(dtype))
    return array.reshape(value["shape"])


def to_frit(frit, value):
    if isinstance(value, list):
        return [to_frit(frit, v) for v in value]
    if not isinstance(value, dict):
        return value
    if "tuple" in value:
        return tuple(to_frit(frit, v) for v in value["tuple"])
    if "dtype" in value:
        return getattr(frit, value["dtype"])
    t = frit.from_numpy(decode_array(value).copy())
    return t.to(frit.bfloat16) if value["tensor"] == "bfloat16" else t.clone()


def as_array(frit, t):
    return t.float().numpy() if t.dtype == frit.bfloat16 else t.numpy()


def difference(frit, got, want):
    """None where a result of Frit is the stored one, else a text."""
    if isinstance(want, dict) and "tensor" in want:
        if not isinstance(got, frit.Tensor):
            return f"no tensor: {type(got).__name__}"
        dtype = str(got.dtype).split(".")[-1]
        if dtype != want["tensor"]:
            return f"dtype {dtype}, expected {want['tensor']}"
        return comparison.difference(as_array(frit, got), decode_array(want), dtype)
    if isinstance(want, list):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            return f"not {len(want)} results"
        return next((text for text in (difference(frit, g, w) for g, w in zip(got, want)) if text), None)
    return None if got == want or (got != got and want != want) else f"{got} is not {want}"


def run(frit, find, seed):
    """(samples run, texts of what differs)"""
    count, failures = 0, []
    for line in SAMPLES.read_text().splitlines():
        sample = json.loads(line)
        count += 1
        function = find(frit, sample["op"])
        frit.manual_seed(seed)
        try:
            got = function(*to_frit(frit, sample["args"]),
                           **{key: to_frit(frit, v) for key, v in sample["kwargs"].items()})
            text = (f"no {sample['error']}" if "error" in sample
                    else difference(frit, got, sample["want"]))
        except Exception as error:
            same = "error" in sample and any(c.__name__ == sample["error"] for c in type(error).__mro__)
            text = None if same else f"{type(error).__name__}: {error}"
        if text is not None:
            failures.append(f"{sample['op']}, {sample['dtype']}, sample {count}: {text}")
    return count, failures
