"""Functions and methods: how arguments are passed, out=, forms in place, errors, and completeness."""
import inspect
import unittest

from harness import TestCase, frit, main

F = frit.nn.functional


class Arguments(TestCase):
    x = frit.arange(6, dtype=frit.float32).reshape(2, 3)

    def test_are_positional_or_named(self):
        for result in (frit.sum(self.x, 1), frit.sum(self.x, dim=1), frit.sum(input=self.x, dim=[1]),
                       self.x.sum(1), self.x.sum(dim=(1,)), self.x.sum(axis=1), self.x.sum(-1)):
            self.assert_tensor(result, [3.0, 12.0])
        self.assert_tensor(self.x.sum(1, True), [[3.0], [12.0]])
        self.assert_tensor(self.x.sum(1, keepdims=True, dtype=frit.int32), [[3], [12]], frit.int32)

    def test_sizes_may_be_several_or_a_tuple(self):
        self.assertEqual(self.x.view(3, 2).shape, self.x.view((3, 2)).shape)
        self.assertEqual(self.x.reshape(-1).shape, (6,))
        self.assertEqual(self.x.permute(1, 0).shape, frit.permute(self.x, (1, 0)).shape)
        self.assertEqual(frit.zeros(2, self.x.size(0), frit.tensor(3)).shape, (2, 2, 3))
        self.assertEqual(self.x.view(size=[6]).shape, (6,))

    def test_of_linspace_become_integers_before_they_are_divided(self):
        self.assert_tensor(frit.linspace(0, 2.9, 5, dtype=frit.int64), [0, 0, 1, 1, 2], frit.int64)

    def test_choose_among_overloads(self):
        self.assert_tensor(frit.max(self.x), 5.0)
        values, indices = frit.max(self.x, 1)
        self.assert_tensor(values, [2.0, 5.0])
        self.assert_tensor(indices, [2, 2])
        self.assert_tensor(self.x.min(dim=0).values, [0.0, 1.0, 2.0])
        self.assert_tensor(frit.max(self.x, frit.full((1,), 3.0))[0], [3.0, 3.0, 3.0])
        for variance in (self.x.var(1, unbiased=False), self.x.var(1, correction=0), self.x.var(1, False)):
            self.assert_tensor(variance, [self.x[0].var(False).item()] * 2)
        self.assertEqual([t.tolist() for t in frit.arange(5).split([2, 3])], [[0, 1], [2, 3, 4]])
        self.assertEqual(len(frit.arange(5).split(2)), 3)

    def test_may_be_none_where_optional(self):
        w = frit.ones(1, 3)
        self.assert_tensor(F.linear(self.x, w, None), [[3.0], [12.0]])
        self.assert_tensor(F.linear(self.x, w, bias=frit.ones(1)), [[4.0], [13.0]])
        self.assert_tensor(self.x.clamp(None, 1), [[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]])


class Errors(TestCase):
    def test_name_the_function_and_the_argument(self):
        x = frit.ones(2)
        cases = [(lambda: frit.relu(3), "relu(): argument 'input' (position 1) must be Tensor, not int"),
                 (lambda: frit.softmax(x, "a"), "softmax(): argument 'dim' (position 2) must be int, not str"),
                 (lambda: frit.softmax(x), "softmax(): missing required argument 'dim' (position 2)"),
                 (lambda: frit.sum(x, foo=1), "sum(): got an unexpected keyword argument 'foo'"),
                 (lambda: frit.sum(x, 0, dim=0), "sum(): got two values for argument 'dim'"),
                 (lambda: x.exp(1), "exp(): too many positional arguments: (Tensor, int)"),
                 (lambda: frit.cat([x, 1]), "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not list")]
        for function, text in cases:
            self.assertEqual(self.error_of(function), (TypeError, text))

    def test_list_overloads_where_there_are_several(self):
        kind, text = self.error_of(lambda: frit.ones(2).max("a"))
        self.assertEqual(kind, TypeError)
        self.assertIn("max(): the arguments (Tensor, str) fit none of\n * (input)\n", text)

    def test_have_pythons_classes(self):
        x = frit.ones(2, 3)
        cases = [(lambda: x.view(5), RuntimeError), (lambda: x.sum(7), IndexError),
                 (lambda: frit.mean(frit.ones(2, dtype=frit.int64)), RuntimeError),
                 (lambda: frit.Compiled(x, "", False), TypeError),
                 (lambda: frit.compile(abs, backend="nobody"), ValueError),
                 (lambda: frit.set_default_dtype(frit.float64), NotImplementedError),
                 (lambda: frit.empty(2 ** 60), MemoryError), (lambda: frit.set_num_threads(0), ValueError)]
        for number, (function, kind) in enumerate(cases):
            with self.subTest(number):
                self.assertTrue(issubclass(self.error_of(function)[0], kind))


class Results(TestCase):
    def test_go_to_out(self):
        out = frit.zeros(2)
        self.assertIs(frit.add(frit.ones(2), 1, out=out), out)
        self.assert_tensor(out, [2.0, 2.0])
        empty = frit.empty(0)
        frit.exp(frit.zeros(3), out=empty)
        self.assert_tensor(empty, [1.0, 1.0, 1.0])
        values, indices = frit.empty(0), frit.empty(0, dtype=frit.int64)
        frit.max(frit.tensor([[1.0, 2.0]]), 1, out=(values, indices))
        self.assertEqual((values.tolist(), indices.tolist()), ([2.0], [1]))

    def test_are_refused_by_an_out_that_does_not_fit(self):
        x = frit.ones(2)
        self.assertEqual(self.error_of(lambda: frit.exp(x, out=frit.zeros(3)))[0], RuntimeError)
        self.assertEqual(self.error_of(lambda: frit.exp(x, out=frit.zeros(2, dtype=frit.int32)))[0], RuntimeError)
        self.assertEqual(self.error_of(lambda: frit.exp(x, out=3))[0], TypeError)
        y = frit.arange(3.0)
        self.assertEqual(self.error_of(lambda: frit.exp(y[1:], out=y[:-1]))[0], RuntimeError)

    def test_go_to_the_first_argument_in_place(self):
        x = frit.tensor([-1.0, 4.0])
        self.assertIs(x.abs_(), x)
        self.assertIs(frit.sqrt_(x), x)
        self.assertIs(F.leaky_relu(x.sub_(1.5), 0.5, inplace=True), x)
        self.assert_tensor(x, [-0.25, 0.5])
        self.assert_tensor(x.masked_fill_(x < 0, 3).clamp_(max=2), [2.0, 0.5])
        y = frit.arange(3.0)
        self.assertEqual(self.error_of(lambda: y[1:].pow_(y[:-1]))[0], RuntimeError)

    def test_are_the_argument_where_nothing_was_done(self):
        x = frit.ones(2)
        self.assertIs(F.dropout(x, 0.5, training=False), x)
        self.assertIs(frit.dropout(x, 0.5, False), x)
        self.assertIsNot(x.detach(), x)


class Completeness(TestCase):
    # Written by casts and stores: Tensor.to() and everything in place.
    INTERNAL_FAMILIES = ("kCast", "kStore")
    # Rows whose names here are others: overloads, and rows for any number of dimensions.
    NAMES = {"round_decimals": "round", "max_pool": "max_pool3d", "avg_pool": "avg_pool3d",
             "conv_transpose": "conv_transpose2d", "adaptive_avg_pool": "adaptive_avg_pool1d",
             "adaptive_max_pool": "adaptive_max_pool2d", "rnn": "rnn_tanh"}

    def test_every_op_of_the_table_has_its_name_here(self):
        rows = frit._core._op_rows()
        self.assertGreater(len(rows), 60)
        missing = [name for name, family in rows if family not in self.INTERNAL_FAMILIES and
                   not any(hasattr(place, self.NAMES.get(name, name))
                           for place in (frit, frit.Tensor, F, frit.fft, frit.linalg))]
        self.assertEqual(missing, [])

    def test_functions_say_their_arguments(self):
        self.assertEqual(frit.amax.__doc__, "amax(input: Tensor, dim: int | Sequence[int] | None = (), "
                                            "keepdim: bool = False, *, out: Tensor | None = None) -> Tensor\n\n"
                                            "largest; NaN wins.")
        self.assertEqual(frit.Tensor.abs_.__doc__, "abs_(input: Tensor) -> Tensor\n\n"
                                                   "abs(), written to its first argument.")
        for name in dir(frit.Tensor):
            method = getattr(frit.Tensor, name)
            if not name.startswith("_") and callable(method) and not name.endswith("_"):
                # Those that are written in Python say them by themselves.
                self.assertIn("" if inspect.isfunction(method) else "(input", method.__doc__, name)

    def test_other_names_are_the_same_functions(self):
        self.assertIs(frit.multiply, frit.mul)
        self.assertIs(frit.special.expit, frit.sigmoid)
        self.assertIs(frit.concat, frit.cat)
        x = frit.tensor([3.7, -3.7])
        self.assert_tensor(x.fix(), [3.0, -3.0])

    def test_moving_functions_take_pytorchs_arguments(self):
        x = frit.arange(6, dtype=frit.float32).reshape(2, 3)
        self.assert_tensor(x.repeat(1, 2)[0], [0.0, 1.0, 2.0, 0.0, 1.0, 2.0])
        self.assert_tensor(x.flip(0, 1), [[5.0, 4.0, 3.0], [2.0, 1.0, 0.0]])
        self.assert_tensor(frit.roll(x, 1, dims=1)[1], [5.0, 3.0, 4.0])
        self.assert_tensor(frit.einsum("ij,kj->ik", x, x), [[5.0, 14.0], [14.0, 50.0]])
        self.assert_tensor(x.scatter(1, frit.tensor([[0, 2]]), 7.0)[0], [7.0, 1.0, 7.0])
        counts = frit.zeros(3)
        counts.index_put_((frit.tensor([0, 2, 0]),), frit.ones(3), accumulate=True)
        self.assert_tensor(counts, [2.0, 0.0, 1.0])
        self.assert_tensor(x.cummax(1).values, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
        values, inverse = frit.unique(frit.tensor([3, 1, 3]), return_inverse=True)
        self.assert_tensor(values, [1, 3])
        self.assert_tensor(inverse, [1, 0, 1])
        self.assertEqual([t.tolist() for t in frit.tensor_split(frit.arange(5), 2)], [[0, 1, 2], [3, 4]])
        image, places = F.max_pool2d(x.reshape(1, 1, 2, 3), 2, 1, return_indices=True)
        self.assert_tensor(image[0, 0], [[4.0, 5.0]])
        self.assert_tensor(places[0, 0], [[4, 5]])
        self.assert_tensor(F.interpolate(x.reshape(1, 2, 3), scale_factor=2)[0, 0],
                           [0.0, 0.0, 1.0, 1.0, 2.0, 2.0])
        self.assert_tensor(frit.linalg.norm(x, 1), 7.0)

    def test_neural_functions_work(self):
        x = frit.arange(16, dtype=frit.float32).reshape(1, 1, 4, 4)
        self.assert_tensor(F.max_pool2d(x, 2), [[[[5.0, 7.0], [13.0, 15.0]]]])
        self.assert_tensor(F.avg_pool2d(x, 2, stride=(2, 2)), [[[[2.5, 4.5], [10.5, 12.5]]]])
        self.assert_tensor(F.adaptive_avg_pool2d(x, (1, None))[0, 0], [[6.0, 7.0, 8.0, 9.0]])
        self.assertEqual(F.conv2d(x, frit.ones(2, 1, 3, 3), padding="same").shape, (1, 2, 4, 4))
        self.assert_tensor(F.pad(x, (0, 0, 0, 1), value=2)[0, 0, -1], [2.0] * 4)
        q = frit.ones(1, 2, 4)
        self.assert_tensor(F.scaled_dot_product_attention(q, q, q), q.tolist())
        self.assert_tensor(F.embedding(frit.tensor([1]), frit.eye(2)), [[0.0, 1.0]])
        norm = F.batch_norm(x, frit.zeros(1), frit.ones(1), eps=0.0)
        self.assert_tensor(norm, x.tolist())


if __name__ == "__main__":
    main()
