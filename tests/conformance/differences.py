"""Where Frit is not what PyTorch 1.13 is, op by op: (op, part of the report's text, reason).

An entry that explains nothing fails the test, so what has been mended leaves this list.
"""

LATER = "refused with an error that says so"

KNOWN = (
    ("nn.functional.triplet_margin_with_distance_loss", "must be Tensor, not frit.Tensor",
     "the database passes a module of PyTorch"),
    ("to_sparse", "only strided tensors", "there are no sparse tensors"),
    ("stft", "return_complex=True", LATER),
    ("istft", "return_complex=True", LATER),
    ("norm", "norm(p='nuc')", LATER),
    ("linalg.pinv", "fit none of", "a cutoff is a number, not a tensor"),
    ("linalg.matrix_rank", "fit none of", "the same"),
    ("linalg.lstsq", "no tensor: linalg_lstsq", "the database takes the solution alone in PyTorch's result"),
    ("aminmax", "[], dim=0, keepdim=True)", "PyTorch 1.13 gives a 0-dim tensor a dimension"),
    ("unique", "sorted=False", "the order is not specified: Frit sorts"),
    ("logspace", "dtype=torch.bfloat16", "PyTorch 1.13 computes exponents of 16-bit results in 16 bits"),
    ("nn.functional.embedding_bag", "max_norm", LATER),
    ("normal", "float16[", "16-bit normal numbers are scaled in f32 and rounded once"),
    ("normal", "], 0.3)", "the database passes the deviation before the mean"),
    ("addr", "bool is not supported", LATER),
    ("clamp_max", "bool is not supported", LATER),
    ("clamp_min", "bool is not supported", LATER),
    ("nn.functional.batch_norm", "expected at least 2 dimensions",
     "without channels PyTorch 1.13 gives back an empty tensor"),
    ("gather", "u8[0]", "PyTorch does not look at the dtype of an empty index"),
    ("linspace", "elements are not equal", "PyTorch 1.13 truncates the first of each vector of integers"),
    ("linspace", "are not close", "PyTorch 1.13 computes the steps of 16-bit results in 16 bits"),
    ("rand_like", "are not close", "the database of PyTorch 1.13 calls randn_like under this name"),
    ("masked_fill", "complex", "there are no complex numbers: a TypeError from any op"),
    ("cat", "resize storage", "the driver copies what is both operand and out="),
    ("take", "refer to a single memory location", "the same"),
    ("mean", "Expected out tensor to have dtype double", "out= of another float dtype is written"),
    ("aminmax", "Expected out tensor to have dtype", "the same"),
    ("gather", "Expected out tensor to have dtype", "the same"),
)

# Ops whose error samples the database takes from torch.empty(): which error comes first depends on what
# was in memory.
UNINITIALISED_ERRORS = ("multinomial",)


def find(op, text):
    """The entry for a reported difference, or None."""
    return next((entry for entry in KNOWN if entry[0] == op and entry[1] in text), None)
