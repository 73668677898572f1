"""Writes promotion.txt and rules.txt: what PyTorch says of dtypes, sizes, strides and errors.

    python3 generate_rules.py         # needs PyTorch; the files are committed

promotion.txt has a row per op and first operand, a column per second operand: the result's dtype or the
exception's class. rules.txt has a line per call: op; operands; flat attributes; result. A layout is
f32[2,3]{3,1}, a view has @offset after it.
"""
import os
import random

import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16,
          "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8,
          "u8": torch.uint8, "bool": torch.bool}
NAMES = {v: k for k, v in DTYPES.items()}
SCALARS = {"float": 1.5, "int": 1, "true": True}

# Ops of 16-bit floats that the CPU of this PyTorch lacks are not rules: Frit has them.
LACKING = ("not implemented for 'Half'", "not implemented for 'BFloat16'")


def attempt(fn):
    """The result, or the name of the exception's class; None where PyTorch lacks a kernel."""
    try:
        return fn()
    except Exception as e:  # noqa: the class is the result
        return None if any(text in str(e) for text in LACKING) else type(e).__name__


def operand(spec):
    if spec in SCALARS:
        return SCALARS[spec]
    dtype, shape = spec.split("[")
    return torch.ones([2] if shape == "2]" else [], dtype=DTYPES[dtype])


def binary(name):
    if name == "where":
        return lambda a, b: torch.where(torch.tensor([True, False]), a, b)
    if name == "maximum":  # without numbers in Python
        return lambda a, b: torch.maximum(torch.as_tensor(a), torch.as_tensor(b))
    if name == "div":
        return torch.true_divide
    return getattr(torch, name)


def promotion(out):
    specs = [d + s for s in ("[2]", "[]") for d in DTYPES] + list(SCALARS)
    out.write("columns " + " ".join(specs) + "\n")
    for name in ("add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "atan2", "lt",
                 "bitwise_and", "logical_or", "where", "fmax", "copysign"):
        for a in specs:
            row = []
            for b in specs:
                tensors = [s for s in (a, b) if s not in SCALARS]
                if len(tensors) < 2 and (not tensors or name in ("atan2", "fmax", "logical_or")
                                         or (name in ("lt", "copysign") and a in SCALARS)
                                         or (name == "where" and torch.__version__ < "2")):
                    row.append("-")  # not callable so in Python
                    continue
                result = attempt(lambda: NAMES[binary(name)(operand(a), operand(b)).dtype])
                row.append(result or "-")
            out.write(f"{name} {a} {' '.join(row)}\n")
    for name in ("neg", "abs", "floor", "round", "sqrt", "rsqrt", "exp", "log1p", "sin", "tanh", "erf",
                 "sigmoid", "silu", "sign", "relu", "logical_not", "bitwise_not", "isnan", "isinf",
                 "isfinite", "reciprocal"):
        fn = torch.nn.functional.silu if name == "silu" else getattr(torch, name)
        row = [attempt(lambda: NAMES[fn(operand(d + "[2]")).dtype]) or "-" for d in DTYPES]
        out.write(f"unary {name} {' '.join(row)}\n")


def layout(t):
    return (f"{NAMES[t.dtype]}[{','.join(map(str, t.shape))}]"
            f"{{{','.join(map(str, t.stride()))}}}")


def random_tensor(rng, rank=None, dtype=torch.float32):
    """Some rank and sizes, in some memory order, with gaps or stride 0 now and then."""
    rank = rng.randint(0, 4) if rank is None else rank
    sizes = [rng.choice([1, 2, 3, 4, 1, 2, 3, 0] if rng.random() < 0.2 else [1, 2, 3, 4])
             for _ in range(rank)]
    order = list(range(rank))
    if rng.random() < 0.6:
        rng.shuffle(order)
    x = torch.zeros([sizes[d] for d in order], dtype=dtype)
    x = x.permute([order.index(d) for d in range(rank)]) if rank else x
    for d in range(rank):
        kind = rng.random()
        if kind < 0.08:
            x = torch.zeros([n * 2 if i == d else n for i, n in enumerate(x.shape)], dtype=dtype)
            x = x[(slice(None),) * d + (slice(None, None, 2),)]
        elif kind < 0.14 and x.shape[d] > 0:
            x = x[(slice(None),) * d + (slice(0, 1),)].expand(
                [4 if i == d else n for i, n in enumerate(x.shape)])
    # A view of a view would have an offset of its own.
    return torch.empty_strided(x.shape, x.stride(), dtype=dtype)


def flat(*values):
    result = []
    for v in values:
        result += [len(v), *v] if isinstance(v, (list, tuple)) else [int(v)]
    return " ".join(map(str, result))


def random_dims(rng, rank):
    return rng.sample(range(-rank, 0), rng.randint(0, rank)) if rank else []


def same_count(rng, n):
    """Sizes with n elements, one of them perhaps as -1."""
    sizes = []
    while n > 1 and rng.random() < 0.8:
        factor = rng.choice([f for f in range(1, n + 1) if n % f == 0])
        sizes.append(factor)
        n //= factor
    sizes.append(n)
    if rng.random() < 0.3 and 0 not in sizes:
        sizes[rng.randrange(len(sizes))] = -1
    return sizes


def broadcastable(rng, x):
    sizes = [1 if rng.random() < 0.3 else n for n in x.shape]
    sizes = sizes[rng.randint(0, len(sizes)):] if rng.random() < 0.3 else sizes
    y = torch.zeros(sizes)
    if len(sizes) > 1 and rng.random() < 0.5:
        order = list(range(len(sizes)))
        rng.shuffle(order)
        y = torch.zeros([sizes[d] for d in order]).permute([order.index(d) for d in range(len(sizes))])
    return y


def cases(rng):
    """(op, operands, attributes, function of the operands)"""
    for _ in range(110):
        x = random_tensor(rng)
        r = x.dim()
        sizes = same_count(rng, x.numel())
        yield "view", [x], flat(sizes), lambda x: x.view(sizes)
        yield "reshape", [x], flat(sizes), lambda x: x.reshape(sizes)
        order = random.Random(rng.random()).sample(range(-r, 0), r)
        yield "permute", [x], flat(order), lambda x: x.permute(order)
        target = [rng.choice([1, 2])] * rng.randint(0, 2) + [
            n if n != 1 or rng.random() < 0.3 else rng.choice([1, 3, -1]) for n in x.shape]
        yield "expand", [x], flat(target), lambda x: x.expand(target)
        dim, start, end, step = rng.randint(-r, r), rng.randint(-5, 5), rng.randint(-5, 5), rng.randint(1, 3)
        yield "slice", [x], flat(dim, end, start, step), \
            lambda x: torch.ops.aten.slice(x, dim, start, end, step)
        yield "select", [x], flat(dim, start), lambda x: x.select(dim, start)
        yield "squeeze", [x], flat([dim]), lambda x: x.squeeze(dim)
        yield "squeeze", [x], flat([]), lambda x: x.squeeze()
        yield "unsqueeze", [x], flat(dim), lambda x: x.unsqueeze(dim)
        yield "clone", [x], "", lambda x: x.clone()
        yield "contiguous", [x], "", lambda x: x.contiguous()
        yield "cast", [x], "4", lambda x: x.to(torch.int64)
        yield "relu", [x], "", lambda x: x.relu()
        yield "eq", [x], "", None
        y = broadcastable(rng, x)
        yield "add", [x, y], "", lambda x, y: x + y
        yield "add", [y, x], "", lambda x, y: x + y
        yield "add", [x, random_tensor(rng, r)], "", lambda x, y: x + y
        dims, keep = random_dims(rng, r), rng.random() < 0.5
        yield "sum", [x], flat(dims, keep), lambda x: x.sum(dims, keep)
        yield "amax", [x], flat(dims, keep), lambda x: x.amax(dims, keep)
        yield "argmax", [x], flat([dim], keep), lambda x: x.argmax(dim, keep)
        yield "sort", [x], flat(0, dim), lambda x: x.sort(dim)
        k = rng.randint(0, 3)
        yield "topk", [x], flat(dim, k, 1), lambda x: x.topk(k, dim)
        z = random_tensor(rng, r)
        yield "cat", [x, z], flat(dim), lambda x, z: torch.cat([x, z], dim)
        yield "cat", [x, x, x], flat(dim), lambda *x: torch.cat(x, dim)
        pads = [rng.randint(-1, 2) for _ in range(2 * rng.randint(0, 3))]
        yield "pad", [x], flat(pads), lambda x: torch.constant_pad_nd(x, pads)
        yield "softmax", [x], flat(dim), lambda x: x.softmax(dim)
        yield "mean", [x], flat(dims, keep), lambda x: x.mean(dims, keep)
    for _ in range(150):
        a, b = random_tensor(rng, rng.choice([1, 2, 2, 3, 4])), random_tensor(rng, rng.choice([1, 2, 2, 3, 4]))
        if rng.random() < 0.8:
            b = torch.zeros(list(b.shape[:-2]) + [a.shape[-1]] + list(b.shape[-1:] if b.dim() > 1 else []))
        yield "matmul", [a, b], "", lambda a, b: a @ b
        index = torch.zeros([rng.randint(0, 3)] * rng.randint(0, 2), dtype=rng.choice([torch.int64, torch.int32, torch.int16]))
        dim = rng.randint(-3, 3)
        if 0 not in a.shape or index.numel() == 0:  # else an error of the elements
            yield "index_select", [a, index], flat(dim), lambda a, i: a.index_select(dim, i)
        index = torch.zeros([rng.randint(0, 3) for _ in range(a.dim())], dtype=torch.int64)
        yield "gather", [a, index], flat(dim), lambda a, i: a.gather(dim, i)
    for _ in range(150):
        x, w = random_tensor(rng, 4), torch.zeros(rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3))
        stride, pad, dilation = [rng.randint(1, 2), rng.randint(1, 2)], [rng.randint(0, 2), rng.randint(0, 2)], [rng.randint(1, 2), 1]
        kernel, ceil = [rng.randint(1, 3), rng.randint(1, 3)], rng.random() < 0.5
        yield "max_pool2d", [x], flat(ceil, dilation, kernel, pad, stride), \
            lambda x: torch.nn.functional.max_pool2d(x, kernel, stride, pad, dilation, ceil)
        yield "avg_pool2d", [x], flat(ceil, 1, kernel, pad, stride), \
            lambda x: torch.nn.functional.avg_pool2d(x, kernel, stride, pad, ceil)
        both = [pad[0], pad[0], pad[1], pad[1]]
        yield "convolution", [x, w], flat(dilation, 1, both, stride), \
            lambda x, w: torch.nn.functional.conv2d(x, w, None, stride, pad, dilation)


def describe(operands, result):
    if isinstance(result, str):
        return result
    results = result if isinstance(result, tuple) else (result,)
    texts = []
    for r in results:
        text = layout(r)
        if isinstance(operands[0], torch.Tensor) and r.storage().data_ptr() == operands[0].storage().data_ptr() \
                and r.numel() > 0:
            text += f"@{r.storage_offset()}"
        texts.append(text)
    return " ".join(texts)


def rules(out):
    rng = random.Random(7)
    seen = set()
    for op, operands, attrs, fn in cases(rng):
        if fn is None:
            fn, operands = (lambda x: x.eq(0)), operands
        result = attempt(lambda: fn(*operands))
        if result is None:
            continue
        extra = {"pad": " 0", "eq": " 0"}.get(op, "")
        line = f"{op}; {' '.join(map(layout, operands))}{extra}; {attrs}; {describe(operands, result)}\n"
        if line not in seen:
            seen.add(line)
            out.write(line)


if __name__ == "__main__":
    torch.set_num_threads(1)
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "promotion.txt"), "w") as file:
        promotion(file)
    with open(os.path.join(here, "rules.txt"), "w") as file:
        rules(file)
