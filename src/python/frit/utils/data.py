"""Data sets, samplers and a loader that makes batches, in this process."""
import bisect
import itertools

import frit
from frit import _core
from frit._core import Tensor


class Dataset:
    """Samples by number: a subclass defines __getitem__ and usually __len__."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Samples one after the other: a subclass defines __iter__."""


class TensorDataset(Dataset):
    """The rows of tensors, as tuples."""

    def __init__(self, *tensors):
        if any(t.size(0) != tensors[0].size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


class ConcatDataset(Dataset):
    """Several data sets one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]


class Subset(Dataset):
    """The samples of a data set with some numbers."""

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """The samples in random order, in parts of those lengths."""
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = _core.randperm(len(dataset)).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - n:end]) for end, n in zip(ends, lengths)]


class Sampler:
    """An order of samples: a subclass defines __iter__."""

    def __init__(self, data_source=None):
        pass


class SequentialSampler(Sampler):
    """In their own order."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """In random order."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self.num_samples = len(data_source) if num_samples is None else num_samples

    def __iter__(self):
        n = len(self.data_source)
        if self.replacement:
            yield from _core.randint(0, n, (self.num_samples,)).tolist()
            return
        for _ in range(-(-self.num_samples // n) if n else 0):
            yield from _core.randperm(n).tolist()[:self.num_samples]

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of batch_size samples."""

    def __init__(self, sampler, batch_size, drop_last):
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        samples = iter(self.sampler)
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole if self.drop_last or not rest else whole + 1


def default_collate(batch):
    """A list of samples as one sample of stacked tensors."""
    first = batch[0]
    if isinstance(first, Tensor):
        return _core.stack(list(batch))
    if type(first).__module__ == "numpy":
        return _core.stack([frit.as_tensor(x) for x in batch])
    if isinstance(first, (bool, int, float)):
        return frit.tensor(list(batch), dtype=frit.float64 if isinstance(first, float) else None)
    if isinstance(first, dict):
        return type(first)({key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(part) for part in zip(*batch)))
    if isinstance(first, (list, tuple)):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(part) for part in zip(*batch)]
    return list(batch)


class DataLoader:
    """Batches of a data set. It works in this process, whatever num_workers says."""

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True):
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.num_workers = num_workers
        self._streams = isinstance(dataset, IterableDataset)
        if sampler is None and not self._streams:
            sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
        self.sampler = sampler
        if batch_sampler is None and batch_size is not None and not self._streams:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn or (default_collate if batch_size is not None or batch_sampler else lambda x: x)

    def __iter__(self):
        if self._streams:
            yield from self._stream()
        elif self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
        else:
            for batch in self.batch_sampler:
                yield self.collate_fn([self.dataset[index] for index in batch])

    def _stream(self):
        if self.batch_size is None:
            yield from map(self.collate_fn, self.dataset)
            return
        for batch in BatchSampler(self.dataset, self.batch_size, self.drop_last):
            yield self.collate_fn(batch)

    def __len__(self):
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


def get_worker_info():
    """None: there are no workers."""
    return None
