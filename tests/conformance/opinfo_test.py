"""Runs PyTorch's own database of ops (OpInfo) against Frit, op by op.

    opinfo_test.py [--dtypes float32,int64] [--op NAME] [--repeat N]

For each op that Frit has: all sample inputs. Shapes, dtypes and, within PyTorch's own tolerances,
values must agree; where PyTorch raises, Frit raises the same class. What differs or is not
implemented stands in differences.py with its reason.
"""
import argparse
import collections
import os
import random
import sys
import types
import warnings

import numpy

import comparison
import differences
import stored

sys.path.insert(0, os.path.abspath("src/python"))

SEED = 42  # with which PyTorch's database calls what is random
DTYPES = ("float32", "float64", "bfloat16", "float16", "int64", "int32", "int16", "int8", "uint8",
          "bool")


def import_torch():
    """PyTorch and its op database, or None. Debian's package lacks one small module of it."""
    import unittest

    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase = type("TestCase", (unittest.TestCase,), {})
    stand_in.ACCEPT = False
    stand_in.assert_expected_inline = lambda *args, **kwargs: None
    sys.modules.setdefault("expecttest", stand_in)
    try:
        import torch
        from torch.testing._internal.common_methods_invocations import op_db
    except ImportError:
        return None, None
    torch.set_num_threads(1)
    return torch, op_db


# Transforms whose operand is complex in PyTorch even where the sample is real: pairs in Frit.
COMPLEX_OPERANDS = ("fft.fft", "fft.fft2", "fft.fftn", "fft.ifft", "fft.ifft2", "fft.ifftn", "fft.irfft",
                    "fft.irfft2", "fft.irfftn")


class Bridge:
    """Values of PyTorch as values of Frit, and back."""

    def __init__(self, torch, frit):
        self.torch, self.frit = torch, frit

    def dtype(self, dtype):
        return getattr(self.frit, str(dtype).split(".")[-1], None)

    def tensor(self, t):
        if t.is_complex():
            t = self.torch.view_as_real(t.resolve_conj()).clone()
        if t.dtype == self.torch.bfloat16:
            return self.frit.from_numpy(t.float().numpy()).to(self.frit.bfloat16)
        if t.is_contiguous():
            return self.frit.from_numpy(t.numpy()).clone()
        return self.frit.from_numpy(t.numpy())

    def to_frit(self, value):
        if isinstance(value, self.torch.Tensor):
            return self.tensor(value.detach())
        if isinstance(value, self.torch.dtype):
            dtype = self.dtype(value)
            if dtype is None:
                raise NotImplementedError(f"dtype {value}")
            return dtype
        if isinstance(value, self.torch.memory_format):
            return getattr(self.frit, str(value).split(".")[-1])
        if isinstance(value, self.torch.device):
            return self.frit.device(str(value))
        if isinstance(value, self.torch.Size):
            return self.frit.Size(value)
        if type(value) in (list, tuple):
            return type(value)(self.to_frit(v) for v in value)
        return value

    def to_torch(self, value):
        if isinstance(value, self.frit.Tensor):
            if value.dtype == self.frit.bfloat16:
                return self.torch.from_numpy(value.float().numpy()).bfloat16()
            return self.torch.from_numpy(value.numpy())
        if isinstance(value, (list, tuple)):
            return [self.to_torch(v) for v in value]
        return value


# Where OpInfo passes a function's arguments in an order of its own.
ADAPTERS = {
    "where": lambda frit: lambda x, condition, other: frit.where(condition, x, other),
    "nn.functional.embedding": lambda frit: lambda weight, index, **options:
        frit.nn.functional.embedding(index, weight, **options),
    "polygamma": lambda frit: lambda x, n, **options: frit.polygamma(n, x, **options),
    "special.polygamma": lambda frit: lambda x, n, **options: frit.special.polygamma(n, x, **options),
    "nn.functional.embedding_bag": lambda frit: lambda weight, index, **options:
        frit.nn.functional.embedding_bag(index, weight, **options),
    "einsum": lambda frit: lambda tensors, equation: frit.einsum(equation, tensors),
    "__radd__": lambda frit: lambda x, y: y + x,
    "__rsub__": lambda frit: lambda x, y: y - x,
    "__rmul__": lambda frit: lambda x, y: y * x,
    "__rdiv__": lambda frit: lambda x, y: y / x,
    "__rmod__": lambda frit: lambda x, y: y % x,
    "__rpow__": lambda frit: lambda x, y: y ** x,
    "__rmatmul__": lambda frit: lambda x, y: y @ x,
    "__rand__": lambda frit: lambda x, y: y & x,
    "__ror__": lambda frit: lambda x, y: y | x,
    "__rxor__": lambda frit: lambda x, y: y ^ x,
}


def find(frit, name):
    """What Frit has under PyTorch's name, or None."""
    if name in ADAPTERS:
        return ADAPTERS[name](frit)
    place = frit
    for part in name.split("."):
        place = getattr(place, part, None)
    if callable(place):
        return place
    attribute = getattr(frit.Tensor, name, None)
    if attribute is None or callable(attribute):
        return attribute
    return lambda x: getattr(x, name)


class Comparison:
    def __init__(self, torch, bridge, uninitialised, repeat):
        self.torch, self.bridge, self.uninitialised = torch, bridge, uninitialised
        self.repeat = repeat

    def same_bits(self, a, b):
        """Whether all values are the same to the last bit; NaN is NaN."""
        if isinstance(a, (list, tuple)):
            return len(a) == len(b) and all(map(self.same_bits, a, b))
        if not isinstance(a, self.bridge.frit.Tensor):
            return a == b
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            return False
        a, b = (self.bridge.to_torch(t).double().numpy() for t in (a, b))
        return bool(((a == b) & (numpy.signbit(a) == numpy.signbit(b)) | (a != a) & (b != b)).all())

    def difference(self, got, want):
        """None when they agree, else a text."""
        if isinstance(want, self.torch.Tensor):
            if not isinstance(got, self.bridge.frit.Tensor):
                return f"no tensor: {type(got).__name__}"
            # Complex numbers are pairs.
            real = self.torch.view_as_real(want.resolve_conj()) if want.is_complex() else want
            return self.tensor_difference(self.bridge.to_torch(got), real)
        if isinstance(want, (list, tuple)):
            if not isinstance(got, (list, tuple)) or len(got) != len(want):
                return f"not {len(want)} results"
            found = (self.difference(g, w) for g, w in zip(got, want))
            return next((text for text in found if text), None)
        return None if got == want or (got != got and want != want) else f"{got} is not {want}"

    def tensor_difference(self, got, want):
        if got.dtype != want.dtype:
            return f"dtype {got.dtype}, expected {want.dtype}"
        if got.shape != want.shape:
            return f"shape {list(got.shape)}, expected {list(want.shape)}"
        if self.uninitialised:
            return None
        dtype = str(want.dtype).split(".")[-1]
        return comparison.difference(self.as_array(got), self.as_array(want.detach()), dtype)

    def as_array(self, t):
        return (t.float() if t.dtype == self.torch.bfloat16 else t).numpy()


# Ops that choose among equal elements: any choice is right.
ORDERS = ("sort", "argsort", "topk")
# Ops whose results are sums of products, which may cancel: the error allowed is relative to the sum
# of their absolute values.
CONTRACTIONS = ("matmul", "__rmatmul__", "mm", "bmm", "addmm", "baddbmm", "addbmm",
                "addmv", "addr", "mv", "dot", "vdot", "inner", "tensordot", "nn.functional.linear",
                "nn.functional.conv1d", "nn.functional.conv2d", "nn.functional.conv_transpose1d",
                "nn.functional.conv_transpose2d", "nn.functional.conv_transpose3d")
# Ops that pick one of equal elements along a dimension, which is their first argument (after k).
PICKS = ("kthvalue", "mode")
# Ops whose vectors have any sign, or turn within what belongs to equal values.
FACTORS = ("svd", "linalg.svd", "linalg.eigh")


class Judge:
    """Second opinions on a result that is not PyTorch's: by what it means, and by f64."""

    def __init__(self, torch, bridge, comparison):
        self.torch, self.bridge, self.comparison = torch, bridge, comparison

    def accepts(self, op, sample, got, want):
        try:
            if op.name in ORDERS:
                return self.same_order(op.name, sample, got, want)
            if op.name in FACTORS:
                return self.same_product(op.name, got, want)
            if op.name in PICKS:
                return self.same_pick(op.name, sample, got, want)
            counts = want.is_floating_point() or want.is_complex()
            return counts and self.near_exact(op, sample, got, want)
        except Exception:
            return False

    def same_order(self, name, sample, got, want):
        dim = sample.kwargs.get("dim", -1)
        if name == "topk" and len(sample.args) > 1:
            dim = sample.args[1]
        elif name != "topk" and sample.args:
            dim = sample.args[0]
        chosen = got if name == "argsort" else got[1]
        expected = want if name == "argsort" else want[1]
        chosen = self.bridge.to_torch(chosen)
        x = sample.input
        return self.torch.equal(x.gather(dim, chosen).isnan(), x.gather(dim, expected).isnan()) \
            and self.torch.equal(x.gather(dim, chosen).nan_to_num(), x.gather(dim, expected).nan_to_num())

    def same_product(self, name, got, want):
        """Whether the factors have the sizes of PyTorch's and multiply to the same matrix."""

        def product(factors):
            if name == "linalg.eigh":
                values, vectors = factors
                return (vectors * values.unsqueeze(-2)) @ vectors.mT
            u, s, v = factors
            v = v.mT if name == "svd" else v
            k = s.shape[-1]
            return (u[..., :k] * s.unsqueeze(-2)) @ v[..., :k, :]

        got = [self.bridge.to_torch(t) for t in got]
        if [t.shape for t in got] != [t.shape for t in want]:
            return False
        close = 1e-4 if want[0].dtype == self.torch.float32 else 1e-10
        return bool((product(got) - product(want)).abs().max() <= close)

    def same_pick(self, name, sample, got, want):
        """Equal values, each of which is at the index that stands beside it."""
        values, indices = map(self.bridge.to_torch, got)
        place = 1 if name == "kthvalue" else 0
        dim = sample.args[place] if len(sample.args) > place else sample.kwargs.get("dim", -1)
        if values.dim() < sample.input.dim():
            indices = indices.unsqueeze(dim)
        picked = sample.input.gather(dim, indices).reshape(values.shape)
        return self.torch.equal(values, want[0]) and self.torch.equal(picked, want[0])

    def near_exact(self, op, sample, got, want):
        """Whether it agrees with what PyTorch computes in f64: its 16-bit kernels round more often, and
        sums of terms that cancel differ by the order."""
        double = self.converted(sample, lambda t: t.double())
        exact = op(double.input, *double.args, **double.kwargs).to(want.dtype)
        if op.name.startswith("fft."):  # as an error of the whole
            error = self.bridge.to_torch(got) - (self.torch.view_as_real(exact) if exact.is_complex() else exact)
            return bool(error.abs().max() <= 8 * self.torch.finfo(want.dtype).eps * exact.abs().max())
        if op.name not in CONTRACTIONS:
            return self.comparison.difference(got, exact) is None
        absolute = self.converted(sample, lambda t: t.double().abs())
        scale = op(absolute.input, *absolute.args, **absolute.kwargs)
        error = (self.bridge.to_torch(got).double() - exact.double()).abs()
        return bool((error <= 4 * self.torch.finfo(want.dtype).eps * scale).all())

    def converted(self, sample, convert):
        dtype = sample_dtype(self.torch, sample)

        def apply(t):
            counts = isinstance(t, self.torch.Tensor) and (t.is_floating_point() or t.dtype == dtype)
            return convert(t) if counts else t

        return sample.transform(apply)


def sample_dtype(torch, sample):
    return sample.input.dtype if isinstance(sample.input, torch.Tensor) else torch.float32


class Report:
    def __init__(self):
        self.counts = collections.Counter()
        self.differences = collections.OrderedDict()

    def add(self, kind, op="", text=""):
        self.counts[kind] += 1
        if text:
            self.differences.setdefault((kind, op, text), 0)
            self.differences[kind, op, text] += 1


def outcome(function, *args, **kwargs):
    """(value, None) or (None, error)."""
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        return None, error


def describe(sample):
    def short(value):
        if hasattr(value, "shape"):
            return f"{str(value.dtype).split('.')[-1]}{list(value.shape)}"
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(short, value))}]"
        return repr(value)

    parts = [short(sample.input)] + [short(a) for a in sample.args]
    return ", ".join(parts + [f"{k}={short(v)}" for k, v in sample.kwargs.items()])


def converted(bridge, op, sample):
    """(arguments, keywords) for Frit, or None where it has no such dtype, or NumPy not so many dimensions."""
    try:
        x = sample.input
        if op.name in COMPLEX_OPERANDS:
            x = x + bridge.torch.zeros((), dtype=bridge.torch.complex64)
        return (bridge.to_frit((x, *sample.args)),
                {key: bridge.to_frit(value) for key, value in sample.kwargs.items()})
    except (NotImplementedError, TypeError, ValueError):
        return None


def first_line(error):
    return f"{type(error).__name__}: {(str(error) or '(no text)').splitlines()[0][:160]}"


class ChangedBits(Exception):
    pass


def repeated(function, call, comparison):
    """The result of the last of several calls, whose bits must be those of the first."""

    def run():
        comparison.bridge.frit.manual_seed(SEED)
        return function(*call[0], **call[1])

    first = run()
    last = first
    for _ in range(comparison.repeat - 1):
        last = run()
    if comparison.repeat > 1 and not comparison.uninitialised and not comparison.same_bits(first, last):
        raise ChangedBits("a later call gave other bits")
    return last


def run_sample(report, op, function, sample, bridge, comparison, judge):
    want, torch_error = outcome(op, sample.input, *sample.args, **sample.kwargs)
    call = converted(bridge, op, sample)
    if call is None:
        return report.add("samples of dtypes that Frit lacks")
    got, error = outcome(repeated, function, call, comparison)
    if isinstance(error, ChangedBits):
        return report.add("samples change", op.name, f"{error} ({describe(sample)[:200]})")
    if error is not None or torch_error is not None:
        if error is not None and torch_error is not None and isinstance(error, type(torch_error)):
            return report.add("samples agree")
        lacking = isinstance(error, NotImplementedError)
        text = first_line(error) if error is not None else f"no {first_line(torch_error)}"
        return report.add("samples not implemented" if lacking else "samples differ", op.name,
                          f"{text} ({describe(sample)[:200]})")
    text = comparison.difference(got, want)
    if text is None:
        return report.add("samples agree")
    if judge.accepts(op, sample, got, want):
        return report.add("samples agree by meaning or with f64")
    report.add("samples differ", op.name, f"{text[:200]} ({describe(sample)[:200]})")


def run_errors(report, op, function, bridge):
    for case in op.error_inputs("cpu"):
        sample = case.sample_input
        call = converted(bridge, op, sample)
        # What PyTorch itself does counts, which is not always what its database says.
        _, torch_error = outcome(op, sample.input, *sample.args, **sample.kwargs)
        if call is None or torch_error is None:
            continue
        _, error = outcome(function, *call[0], **call[1])
        if error is not None and isinstance(error, type(torch_error)):
            report.add("errors agree")
            continue
        text = "no error" if error is None else first_line(error)
        report.add("errors differ", op.name,
                   f"{text}, expected {first_line(torch_error)} ({describe(sample)[:150]})")


def run_op(op, dtypes, frit, torch, report, repeat):
    """All samples of an op for these dtypes, and its errors."""
    function = find(frit, op.name)
    if function is None:
        return report.add("ops missing")
    report.add("ops tried")
    bridge = Bridge(torch, frit)
    comparison = Comparison(torch, bridge, "empty" in op.name, repeat)
    judge = Judge(torch, bridge, comparison)
    # What a method does with what is no tensor cannot be asked for by an expression.
    known = op.name not in differences.UNINITIALISED_ERRORS
    if op.error_inputs_func and known and not op.name.startswith("__r"):
        run_errors(report, op, function, bridge)
    for dtype in dtypes:
        if not op.supports_dtype(dtype, "cpu"):
            continue
        torch.manual_seed(0)
        random.seed(0)
        for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
            run_sample(report, op, function, sample, bridge, comparison, judge)


def judge_report(report, all_of_it):
    """Prints what is not expected; whether that is nothing."""
    used, unexpected = set(), 0
    for (kind, name, text), count in report.differences.items():
        entry = differences.find(name, text)
        if entry is None:
            unexpected += 1
            print(f"{kind}: {name}: {text}" + (f" ({count} times)" if count > 1 else ""))
        used.add(entry)
    idle = [entry for entry in differences.KNOWN if entry not in used] if all_of_it else []
    for entry in idle:
        print(f"differences.py lists what does not differ: {entry}")
    return unexpected == 0 and not idle


def run_stored(frit):
    print("PyTorch is not installed: its stored samples")
    count, failures = stored.run(frit, find, SEED)
    for text in failures:
        print(text)
    print(f"{count - len(failures)} samples agree, {len(failures)} samples differ")
    return 1 if failures or count == 0 else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--op")
    parser.add_argument("--stored", action="store_true", help="the stored samples, without PyTorch")
    parser.add_argument("--repeat", type=int, default=1, help="calls per sample, with equal bits")
    options = parser.parse_args()
    torch, op_db = (None, None) if options.stored else import_torch()
    import frit

    if torch is None:
        return run_stored(frit)

    warnings.simplefilter("ignore")
    report = Report()
    dtypes = [getattr(torch, name) for name in options.dtypes.split(",")]
    for op in op_db:
        if options.op in (None, op.name):
            run_op(op, dtypes, frit, torch, report, options.repeat)
    well = judge_report(report, options.op is None and options.dtypes == ",".join(DTYPES))
    print(", ".join(f"{count} {kind}" for kind, count in sorted(report.counts.items())))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
