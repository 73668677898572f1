"""Writes values.txt: what PyTorch computes, for every op of the table.

    python3 generate_values.py        # needs PyTorch; the file is committed

A line is: op; operands; flat attributes; results. A tensor is f32[2,3]:values, several are parted by |.
"""
import os

import numpy
import torch
import torch.nn.functional as F

NAMES = {torch.float64: "f64", torch.float32: "f32", torch.int64: "i64", torch.int32: "i32",
         torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool"}
INF, NAN = float("inf"), float("nan")


def text(x):
    if not isinstance(x, torch.Tensor):
        return str(x).lower() if isinstance(x, bool) else repr(x)
    digits = ".17g" if x.dtype == torch.float64 else ".9g"
    values = [format(float(v), digits) if x.is_floating_point() else str(int(v)) for v in x.flatten()]
    return f"{NAMES[x.dtype]}[{','.join(map(str, x.shape))}]:{' '.join(values)}"


def flat(*values):
    result = []
    for v in values:
        result += [len(v), *v] if isinstance(v, (list, tuple)) else [int(v)]
    return " ".join(map(str, result))


def special(dtype=torch.float32):
    return torch.tensor([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -7.25, 1e-3, 20.0, -20.0, 80.0,
                         1e-30, INF, -INF, NAN], dtype=dtype)


def unary():
    for name in ("neg abs floor ceil trunc round sqrt rsqrt reciprocal exp exp2 log log2 log10 expm1 log1p sin "
                 "cos tan tanh erf sigmoid sign relu logical_not isnan isinf isfinite").split():
        for dtype in (torch.float32, torch.float64):
            x = special(dtype)
            yield name, [x], "", getattr(torch, name)(x)
    yield "silu", [special()], "", F.silu(special())
    i = torch.tensor([-128, -3, -1, 0, 1, 2, 127], dtype=torch.int8)
    for name in "neg abs sign relu bitwise_not sqrt floor".split():
        yield name, [i], "", getattr(torch, name)(i)


def binary():
    few = special()[[0, 1, 2, 3, 5, 7, 9, 10, 12, 16, 17, 18]]
    a, b = few.repeat_interleave(12), few.repeat(12)
    i = torch.tensor([-7, -3, -1, 1, 2, 7]).repeat_interleave(6)
    j = torch.tensor([-7, -3, -1, 1, 2, 7]).repeat(6)
    for name in ("add sub mul div floor_divide fmod remainder pow atan2 maximum minimum fmax fmin copysign eq ne lt "
                 "le gt ge logical_and logical_or logical_xor").split():
        fn = torch.floor_divide if name == "floor_divide" else getattr(torch, name)
        # Where Frit differs on purpose: PyTorch's maximum of 0.0 and -0.0 depends on the position, and its
        # power of -inf and -0.5 on whether the exponent is a number.
        x, y = (a + 0.0, b + 0.0) if name in ("maximum", "minimum") else (a, b)
        y = torch.where(b == -0.5, 0.75, b) if name == "pow" else y
        yield name, [x, y], "", fn(x, y)
        yield name, [i, j], "", fn(i, j)
    for name in "bitwise_and bitwise_or bitwise_xor".split():
        yield name, [i, j], "", getattr(torch, name)(i, j)
    for e in (0, 1, 2, 3, -1, 0.5, -0.5, 2.5):
        yield "pow", [special(), e], "", special() ** e
    for e in (0, 1, 2, 3):
        yield "pow", [i, e], "", i ** e
    u = torch.tensor([255, 44, 0], dtype=torch.uint8)
    for number in (-1, 300, 44):
        yield "eq", [u, number], "", u == number
    yield "where", [a > 0, a, b], "", torch.where(a > 0, a, b)
    yield "add", [torch.ones(2, 3), torch.arange(3)], "", torch.ones(2, 3) + torch.arange(3)


def casts():
    codes = {torch.float64: 0, torch.float32: 1, torch.int64: 4, torch.int32: 5, torch.int8: 7, torch.uint8: 8,
             torch.bool: 9}
    x = torch.tensor([0.0, -0.0, 1.7, -1.7, 100.9, 200.5, 300.0, -1.0])
    for dtype, code in codes.items():
        yield "cast", [x], str(code), x.to(dtype)
        yield "cast", [torch.tensor([300, -1, 0, 2**24 + 1])], str(code), torch.tensor([300, -1, 0, 2**24 + 1]).to(dtype)
    yield "cast", [torch.tensor([NAN, 0.0])], "9", torch.tensor([NAN, 0.0]).bool()


def reductions():
    x = torch.randn(3, 4, 5)
    for dims, keep in (([], 0), ([1], 1), ([0, 2], 0), ([-1], 0)):
        d = tuple(dims) if dims else (0, 1, 2)
        yield "sum", [x], flat(dims, keep), x.sum(d, bool(keep))
        yield "mean", [x], flat(dims, keep), x.mean(d, bool(keep))
        yield "amax", [x], flat(dims, keep), x.amax(d, bool(keep))
        yield "amin", [x], flat(dims, keep), x.amin(d, bool(keep))
        yield "logsumexp", [x], flat(dims, keep), x.logsumexp(d, bool(keep))
        for correction in (0, 1):
            yield "var", [x, correction], flat(dims, keep), x.var(d, bool(correction), bool(keep))
    yield "prod", [x], flat([1], 0), x.prod(1)
    yield "sum", [torch.tensor([True, True, False])], flat([], 0), torch.tensor(2)
    yield "sum", [torch.tensor([-0.0, -0.0])], flat([], 0), torch.tensor([-0.0, -0.0]).sum()
    yield "sum", [torch.zeros(0)], flat([], 0), torch.zeros(0).sum()
    yield "prod", [torch.zeros(0)], flat([], 0), torch.zeros(0).prod()
    yield "mean", [torch.zeros(0)], flat([], 0), torch.zeros(0).mean()
    yield "var", [torch.ones(1), 1], flat([], 0), torch.tensor(NAN)
    y = torch.tensor([[1.0, 3.0, 3.0], [NAN, 5.0, NAN], [-INF, -INF, -INF]])
    for name in ("argmax", "argmin"):
        yield name, [y], flat([1], 0), getattr(y, name)(1)
        yield name, [y], flat([], 0), getattr(y, name)()
    yield "amax", [y], flat([1], 0), y.amax(1)
    yield "amin", [y], flat([1], 0), y.amin(1)
    yield "logsumexp", [torch.tensor([[-INF, -INF], [INF, 1.0]])], flat([1], 0), torch.tensor([-INF, INF])
    z = torch.tensor([[0.0, 1.0], [0.0, 0.0], [NAN, 1.0]])
    yield "any", [z], flat([1], 0), z.bool().any(1)
    yield "all", [z], flat([1], 0), z.bool().all(1)
    yield "any", [torch.zeros(0)], flat([], 0), torch.tensor(False)
    yield "all", [torch.zeros(0)], flat([], 0), torch.tensor(True)
    yield "any", [torch.tensor([2, 0], dtype=torch.uint8)], flat([], 0), torch.tensor([2, 0], dtype=torch.uint8).any()
    for d in (0, 1):
        yield "sort", [y], flat(0, d), y.sort(dim=d, stable=True)
        yield "sort", [y], flat(1, d), y.sort(dim=d, stable=True, descending=True)
    t = torch.tensor([3.0, 1.0, NAN, 2.0])
    yield "topk", [t], flat(0, 2, 1), t.topk(2)
    yield "topk", [t], flat(0, 2, 0), t.topk(2, largest=False)


def movement():
    x = torch.arange(24.0).reshape(2, 3, 4)
    yield "reshape", [x], flat([4, -1]), x.reshape(4, 6)
    yield "permute", [x], flat([2, 0, 1]), x.permute(2, 0, 1)
    yield "expand", [x[:, :1]], flat([2, 3, 4]), x[:, :1].expand(2, 3, 4)
    yield "slice", [x], flat(2, -1, 0, 2), x[:, :, 0:-1:2]
    yield "select", [x], flat(1, -1), x.select(1, -1)
    yield "as_strided", [x], flat(1, [2, 2], [3, 1]), x.as_strided((2, 2), (3, 1), 1)
    yield "cat", [x, x[:, :1]], "1", torch.cat([x, x[:, :1]], 1)
    yield "cat", [torch.zeros(0), x[0, 0], torch.arange(2)], "0", torch.cat([torch.zeros(0), x[0, 0], torch.arange(2)])
    yield "pad", [x, 1.5], flat([1, -1, 0, 2]), F.pad(x, (1, -1, 0, 2), value=1.5)
    yield "clone", [x], "", x.clone()
    index = torch.tensor([[0, 2], [1, 1]])
    yield "index_select", [x, index[0]], "1", x.index_select(1, index[0])
    yield "gather", [x[0], index], "0", x[0].gather(0, index)
    yield "index", [x, index], flat([1]), x[:, index]
    yield "index", [x, torch.tensor([0, -1]), torch.tensor([1, -4])], flat([0, 2]), x[[0, -1], :, [1, -4]]
    yield "index", [x, torch.tensor([0, -1]), torch.tensor([1, -3])], flat([0, 1]), x[[0, -1], [1, -3]]
    yield "nonzero", [x > 20], "", (x > 20).nonzero()
    yield "full", [2.5], flat(1, [2, 2]), torch.full((2, 2), 2.5)
    yield "arange", [1, 3], flat(4, 4), torch.arange(1, 13, 3)
    yield "arange", [0.5, 0.25], flat(1, 4), torch.arange(0.5, 1.5, 0.25)
    yield "embedding", [x[0], index], "", F.embedding(index, x[0])
    yield "masked_fill", [x, x > 5, -1], "", x.masked_fill(x > 5, -1)
    yield "masked_fill", [index, index > 0, 7.9], "", index.masked_fill(index > 0, 7.9)


def contractions():
    r = torch.randn
    for a, b in ((r(5), r(5)), (r(3, 5), r(5)), (r(5), r(5, 2)), (r(3, 5), r(5, 2)), (r(2, 3, 5), r(5, 2)),
                 (r(2, 1, 3, 5), r(4, 5, 2)), (r(3, 0), r(0, 2))):
        yield "matmul", [a, b], "", a @ b
    i = torch.arange(6).reshape(2, 3)
    yield "matmul", [i, i.T.contiguous()], "", i @ i.T
    bias, a, b = r(2), r(3, 5), r(5, 2)
    for alpha, beta in ((1, 1), (0.5, 2.0)):
        yield "addmm", [bias, a, b, alpha, beta], "", torch.addmm(bias, a, b, alpha=alpha, beta=beta)
    yield "addmm", [torch.full((2,), NAN), a, b, 1, 0], "", a @ b
    w = r(2, 5)
    for x in (r(5), r(3, 5), r(2, 3, 5)):
        yield "linear", [x, w, bias], "", F.linear(x, w, bias)
        yield "linear", [x, w], "", F.linear(x, w)
    x, k = r(2, 4, 6, 5), r(6, 2, 3, 2)
    yield "convolution", [x, k, r(6)], flat([1, 2], 2, [1, 1, 2, 2], [2, 1]), None
    yield "convolution", [r(1, 3, 9), r(2, 3, 3)], flat([2], 1, [1, 1], [2]), None
    yield "max_pool2d", [x], flat(1, [1, 1], [3, 2], [1, 1], [2, 2]), F.max_pool2d(x, (3, 2), 2, 1, 1, True)
    for ceil in (False, True):
        for include in (False, True):
            yield "avg_pool2d", [x], flat(ceil, include, [3, 2], [1, 1], [2, 2]), \
                F.avg_pool2d(x, (3, 2), 2, 1, ceil, include)


def composites():
    x, s = torch.randn(2, 3, 4), special()
    yield "clamp", [s, -1, 2.5], "", s.clamp(-1, 2.5)
    yield "clamp", [s, 3, 1], "", s.clamp(3, 1)
    yield "clamp_min", [s, 0], "", s.clamp(min=0)
    yield "clamp_max", [s, 0.25], "", s.clamp(max=0.25)
    yield "leaky_relu", [s, 0.01], "", F.leaky_relu(s, 0.01)
    for tanh in (0, 1):
        g = torch.linspace(-6, 6, 25)
        yield "gelu", [g], flat(tanh), F.gelu(g, approximate="tanh" if tanh else "none")
    for d in (0, -1):
        yield "softmax", [x], flat(d), x.softmax(d)
        yield "log_softmax", [x], flat(d), x.log_softmax(d)
    yield "softmax", [torch.tensor([-INF, -INF])], "0", torch.tensor([NAN, NAN])
    w, b = torch.randn(3, 4), torch.randn(3, 4)
    yield "layer_norm", [x, 1e-5, w, b], flat(1, 2), F.layer_norm(x, (3, 4), w, b)
    yield "layer_norm", [x, 1e-5], flat(0, 1), F.layer_norm(x, (4,))
    yield "rms_norm", [x, 1e-6, w[0]], flat(1, 1), x * torch.rsqrt(x.pow(2).mean(-1, True) + 1e-6) * w[0]
    m, v, w3, b3 = torch.randn(3), torch.rand(3), torch.randn(3), torch.randn(3)
    yield "batch_norm", [x, w3, b3, m, v, 1e-5], "", F.batch_norm(x, m, v, w3, b3)
    y = torch.randn(2, 4, 3)
    w4, b4 = torch.randn(4), torch.randn(4)
    yield "group_norm", [y, 1e-5, w4, b4], flat(1, 2), F.group_norm(y, 2, w4, b4)
    q, k, u = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 4)
    mask = torch.rand(3, 5) > 0.3
    mask[:, 0] = True

    def attention(bias):
        return (q @ k.transpose(1, 2) * 0.5 + bias).softmax(-1) @ u
    yield "scaled_dot_product_attention", [q, k, u, 0.5], flat(0, 0), attention(0)
    yield "scaled_dot_product_attention", [q, k, u, 0.5, mask], flat(0, 1), \
        attention(torch.zeros(3, 5).masked_fill(~mask, -INF))
    causal = torch.ones(3, 5).tril() == 0
    yield "scaled_dot_product_attention", [q, k, u, 0.5], flat(1, 0), \
        attention(torch.zeros(3, 5).masked_fill(causal, -INF))


def pointwise():
    s = special()
    places = {name: torch.special for name in "ndtr log_ndtr erfcx i0e i1 i1e entr".split()}
    places.update({name: F for name in "relu6 hardsigmoid hardswish mish logsigmoid softsign tanhshrink selu".split()})
    for name in ("frac asin acos atan sinh cosh asinh acosh atanh sinc deg2rad rad2deg angle entr erfc erfcx erfinv ndtr "
                 "log_ndtr lgamma digamma i0 i0e i1 i1e relu6 hardsigmoid hardswish mish logsigmoid softsign "
                 "tanhshrink selu isposinf isneginf signbit").split():
        for dtype in (torch.float32, torch.float64):
            x = special(dtype)
            yield name, [x], "", getattr(places.get(name, torch), name)(x)
    for dtype in (torch.float32, torch.float64):  # PyTorch has none
        yield "cbrt", [special(dtype)], "", torch.from_numpy(numpy.cbrt(special(dtype).numpy()))
    few = s[[0, 1, 2, 3, 5, 7, 9, 10, 12, 16, 17, 18]]
    a, b = few.repeat_interleave(12), few.repeat(12)
    for name in "hypot xlogy xlog1py logaddexp logaddexp2 heaviside".split():
        yield name, [a, b], "", getattr(torch.special if name == "xlog1py" else torch, name)(a, b)
    yield "trunc_divide", [a, b], "", torch.div(a, b, rounding_mode="trunc")
    i, j = torch.tensor([-7, -3, -1, 1, 2, 7]).repeat_interleave(6), torch.tensor([-7, -3, -1, 1, 2, 7]).repeat(6)
    yield "trunc_divide", [i, j], "", torch.div(i, j, rounding_mode="trunc")
    # By counts within the width: others are no model in PyTorch 1.13.
    n = torch.tensor([0, 1, 5, 31, 62, 63]).repeat(6)
    yield "bitwise_left_shift", [i, n], "", torch.bitwise_left_shift(i, n)
    yield "bitwise_right_shift", [i, n], "", torch.bitwise_right_shift(i, n)


def parametric():
    s = special()
    a, b = s[:8].repeat_interleave(8), s[:8].repeat(8)
    yield "addcmul", [b, a, b, 0.5], "", torch.addcmul(b, a, b, value=0.5)
    yield "addcdiv", [b, a, b + 3, 0.5], "", torch.addcdiv(b, a, b + 3, value=0.5)
    for weight in (0.25, 0.75, -2.0, 1.0):
        yield "lerp", [a, b, weight], "", torch.lerp(a, b, weight)
    yield "lerp", [a, b, a.abs()], "", torch.lerp(a, b, a.abs())
    p = torch.tensor([0.0, 0.25, 0.5, 0.75, 1.0, -0.5, 1.5])
    yield "logit", [p], "", torch.logit(p)
    yield "logit", [p, 0.125, 0.875], "", torch.logit(p, 0.125)
    for n in (0, 1, 2, 3):
        g = torch.tensor([0.25, 1.0, 1.5, 3.0, 20.0])
        yield "polygamma", [g], str(n), torch.polygamma(n, g)
    z = torch.tensor([1.0, 1.5, 2.0, 5.0, 30.0], dtype=torch.float64)
    yield "zeta", [z.repeat_interleave(5), z.repeat(5)], "", torch.special.zeta(z.repeat_interleave(5), z.repeat(5))
    yield "nan_to_num", [s, 7, 8, -9], "", s.nan_to_num(7, 8, -9)
    c = b + 1e-6
    for equal_nan in (0, 1):
        yield "isclose", [s, s, 1e-5, 1e-8], str(equal_nan), torch.isclose(s, s, 1e-5, 1e-8, bool(equal_nan))
        yield "isclose", [b, c, 1e-5, 1e-8], str(equal_nan), torch.isclose(b, c, 1e-5, 1e-8, bool(equal_nan))
    for decimals in (2, -1):
        yield "round_decimals", [s], str(decimals), s.round(decimals=decimals)
    # PyTorch 1.13 subtracts 1 from exp(x), which cancels: not for small numbers.
    e = s[s.abs() > 0.1]
    yield "elu", [e, 1.5, 1.0, 1.0], "", F.elu(e, 1.5)
    yield "softplus", [s, 2.0, 20], "", F.softplus(s, 2.0)
    yield "threshold", [s, 0.5, 9], "", F.threshold(s, 0.5, 9)
    yield "hardshrink", [s, 0.75], "", F.hardshrink(s, 0.75)
    yield "softshrink", [s[:-1], 0.75], "", F.softshrink(s[:-1], 0.75)
    yield "prelu", [s, torch.tensor(0.25)], "", F.prelu(s, torch.tensor([0.25]))
    g = s[:16].reshape(2, 4, 2)
    for d in (1, -1):
        yield "glu", [g], flat(d), F.glu(g, d)


def losses():
    x, y = torch.linspace(-3, 3, 13), torch.linspace(2, -1, 13)
    p, q = torch.linspace(0, 1, 13), torch.linspace(1, 0, 13)
    yield "mse_loss", [x, y], "", F.mse_loss(x, y, reduction="none")
    yield "smooth_l1_loss", [x, y, 0.75], "", F.smooth_l1_loss(x, y, reduction="none", beta=0.75)
    yield "huber_loss", [x, y, 0.75], "", F.huber_loss(x, y, reduction="none", delta=0.75)
    yield "binary_cross_entropy", [p, q], "", F.binary_cross_entropy(p, q, reduction="none")
    name = "binary_cross_entropy_with_logits"
    yield name, [x, q], "", F.binary_cross_entropy_with_logits(x, q, reduction="none")
    w = torch.tensor(2.5)
    yield name, [x, q, w], "", F.binary_cross_entropy_with_logits(x, q, reduction="none", pos_weight=w)
    yield "kl_div", [x, p], "0", F.kl_div(x, p, reduction="none")
    yield "kl_div", [x, y], "1", F.kl_div(x, y, reduction="none", log_target=True)


def scans():
    x = torch.tensor([[3.0, -1.0, NAN, 2.0], [0.5, 3.0, 3.0, -INF], [1.0, -0.0, 0.0, 1e30]])
    i = torch.tensor([[100, 27, 1], [-5, 100, 127]], dtype=torch.int8)
    for d in (0, 1):
        for name in ("cumsum", "cumprod", "logcumsumexp"):
            yield name, [x], flat(d), getattr(torch, name)(x, d)
        for name in ("cumsum", "cumprod"):
            yield name, [i], flat(d), getattr(torch, name)(i, d)
        for name in ("cummax", "cummin"):
            for operand in (x, i):
                yield name, [operand], flat(d), tuple(getattr(torch, name)(operand, d))
    rows = torch.tensor([[1.0, 2.0, 2.0, 5.0], [-1.0, 0.0, 0.0, 7.0]])
    for right in (0, 1):
        yield "searchsorted", [rows, x[:2]], flat(right), torch.searchsorted(rows, x[:2], right=bool(right))
    for d in (-1, 0, 2):
        yield "tril", [x], flat(d), torch.tril(x, d)
        yield "triu", [x], flat(d), torch.triu(x, d)
    yield "flip", [x], flat([0]), torch.flip(x, [0])
    yield "flip", [i], flat([0, 1]), torch.flip(i, [0, 1])


def scatters():
    x, source = torch.linspace(-2, 3, 12).reshape(3, 4), torch.linspace(5, -5, 12).reshape(3, 4)
    index = torch.tensor([[2, 0, 1, 1], [0, 0, 2, 1]])  # equal ones only where what is written is folded
    apart = torch.tensor([[2, 0, 1, 1], [0, 1, 2, 0]])
    yield "scatter", [x, apart, source], flat(0), x.scatter(0, apart, source[:2])
    yield "scatter_add", [x, index, source], flat(0), x.scatter_add(0, index, source)
    # Numbered as in src/ops/scatter.h.
    for number, reduce in ((1, "sum"), (2, "prod"), (3, "amax"), (4, "amin"), (5, "mean")):
        for own in (0, 1):
            yield "scatter_reduce", [x, index, source], flat(0, own, number), \
                x.scatter_reduce(0, index, source, reduce, include_self=bool(own))
    rows, columns = torch.tensor([0, 2, 0]), torch.tensor([1, 3, 1])
    values = torch.tensor([10.0, 20.0, 30.0])
    yield "index_put", [x, values, rows, columns], flat(1, [0, 1]), x.index_put((rows, columns), values, True)
    yield "index_put", [x, values[:2], rows[:2], columns[:2]], flat(0, [0, 1]), \
        x.index_put((rows[:2], columns[:2]), values[:2])
    yield "index_add", [x, rows, source, 0.5], flat(0), x.index_add(0, rows, source, alpha=0.5)
    yield "index_copy", [x, rows[:2], source[:2]], flat(0), x.index_copy(0, rows[:2], source[:2])
    yield "index_fill", [x, rows, 9.0], flat(0), x.index_fill(0, rows, 9.0)


def windows():
    x = torch.randn(2, 3, 5, 7)
    x[0, 0, 1, 1] = NAN
    for ceil in (0, 1):
        pooled = F.max_pool2d(x, (3, 2), 2, 1, 1, bool(ceil), True)
        yield "max_pool", [x], flat(ceil, [1, 1], [3, 2], [1, 1], [2, 2]), tuple(pooled)
        for include in (0, 1):
            yield "avg_pool", [x], flat(ceil, include, 0, [3, 2], [1, 1], [2, 2]), \
                F.avg_pool2d(x, (3, 2), 2, 1, bool(ceil), bool(include))
    yield "avg_pool", [x], flat(0, 1, 5, [3, 2], [0, 0], [1, 1]), F.avg_pool2d(x, (3, 2), 1, 0, divisor_override=5)
    yield "adaptive_avg_pool", [x], flat([2, 3]), F.adaptive_avg_pool2d(x, (2, 3))
    yield "adaptive_max_pool", [x], flat([2, 3]), tuple(F.adaptive_max_pool2d(x, (2, 3), True))
    x, w, b = torch.randn(2, 4, 5, 3), torch.randn(4, 3, 3, 2), torch.randn(6)
    for operands in ([x, w], [x, w, b]):
        yield "conv_transpose", operands, flat([1, 2], 2, [1, 0], [1, 0], [2, 1]), \
            F.conv_transpose2d(*operands, stride=(2, 1), padding=(1, 0), output_padding=(1, 0), groups=2, dilation=(1, 2))
    # Numbered as in src/ops/resample.h.
    for number, mode in enumerate(("nearest", "nearest-exact", "bilinear", "bicubic")):
        for corners in (0, 1) if number > 1 else (0,):
            yield "interpolate", [x, 0.0, 0.0], flat(corners, number, [7, 2]), \
                F.interpolate(x, (7, 2), mode=mode, align_corners=bool(corners) if number > 1 else None)


def distances():
    x, y = torch.randn(4, 3), torch.randn(5, 3)
    for p in (0.0, 1.0, 2.0, 3.0, INF):
        yield "norm", [x, p], flat([1], 0), torch.linalg.vector_norm(x, p, 1)
        yield "cdist", [x, y, p], "", torch.cdist(x, y, p, "donot_use_mm_for_euclid_dist")
    yield "cosine_similarity", [x, y[:4], 1e-8], flat(1), F.cosine_similarity(x, y[:4], 1, 1e-8)
    yield "cross", [x, y[:4]], flat(1), torch.cross(x, y[:4], 1)
    a, b, bias = torch.randn(2, 3, 4), torch.randn(2, 4, 5), torch.randn(2, 3, 5)
    yield "baddbmm", [bias, a, b, 0.5, 2.0], "", torch.baddbmm(bias, a, b, beta=2.0, alpha=0.5)


def signals():
    for n in (8, 15, 53):
        x, z = torch.randn(2, n), torch.randn(n, 3, 2)
        pairs = torch.view_as_complex(z)
        yield "rfft", [x, 1.0], "1", torch.view_as_real(torch.fft.rfft(x))
        yield "fft", [z, 1.0], flat(0, 0), torch.view_as_real(torch.fft.fft(pairs, dim=0))
        yield "fft", [z, 1 / n], flat(0, 1), torch.view_as_real(torch.fft.ifft(pairs, dim=0))
        for m in (2 * n - 2, 2 * n - 1):
            yield "irfft", [z, 1 / m], flat(0, m), torch.fft.irfft(pairs, m, dim=0)


def matrices():
    a = torch.randn(2, 4, 4) + 2 * torch.eye(4)
    b, tall, positive = torch.randn(2, 4, 3), torch.randn(2, 5, 3), a @ a.mT + torch.eye(4)
    yield "inv", [a], flat(1), torch.linalg.inv(a)
    yield "solve", [a, b], "", torch.linalg.solve(a, b)
    for left in (0, 1):
        for unit in (0, 1):
            for upper in (0, 1):
                right = b if left else b.mT
                yield "solve_triangular", [a, right], flat(left, unit, upper), torch.linalg.solve_triangular(
                    a, right, upper=bool(upper), left=bool(left), unitriangular=bool(unit))
    for upper in (0, 1):
        yield "cholesky", [positive], flat(upper), torch.linalg.cholesky(positive, upper=bool(upper))
    for x in (tall, tall.mT):
        yield "lu_factor", [x], "", tuple(torch.linalg.lu_factor(x))
        for number, mode in enumerate(("reduced", "complete", "r")):
            yield "qr", [x], flat(number), tuple(torch.linalg.qr(x, mode))
        # Without vectors, whose signs are any.
        yield "svd", [x], flat(0, 0), (torch.zeros(0), torch.linalg.svdvals(x), torch.zeros(0))
    yield "eigh", [positive], flat(0, 0), (torch.linalg.eigvalsh(positive), torch.zeros(0))


def recurrent():
    x, h, c = torch.randn(4, 2, 3), torch.randn(2, 5), torch.randn(2, 5)
    # Numbered as in src/ops/recurrent.h.
    for mode, (name, gates) in enumerate((("rnn_tanh", 1), ("rnn_relu", 1), ("lstm", 4), ("gru", 3))):
        weights = [torch.randn(gates * 5, 3), torch.randn(gates * 5, 5)]
        biases = [torch.randn(gates * 5), torch.randn(gates * 5)]
        for bias in (0, 1):
            for reverse in (0, 1):
                states = [h, c] if name == "lstm" else [h]
                batch = [s[None] for s in states]
                made = getattr(torch, name)(x.flip(0) if reverse else x, batch if name == "lstm" else batch[0],
                                            weights + biases * bias, bool(bias), 1, 0.0, False, False, False)
                output = made[0].flip(0) if reverse else made[0]
                yield "rnn", [x, *weights, *states, *biases * bias], flat(bias, mode, reverse), \
                    (output, made[2][0] if name == "lstm" else torch.zeros(0))


def convolve(operands, attrs):
    x, w, bias = operands[0], operands[1], operands[2] if len(operands) > 2 else None
    n = w.dim() - 2
    numbers = list(map(int, attrs.split()))
    dilation, rest = numbers[1:1 + n], numbers[1 + n:]
    groups, rest = rest[0], rest[1:]
    padding, stride = rest[1:1 + 2 * n:2], rest[2 + 2 * n:]
    return (F.conv1d if n == 1 else F.conv2d)(x, w, bias, stride, padding, dilation, groups)


if __name__ == "__main__":
    torch.manual_seed(3)
    torch.set_num_threads(1)
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "values.txt"), "w") as file:
        for part in (unary, binary, casts, reductions, movement, contractions, composites, pointwise,
                     parametric, losses, scans, scatters, windows, distances, signals, matrices, recurrent):
            for op, operands, attrs, result in part():
                result = convolve(operands, attrs) if result is None else result
                results = result if isinstance(result, tuple) else (result,)
                file.write(f"{op}; {' | '.join(map(text, operands))}; {attrs}; {' | '.join(map(text, results))}\n")
