"""The layers of torch.nn: each is made with a seed by PyTorch and by Frit and gets the same inputs.

Equal must be: what repr() says, the names and bits of the parameters (normally distributed ones to a few
units in the last place), and, within a tolerance, the results in eval() and, where nothing is drawn, in
training.
"""
import os
import sys
import warnings

import numpy

sys.path.insert(0, os.path.abspath("src/python"))

# Where PyTorch 2.6 prints other than 1.13, which is compared with.
PRINTED_ANEW = ("Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "Softplus", "EmbeddingBag", "Transformer")
# Random in training.
RANDOM = ("Dropout", "Dropout2d", "Dropout3d", "RReLU", "MultiheadAttention", "Transformer", "TransformerEncoderLayer",
          "TransformerDecoderLayer")


class Cases:
    """(name, arguments, inputs, keyword arguments) of each case."""

    def __init__(self, torch):
        self.torch = torch
        self.all = []

    def add(self, name, arguments=(), inputs=(), **keywords):
        self.all.append((name, arguments, inputs if isinstance(inputs, tuple) else (inputs,), keywords))

    def real(self, *sizes):
        return self.torch.randn(*sizes, generator=self.torch.Generator().manual_seed(1))

    def whole(self, below, *sizes):
        return self.torch.randint(0, below, sizes, generator=self.torch.Generator().manual_seed(1))

    def add_spatial(self):
        add = self.add
        for d in (1, 2, 3):
            x = self.real(2, 4, *[8] * d)
            add(f"Conv{d}d", (4, 6, 3), x)
            add(f"Conv{d}d", (4, 6, 3), x, padding=1, stride=2, groups=2, bias=False)
            add(f"Conv{d}d", (4, 6, 3), x, padding="same", dilation=2)
            add(f"Conv{d}d", (4, 6, 3), x, padding=1, padding_mode="circular")
            add(f"Conv{d}d", (4, 4, 3), x[0], padding=1, padding_mode="replicate")
            add(f"ConvTranspose{d}d", (4, 6, 3), x, stride=2, padding=1, output_padding=1, groups=2)
            for name in ("BatchNorm", "InstanceNorm"):
                add(f"{name}{d}d", (4,), x)
                add(f"{name}{d}d", (4,), x, affine=True, track_running_stats=False)
            add(f"MaxPool{d}d", (3,), x, stride=2, padding=1, ceil_mode=True)
            add(f"MaxPool{d}d", (2,), x, return_indices=True)
            add(f"AvgPool{d}d", (3,), x, stride=2, padding=1)
            add(f"AdaptiveAvgPool{d}d", (3,), x)
            add(f"AdaptiveMaxPool{d}d", (3,), x)
            if d < 3:
                add(f"LPPool{d}d", (2, 3), x)
            add(f"ConstantPad{d}d", (1, 2.5), x)
            add(f"ReflectionPad{d}d", (1,), x)
            add(f"ReplicationPad{d}d", (1,), x)
            add(f"Dropout{d}d" if d > 1 else "Dropout", (0.3,), x)
            add("Upsample", (), x, scale_factor=2)
        image = self.real(1, 2, 6, 6)
        add("ZeroPad2d", ((1, 2, 0, 1),), image)
        add("AdaptiveAvgPool2d", ((None, 3),), image)
        add("UpsamplingBilinear2d", (), image, scale_factor=2)
        add("UpsamplingNearest2d", (), image, size=5)
        add("Fold", ((4, 5), (2, 2)), self.real(1, 12, 12))
        add("Unfold", ((2, 2),), image)
        add("PixelShuffle", (2,), self.real(1, 8, 3, 3))
        add("PixelUnshuffle", (2,), image)
        add("ChannelShuffle", (2,), self.real(1, 4, 3, 3))
        samples = self.torch.tensor([[[0.1, 0.9], [0.5, 0.3]]])
        add("FractionalMaxPool2d", (2,), self.real(1, 2, 9, 9), output_size=4, _random_samples=samples)
        add("FractionalMaxPool3d", (2,), self.real(1, 2, 9, 9, 9), output_size=4,
            _random_samples=self.torch.cat([samples, samples[..., :1]], -1))

    def add_pointwise(self):
        add, x = self.add, self.real(3, 4, 6)
        for name in ("ReLU", "ReLU6", "RReLU", "Hardtanh", "Sigmoid", "Hardsigmoid", "Tanh", "SiLU", "Mish", "Hardswish",
                     "ELU", "CELU", "SELU", "GLU", "GELU", "Hardshrink", "LeakyReLU", "LogSigmoid", "Softplus",
                     "Softshrink", "Softsign", "Tanhshrink", "PReLU", "Softmax", "LogSoftmax", "Softmin"):
            add(name, (), x)
        for name in ("ReLU", "ReLU6", "Hardswish", "SELU", "Mish", "SiLU", "Hardsigmoid", "Hardtanh"):
            add(name, (), x, inplace=True)
        add("GELU", (), x, approximate="tanh")
        add("Threshold", (0.1, 3.0, True), x)
        add("PReLU", (4,), x)
        add("Softmax", (1,), x)
        add("Softmax2d", (), self.real(2, 3, 4, 4))
        add("LeakyReLU", (0.2, True), x)
        add("ELU", (0.5, True), x)
        add("LayerNorm", (6,), x)
        add("LayerNorm", ((4, 6),), x, eps=1e-3)
        add("GroupNorm", (2, 4), x)
        add("LocalResponseNorm", (2,), self.real(2, 5, 4, 4))
        add("LocalResponseNorm", (3,), self.real(2, 5, 4))
        add("Flatten", (), x)
        add("Unflatten", (1, (2, 2)), x)

    def add_maps(self):
        add, torch = self.add, self.torch
        add("Linear", (4, 3), self.real(2, 4))
        add("Linear", (4, 3, False), self.real(2, 4))
        add("Bilinear", (3, 4, 5), (self.real(2, 3), self.real(2, 4)))
        add("Identity", (), self.real(2))
        add("Embedding", (10, 3), self.whole(10, 2, 4))
        add("Embedding", (10, 3), self.whole(10, 2, 4), padding_idx=-2)
        add("EmbeddingBag", (10, 3), self.whole(10, 2, 4))
        add("EmbeddingBag", (10, 3), (self.whole(10, 8), torch.tensor([0, 3])), mode="sum")
        add("CosineSimilarity", (), (self.real(3, 4), self.real(4, 3).T))
        add("PairwiseDistance", (), (self.real(3, 4), self.real(4, 3).T))

    def add_losses(self):
        torch, x, y = self.torch, self.real(3, 5), (self.real(3, 5) > 0).float()
        p, other, classes = torch.sigmoid(x), self.real(5, 3).T, self.whole(5, 3)
        for reduction in ("mean", "sum", "none"):
            def add(name, inputs, **keywords):
                self.add(name, (), inputs, reduction=reduction, **keywords)

            for name in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss", "KLDivLoss", "PoissonNLLLoss", "BCELoss"):
                add(name, (p, y))
            add("BCEWithLogitsLoss", (x, y), pos_weight=torch.tensor([1.0, 2, 3, 4, 5]))
            add("NLLLoss", (x.log_softmax(1), classes))
            add("CrossEntropyLoss", (x, classes), label_smoothing=0.1)
            for name in ("HingeEmbeddingLoss", "SoftMarginLoss"):
                add(name, (x, y * 2 - 1))
            add("MultiLabelMarginLoss", (x, torch.tensor([[1, 3, -1, 2, 0], [-1, 0, 1, 2, 3], [0, 1, 2, 3, 4]])))
            add("MultiLabelSoftMarginLoss", (x, y))
            add("CosineEmbeddingLoss", (x, other, torch.tensor([1.0, -1, 1])), margin=0.2)
            add("MarginRankingLoss", (x[0], other[1], torch.tensor([1.0, -1, 1, 1, -1])), margin=0.1)
            add("MultiMarginLoss", (x, classes))
            add("MultiMarginLoss", (x, classes), p=2)
            add("TripletMarginLoss", (x, other, x * 2), swap=True)
            add("TripletMarginWithDistanceLoss", (x, other, x * 2))
            add("GaussianNLLLoss", (x, p, p))
            add("CTCLoss", (self.real(9, 3, 5).log_softmax(2), self.whole(4, 3, 4) + 1, torch.tensor([9, 8, 7]),
                            torch.tensor([4, 2, 1])))
        self.add("AdaptiveLogSoftmaxWithLoss", (8, 20, [5, 10]), (self.real(3, 8), self.whole(20, 3)))

    def add_attention(self):
        add, x, y = self.add, self.real(5, 2, 8), self.real(6, 2, 8)
        add("MultiheadAttention", (8, 2), (x, x, x))
        add("MultiheadAttention", (8, 2), (x[:, 0],) * 3)
        add("MultiheadAttention", (8, 2), (x, self.real(6, 2, 4), self.real(6, 2, 3)), kdim=4, vdim=3, add_bias_kv=True,
            add_zero_attn=True)
        add("MultiheadAttention", (8, 2), (self.real(2, 5, 8),) * 3, batch_first=True, bias=False)
        add("TransformerEncoderLayer", (8, 2, 16), x)
        add("TransformerEncoderLayer", (8, 2, 16), x, norm_first=True, activation="gelu", batch_first=True)
        add("TransformerDecoderLayer", (8, 2, 16), (x, y))
        add("Transformer", (8, 2, 2, 2, 16), (x, y))

    def add_recurrent(self):
        add = self.add
        for name in ("RNN", "LSTM", "GRU"):
            add(name, (3, 4), self.real(5, 2, 3))
            add(name, (3, 4, 2), self.real(2, 5, 3), batch_first=True, bidirectional=True)
            add(name, (3, 4), self.real(5, 3), bias=False)
            add(name + "Cell", (3, 4), self.real(2, 3))
            add(name + "Cell", (3, 4), self.real(3))
        add("LSTM", (3, 4, 2), self.real(5, 2, 3), proj_size=2)
        add("RNN", (3, 4), self.real(5, 2, 3), nonlinearity="relu")


def flat(result):
    """The tensors in a result."""
    if result is None:
        return []
    if hasattr(result, "numpy"):
        return [result]
    return [tensor for part in result for tensor in flat(part)]


class Comparison:
    def __init__(self, torch, frit):
        self.torch, self.frit = torch, frit

    def ours(self, value):
        return self.frit.tensor(value.detach().numpy()) if isinstance(value, self.torch.Tensor) else value

    def make(self, name, arguments, keywords):
        self.torch.manual_seed(0)
        theirs = getattr(self.torch.nn, name)(*arguments, **keywords)
        self.frit.manual_seed(0)
        ours = getattr(self.frit.nn, name)(*arguments, **{k: self.ours(v) for k, v in keywords.items()})
        return theirs, ours

    def problems(self, name, arguments, inputs, keywords):
        theirs, ours = self.make(name, arguments, keywords)
        if repr(theirs) != repr(ours) and name not in PRINTED_ANEW:
            yield f"prints {ours!r}, not {theirs!r}"
        expected, got = theirs.state_dict(), ours.state_dict()
        if list(expected) != list(got):
            yield f"has parameters {list(got)}, not {list(expected)}"
            return
        for key, value in expected.items():
            a, b = got[key].numpy(), value.numpy()
            drawn_normally = name.startswith("Embedding") or "bias_" in key
            if a.dtype != b.dtype or not (abs(a - b).max() < 1e-6 if drawn_normally else a.tobytes() == b.tobytes()):
                yield f"{key} has other values"
        for mode in ("eval", "train"):
            if mode == "train" and name in RANDOM:
                continue
            yield from self.different_results(getattr(theirs, mode)(), getattr(ours, mode)(), inputs, mode)

    def different_results(self, theirs, ours, inputs, mode):
        expected = flat(theirs(*[x.clone() for x in inputs]))
        got = flat(ours(*[self.ours(x) for x in inputs]))
        if len(expected) != len(got):
            yield f"{mode}: {len(got)} results, not {len(expected)}"
        for a, b in zip(got, expected):
            a, b = a.numpy(), b.detach().numpy()
            if a.shape != b.shape or not numpy.allclose(a, b, 1e-5, 1e-6):
                yield f"{mode}: the results differ: {a.shape} and {b.shape}"


def main():
    warnings.simplefilter("ignore")
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: nothing to compare with")
        return 0
    import frit
    cases = Cases(torch)
    for add in ("spatial", "pointwise", "maps", "losses", "attention", "recurrent"):
        getattr(cases, "add_" + add)()
    comparison, failed = Comparison(torch, frit), 0
    for name, arguments, inputs, keywords in cases.all:
        try:
            problems = list(comparison.problems(name, arguments, inputs, keywords))
        except Exception as error:
            problems = [f"{type(error).__name__}: {error}"]
        for problem in problems:
            print(f"{name}{arguments} {keywords}: {problem}")
        failed += bool(problems)
    print(f"{len(cases.all)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
