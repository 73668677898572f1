"""Sequences of different lengths in one batch."""
from collections import namedtuple

import frit
from frit import _core


class PackedSequence(namedtuple("PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])):
    """Sequences by decreasing length, step by step: data holds the first elements of all, then the
    second of those that have one, and so on; batch_sizes says how many these are."""

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if batch_sizes is None:  # a pair
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """Converts the data."""
        return PackedSequence(self.data.to(*args, **kwargs), *self[1:])

    def float(self):
        """The data as float32."""
        return self.to(frit.float32)

    def double(self):
        """The data as float64."""
        return self.to(frit.float64)

    @property
    def is_cuda(self):
        """False: there is only the CPU."""
        return False


def invert_permutation(permutation):
    """The permutation that undoes another."""
    return None if permutation is None else permutation.argsort()


def pack_lists(sequences):
    """The steps of sequences by decreasing length, one after the other."""
    steps = [[s[t] for s in sequences if t < s.size(0)] for t in range(sequences[0].size(0))]
    return _core.stack([element for step in steps for element in step])


def sequences_of(packed):
    """The sequences of a PackedSequence, by decreasing length."""
    batch_sizes = packed.batch_sizes.tolist()
    begins = [sum(batch_sizes[:t]) for t in range(len(batch_sizes))]
    return [packed.data[frit.tensor([begin + i for begin, n in zip(begins, batch_sizes) if i < n])]
            for i in range(batch_sizes[0])]


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Packs sequences that are padded to one length."""
    lengths = frit.as_tensor(lengths, dtype=frit.int64)
    order = None
    if not enforce_sorted:
        lengths, order = _core.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    counts = lengths.tolist()
    if any(a < b for a, b in zip(counts, counts[1:])):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
                           "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if you do not need ONNX exportability.")
    if min(counts) <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
                           "<= 0")
    steps = input.transpose(0, 1) if batch_first else input
    batch_sizes = [sum(n > t for n in counts) for t in range(counts[0])]
    data = _core.cat([steps[t, :n] for t, n in enumerate(batch_sizes)])
    return PackedSequence(data, frit.tensor(batch_sizes, dtype=frit.int64), order)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Gives (the sequences padded to one length, their lengths)."""
    batch_sizes = sequence.batch_sizes.tolist()
    length = len(batch_sizes) if total_length is None else total_length
    if length < len(batch_sizes):
        raise ValueError("Expected total_length to be at least the length of the longest sequence in input, but got "
                         f"total_length={total_length} and max sequence length being {len(batch_sizes)}")
    data = sequence.data
    padded = _core.full((length, batch_sizes[0], *data.shape[1:]), padding_value, dtype=data.dtype)
    begin = 0
    for t, n in enumerate(batch_sizes):
        padded[t, :n] = data[begin:begin + n]
        begin += n
    lengths = frit.tensor([sum(n > i for n in batch_sizes) for i in range(batch_sizes[0])], dtype=frit.int64)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Stacks sequences, padded to the longest."""
    sequences = list(sequences)
    length = max(s.size(0) for s in sequences)
    first = sequences[0]
    padded = _core.full((len(sequences), length, *first.shape[1:]), padding_value, dtype=first.dtype)
    for i, s in enumerate(sequences):
        begin = length - s.size(0) if padding_side == "left" else 0
        padded[i, begin:begin + s.size(0)] = s
    return padded if batch_first else padded.transpose(0, 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences without their padding."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:n] for row, n in zip(rows.unbind(0), frit.as_tensor(lengths).tolist())]


def pack_sequence(sequences, enforce_sorted=True):
    """Packs sequences."""
    return pack_padded_sequence(pad_sequence(sequences), [s.size(0) for s in sequences], False, enforce_sorted)


def unpack_sequence(packed_sequences):
    """The sequences of a PackedSequence, in their first order."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
