"""x[...] and x[...] = y, held to NumPy's for random indices."""
import random
import unittest

import numpy

from harness import TestCase, frit, main


def random_entry(source, size):
    """An index of one dimension for NumPy; Frit's follows from it."""
    kind = source.randrange(6)
    if kind == 0:
        return source.randrange(-size, size)
    if kind == 1:
        return None
    if kind == 2:
        return numpy.array([source.randrange(-size, size) for _ in range(3)])
    if kind == 3:
        return numpy.array([source.random() < 0.5 for _ in range(size)])
    start, stop = source.randrange(-size - 1, size + 2), source.randrange(-size - 1, size + 2)
    return slice(start, stop, source.randrange(1, 3))


def random_index(source, shape):
    entries, dim = [], 0
    while dim < len(shape) and source.random() < 0.85:
        entry = random_entry(source, shape[dim])
        dim += entry is not None
        entries.append(entry)
    if source.random() < 0.3:
        entries.insert(source.randrange(len(entries) + 1), Ellipsis)
    masks = [e for e in entries if isinstance(e, numpy.ndarray) and e.dtype == bool]
    arrays = [e for e in entries if isinstance(e, numpy.ndarray)]
    # Masks and arrays together would have to broadcast by chance.
    return tuple(entries) if not masks or len(arrays) == 1 else random_index(source, shape)


def to_frit(index):
    return tuple(frit.tensor(e) if isinstance(e, numpy.ndarray) else e for e in index)


class Random(TestCase):
    SEED = 20240607

    def cases(self):
        source = random.Random(self.SEED)
        for number in range(400):
            shape = tuple(source.randrange(1, 5) for _ in range(source.randrange(1, 5)))
            values = numpy.arange(int(numpy.prod(shape)), dtype=numpy.float32).reshape(shape)
            index = random_index(source, shape)
            # The placement of separated indices is NumPy's, but for an integer beside an array.
            if any(isinstance(e, int) for e in index) and any(isinstance(e, numpy.ndarray) for e in index):
                continue
            yield f"seed {self.SEED}, case {number}: {shape} {index}", values, index

    def test_reads_are_numpys(self):
        for name, values, index in self.cases():
            with self.subTest(name):
                self.assert_tensor(frit.tensor(values)[to_frit(index)], values[index].tolist())

    def test_writes_are_numpys(self):
        for name, values, index in self.cases():
            with self.subTest(name):
                x = frit.tensor(values)
                new = -numpy.arange(values[index].size, dtype=numpy.float32).reshape(values[index].shape)
                values[index] = new
                x[to_frit(index)] = frit.tensor(new)
                self.assert_tensor(x, values.tolist())
                values[index] = 9
                x[to_frit(index)] = 9
                self.assert_tensor(x, values.tolist())


class Indexing(TestCase):
    def test_gives_views_where_pytorch_does(self):
        x = frit.zeros(3, 4)
        x[1][2:] += 1
        x[..., 0].fill_(5)
        x[None, 2, frit.tensor(3)].add_(7)
        self.assert_tensor(x, [[5.0, 0.0, 0.0, 0.0], [5.0, 0.0, 1.0, 1.0], [5.0, 0.0, 0.0, 7.0]])

    def test_understands_lists_and_numpys_numbers(self):
        x = frit.arange(6).reshape(3, 2)
        self.assert_tensor(x[[0, 2]], [[0, 1], [4, 5]])
        self.assert_tensor(x[[True, False, True]], [[0, 1], [4, 5]])
        self.assert_tensor(x[[[0, 2], [1, 0]]], [1, 4])
        self.assert_tensor(x[numpy.int64(1), numpy.int32(-1)], 3)
        self.assert_tensor(x[numpy.array([1, 1])], [[2, 3], [2, 3]])
        self.assert_tensor(x[[]], [])
        self.assert_tensor(x[True].sum(), 15)

    def test_writes_the_last_of_equal_indices(self):
        x = frit.zeros(3)
        x[[1, 1, 1]] = frit.tensor([1.0, 2.0, 3.0])
        self.assert_tensor(x, [0.0, 3.0, 0.0])

    def test_writes_by_masks(self):
        x = frit.arange(6, dtype=frit.float32).reshape(2, 3)
        x[x > 3] = -1
        x[frit.tensor([True, False])] = frit.tensor([7.0, 8.0, 9.0])
        x[x == 9] = frit.tensor(0.5)
        self.assert_tensor(x, [[7.0, 8.0, 0.5], [3.0, -1.0, -1.0]])

    def test_writes_values_that_are_a_part_of_the_target(self):
        x = frit.arange(4)
        x[[3, 2, 1, 0]] = x
        self.assert_tensor(x, [3, 2, 1, 0])

    def test_converts_what_is_written(self):
        x = frit.zeros(3, dtype=frit.int32)
        x[0] = 1.9
        x[1:] = [2, 3]
        x[[2]] = frit.tensor([4.5])
        self.assert_tensor(x, [1, 2, 4], frit.int32)

    def test_has_pytorchs_error_classes(self):
        x = frit.zeros(2, 3)
        index_errors = [lambda: x[2], lambda: x[0, 0, 0], lambda: x[frit.tensor([5])],
                        lambda: x[frit.tensor([0.5])], lambda: x[..., ..., 0],
                        lambda: x[frit.tensor([True] * 5)]]
        for number, function in enumerate(index_errors):
            with self.subTest(number):
                self.assertEqual(self.error_of(function)[0], IndexError)
        self.assertEqual(self.error_of(lambda: x["a"])[0], TypeError)
        self.assertEqual(self.error_of(lambda: x[::-1])[0], ValueError)
        self.assertEqual(self.error_of(lambda: x.__setitem__(0, frit.ones(5)))[0], RuntimeError)
        self.assertEqual(self.error_of(lambda: x.__delitem__(0))[0], TypeError)


if __name__ == "__main__":
    main()
