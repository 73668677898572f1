"""Where Frit is not what PyTorch 1.13 is, op by op: (op, part of the report's text, reason).

An entry that explains nothing fails the test, so what has been mended leaves this list.
"""

LATER = "refused with an error that says so"

KNOWN = (
    ("nn.functional.adaptive_avg_pool2d", "does not divide", LATER),
    ("nn.functional.avg_pool2d", "divisor_override", LATER),
    ("nn.functional.batch_norm", "training=True", "Frit runs inference"),
    ("nn.functional.rrelu", "only inference", "Frit runs inference"),
    ("nn.functional.dropout", "only inference", "Frit runs inference"),
    ("nn.functional.conv2d", "the two sides differ", LATER),
    ("nn.functional.max_pool2d", "return_indices=True", LATER),
    ("nn.functional.pad", "not implemented", LATER),
    ("addr", "bool is not supported", LATER),
    ("clamp_max", "bool is not supported", LATER),
    ("clamp_min", "bool is not supported", LATER),
    ("nn.functional.batch_norm", "expected at least 2 dimensions",
     "without channels PyTorch 1.13 gives back an empty tensor"),
    ("gather", "u8[0]", "PyTorch does not look at the dtype of an empty index"),
    ("linspace", "Mismatched", "PyTorch 1.13 computes the steps of 16-bit results in 16 bits"),
    ("randn", "Mismatched elements: 25 / 25", "16-bit normal numbers are drawn as f32 and rounded"),
    ("randn_like", "Mismatched elements: 25 / 25", "the same"),
    ("rand_like", "are not close", "the database of PyTorch 1.13 calls randn_like under this name"),
    ("masked_fill", "complex", "there are no complex numbers: a TypeError from any op"),
    ("nn.functional.avg_pool2d", "i64 is not supported", LATER),
    ("cat", "resize storage", "the driver copies what is both operand and out="),
    ("take", "refer to a single memory location", "the same"),
    ("mean", "Expected out tensor to have dtype double", "out= of another float dtype is written"),
    ("gather", "Expected out tensor to have dtype", "the same"),
)


def find(op, text):
    """The entry for a reported difference, or None."""
    return next((entry for entry in KNOWN if entry[0] == op and entry[1] in text), None)
