"""A program of each name of names.txt: eager, hot and in PyTorch.

Equal must be: the bits of eager and hot runs, and, within a tolerance, those of PyTorch where it is installed. The
last line counts the names whose hot program still runs an op at its call or by its eager kernel; EAGER tells which may, and why.
"""
import os
import pathlib
import sys
import warnings

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, os.path.abspath("src/python"))

import comparison  # noqa: E402

RUNS = 12
MEASURED = 4  # the last of them

SIZES = "the size of the result depends on values"
EAGER = {
    "masked_select": SIZES, "nonzero": SIZES, "unique": SIZES,
    "masked_scatter": "takes as many elements as the mask has",
    "tril_indices": "made by nonzero", "triu_indices": "made by nonzero",
}
# Not in PyTorch 1.13.
NEW = {"rms_norm", "scaled_dot_product_attention"}


def programs():
    lines = (HERE / "names.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def namespace(t):
    """What the expressions name, equal in PyTorch and Frit."""
    make = numpy.random.default_rng(7)

    def real(*sizes):
        return t.tensor(make.standard_normal(sizes).astype("float32"))

    def weights(layer):
        with t.no_grad():
            for value in layer.state_dict().values():
                value.copy_(real(*value.shape) / 4)
        return layer.eval()

    window = t.hann_window(16)
    complex_or_pairs = {} if t.__name__ == "frit" else {"return_complex": True}
    return {
        "t": t, "F": t.nn.functional, "window": window,
        "spectrum": lambda wave: t.stft(wave, 16, hop_length=8, window=window, **complex_or_pairs),
        "x": real(4, 6), "y": real(6), "p": t.tensor(make.uniform(0.05, 0.95, (4, 6)).astype("float32")),
        "i": t.tensor(make.integers(0, 4, (4, 6))), "k": t.tensor([2, 0, 3]), "target": t.tensor([1, 0, 5, 2]),
        "row": t.tensor([-1.0, 0.0, 0.5, 2.0]), "wave": real(64), "batch": real(2, 3, 6), "image": real(2, 4, 8, 8),
        "volume": real(1, 2, 4, 4, 4), "square": real(4, 4) + 3 * t.eye(4), "square6": real(6, 6), "sequence": real(5, 2, 8),
        "w4": real(4), "w1": real(4, 3, 3), "w1t": real(3, 4, 2), "w2": real(5, 4, 3, 3), "w2t": real(4, 3, 2, 2),
        "w3": real(3, 2, 2, 2, 2), "w3t": real(2, 3, 2, 2, 2), "theta": real(2, 2, 3),
        "attention": weights(t.nn.MultiheadAttention(8, 2)), "lstm": weights(t.nn.LSTM(8, 5, 2)),
        "gru": weights(t.nn.GRU(8, 5)), "rnn": weights(t.nn.RNN(8, 5)), "lstm_cell": weights(t.nn.LSTMCell(6, 5)),
        "gru_cell": weights(t.nn.GRUCell(6, 5)), "weight_norm": weights(t.nn.utils.weight_norm(t.nn.Linear(6, 3))),
    }


def arrays(result):
    parts = result if isinstance(result, (tuple, list)) else [result]
    return [part.detach().numpy().copy() for part in parts]


class Steady:
    """Counts what the engine did since."""

    def __init__(self, frit):
        self.frit = frit
        self.before = frit.stats()

    def eager(self):
        after = self.frit.stats()
        at_call = after["eager_ops"] - self.before["eager_ops"]
        steps = sum(after["fallbacks"].values()) - sum(self.before["fallbacks"].values())
        return at_call + steps


def run(t, code, names):
    """The results of all runs, and how many ops of the last ones were eager."""
    t.manual_seed(3)
    results = []
    for n in range(RUNS):
        if n == RUNS - MEASURED and hasattr(t, "stats"):
            steady = Steady(t)
        results.append(arrays(eval(code, names)))
    return results, steady.eager() if hasattr(t, "stats") else 0


def first_difference(got, want, compare):
    for n, (a, b) in enumerate(zip(got, want, strict=True)):
        for left, right in zip(a, b, strict=True):
            if why := compare(left, right):
                return f"run {n}: {why}"
    return None


def same_bits(got, want):
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
    real = got.dtype.kind == "f"
    equal = numpy.array_equal(got, want, equal_nan=real)
    if real:  # of a NaN, nothing but that it is one is defined
        number = ~numpy.isnan(got)
        equal = equal and numpy.array_equal(numpy.signbit(got)[number], numpy.signbit(want)[number])
    return None if equal else "other bits"


def close(got, want):
    if numpy.iscomplexobj(want):
        want = numpy.stack([want.real, want.imag], -1)
    if got.dtype != want.dtype:
        return f"{got.dtype}, expected {want.dtype}"
    return comparison.difference(got, want, str(want.dtype))


def torch_or_none():
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import torch
        return torch
    except ImportError:
        print("PyTorch is not installed: its results are not compared")
        return None


def main():
    warnings.simplefilter("ignore")
    torch = torch_or_none()
    import frit
    ours, theirs = namespace(frit), namespace(torch) if torch else None
    failed, fell_back = 0, {}
    for name, text in programs().items():
        code = compile(text, f"<{name}>", "eval")
        try:
            frit.set_jit_mode("off")
            eager, _ = run(frit, code, ours)
            frit.set_jit_mode("on")
            hot, count = run(frit, code, ours)
            wrong = first_difference(hot, eager, same_bits)
            if not wrong and torch and name not in NEW:
                wrong = first_difference(eager, run(torch, code, theirs)[0], close)
        except Exception as error:
            wrong, count = f"{type(error).__name__}: {error}", 0
        if count:
            fell_back[name] = count
        if wrong:
            failed += 1
            print(f"{name}: {text}: {wrong}")
    for name in sorted(fell_back.keys() ^ EAGER.keys()):
        failed += 1
        print(f"{name}: {'falls back: ' + str(fell_back[name]) if name in fell_back else 'does not fall back any more'}")
    print(f"{len(programs())} names, {failed} differences, {len(fell_back)} names fall back")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
