"""Tensors in Python: arithmetic, numbers as operands, facts, conversion to Python's own types."""
import copy
import math
import operator
import pickle
import unittest
import weakref

from harness import TestCase, frit, main


class Arithmetic(TestCase):
    def test_runs_pytorch_style_code(self):
        self.assert_tensor(frit.tensor([1.0, 2.0]) * 2 + 1, [3.0, 5.0], frit.float32)

    def test_has_every_operator_from_either_side(self):
        x = frit.tensor([7.0, -7.0])
        cases = [(operator.add, 2, [9.0, -5.0], [9.0, -5.0]),
                 (operator.sub, 2, [5.0, -9.0], [-5.0, 9.0]),
                 (operator.mul, 2, [14.0, -14.0], [14.0, -14.0]),
                 (operator.truediv, 2, [3.5, -3.5], [2 / 7, -2 / 7]),
                 (operator.floordiv, 2, [3.0, -4.0], [0.0, -1.0]),
                 (operator.mod, 2, [1.0, 1.0], [2.0, -5.0]),
                 (operator.pow, 2, [49.0, 49.0], [128.0, 2.0 ** -7])]
        for function, number, right, left in cases:
            with self.subTest(function.__name__):
                self.assert_tensor(function(x, number), right)
                self.assertTrue(all(math.isclose(a, b, rel_tol=1e-6)
                                    for a, b in zip(function(number, x).tolist(), left)))

    def test_has_bit_operators(self):
        a, b = frit.tensor([12, 5]), frit.tensor([10, 6])
        self.assert_tensor(a & b, [8, 4])
        self.assert_tensor(a | b, [14, 7])
        self.assert_tensor(a ^ b, [6, 3])
        self.assert_tensor(~a, [-13, -6])
        self.assert_tensor(3 & a, [0, 1])

    def test_has_unary_operators(self):
        x = frit.tensor([-1.5, 2.0])
        self.assert_tensor(-x, [1.5, -2.0])
        self.assert_tensor(abs(x), [1.5, 2.0])
        self.assertIs(+x, x)

    def test_writes_in_place(self):
        x = frit.tensor([6.0, 9.0])
        view, same = x[:1], x
        x += 1
        x -= frit.tensor([1.0, 1.0])
        x *= 2
        x /= 4
        x //= 1
        x **= 2
        x %= 7
        self.assertIs(x, same)
        self.assert_tensor(x, [2.0, 2.0])
        self.assert_tensor(view, [2.0])

    def test_refuses_results_that_do_not_fit_in_place(self):
        kind, text = self.error_of(lambda: frit.tensor([1]).add_(1.5))
        self.assertEqual((kind, text),
                         (RuntimeError, "add_(i64[1]): the result is f32, which i64 does not hold"))
        kind, text = self.error_of(lambda: frit.ones(1).exp_().pow_(frit.ones(2)))
        self.assertEqual(kind, RuntimeError)

    def test_multiplies_matrices(self):
        a = frit.tensor([[1.0, 2.0], [3.0, 4.0]])
        self.assert_tensor(a @ a, [[7.0, 10.0], [15.0, 22.0]])
        self.assertEqual(self.error_of(lambda: a @ 2)[0], TypeError)

    def test_compares(self):
        x = frit.tensor([1.0, 2.0, float("nan")])
        self.assert_tensor(x == 2, [False, True, False], frit.bool)
        self.assert_tensor(x != 2, [True, False, True])
        self.assert_tensor(x < 2, [True, False, False])
        self.assert_tensor(2 <= x, [False, True, False])
        self.assert_tensor(x > frit.tensor(1.0), [False, True, False])
        self.assertFalse(x == "text")

    def test_leaves_foreign_operands_to_them(self):
        class Other:
            def __radd__(self, tensor):
                return "radd"

        self.assertEqual(frit.ones(1) + Other(), "radd")
        for foreign in ([1], "a", None, 1j, object()):
            self.assertEqual(self.error_of(lambda: frit.ones(1) + foreign)[0], TypeError)


class Numbers(TestCase):
    def test_are_weak_operands(self):
        self.assertEqual((frit.tensor([1], dtype=frit.int8) + 2).dtype, frit.int8)
        self.assertEqual((frit.tensor([1], dtype=frit.int32) * 1.5).dtype, frit.float32)
        self.assertEqual((frit.tensor([1], dtype=frit.bfloat16) * 2.5).dtype, frit.bfloat16)
        self.assertEqual((frit.tensor([True]) + 1).dtype, frit.int64)
        self.assertEqual((frit.tensor([True]) + True).dtype, frit.bool)

    def test_refuse_what_64_bits_do_not_hold(self):
        kind, text = self.error_of(lambda: frit.tensor([1]) + 2 ** 70)
        self.assertEqual(kind, RuntimeError)
        self.assertIn("overflow", text)

    def test_over_a_tensor_round_its_reciprocal_first(self):
        x = frit.tensor([3.0, 7.0, 0.1])
        self.assert_tensor(240.0 / x, (frit.reciprocal(x) * 240.0).tolist())
        self.assert_tensor(1 / x, frit.reciprocal(x).tolist())


class Conversion(TestCase):
    def test_gives_the_only_element(self):
        self.assertEqual(frit.tensor(2.5).item(), 2.5)
        self.assertIs(type(frit.tensor([3]).item()), int)
        self.assertIs(frit.tensor(True).item(), True)
        self.assertEqual(float(frit.tensor(3)), 3.0)
        self.assertEqual(int(frit.tensor(3.9)), 3)
        self.assertTrue(frit.tensor([[2]]))
        self.assertFalse(frit.zeros(0))
        self.assertEqual([10, 20, 30][frit.tensor(1)], 20)

    def test_refuses_several_elements_as_one(self):
        for function in (bool, float, int, lambda t: t.item()):
            self.assertEqual(self.error_of(lambda: function(frit.ones(2)))[0], RuntimeError)
        self.assertEqual(self.error_of(lambda: [1][frit.tensor(0.5)])[0], TypeError)

    def test_formats_one_element_as_a_number(self):
        self.assertEqual(f"{frit.tensor(1.5):.3f} {frit.tensor(7):>3}", "1.500   7")

    def test_prints_as_pytorch(self):
        self.assertEqual(repr(frit.tensor([[1.0, 2.5], [3.0, -1.0]])),
                         "tensor([[ 1.0000,  2.5000],\n        [ 3.0000, -1.0000]])")

    def test_goes_between_dtypes(self):
        x = frit.tensor([1.7, -1.7, 0.0])
        self.assert_tensor(x.int(), [1, -1, 0], frit.int32)
        self.assert_tensor(x.to(frit.bool), [True, True, False], frit.bool)
        self.assert_tensor(x.to("cpu", frit.float64).half().float().long(), [1, -1, 0], frit.int64)
        self.assert_tensor(x.type_as(frit.tensor(1)), [1, -1, 0], frit.int64)
        self.assertIs(x.to(frit.float32), x)
        self.assertIs(x.contiguous(), x)
        self.assertIsNot(x.to(frit.float32, copy=True), x)
        self.assertEqual(self.error_of(lambda: x.to("cuda"))[0], RuntimeError)

    def test_nests_lists(self):
        self.assertEqual(frit.arange(6).reshape(2, 3).t().tolist(), [[0, 3], [1, 4], [2, 5]])
        self.assertEqual(frit.zeros(2, 0).tolist(), [[], []])
        self.assertEqual(frit.tensor([0.5], dtype=frit.bfloat16).tolist(), [0.5])


class Creation(TestCase):
    def test_infers_dtype_and_sizes(self):
        self.assert_tensor(frit.tensor([[1, 2], [3, 4]]), [[1, 2], [3, 4]], frit.int64)
        self.assert_tensor(frit.tensor([1, 2.5]), [1.0, 2.5], frit.float32)
        self.assert_tensor(frit.tensor([True, False]), [True, False], frit.bool)
        self.assert_tensor(frit.tensor([True, 2]), [1, 2], frit.int64)
        self.assert_tensor(frit.tensor(range(3)), [0, 1, 2], frit.int64)
        self.assert_tensor(frit.tensor([]), [], frit.float32)
        self.assert_tensor(frit.tensor([frit.tensor(1.5), 2]), [1.5, 2.0], frit.float32)
        self.assertEqual(frit.tensor([[], []]).shape, (2, 0))

    def test_takes_a_dtype(self):
        self.assert_tensor(frit.tensor([1.9, -1.9], dtype=frit.int32), [1, -1], frit.int32)
        self.assert_tensor(frit.tensor([1, 0], dtype=bool), [True, False], frit.bool)
        self.assert_tensor(frit.tensor([1.003], dtype=frit.bfloat16), [1.0], frit.bfloat16)
        self.assert_tensor(frit.tensor([-1], dtype=frit.uint8), [255], frit.uint8)

    def test_refuses_what_is_no_tensor(self):
        self.assertEqual(self.error_of(lambda: frit.tensor([[1], [2, 3]])),
                         (ValueError, "tensor(): expected a sequence of length 1 at dim 1, got 2"))
        for data in ("text", [1, "a"], None, 1j, [frit.ones(2), frit.ones(2)][0:0] + [{}]):
            self.assertEqual(self.error_of(lambda: frit.tensor(data))[0], TypeError)
        self.assertEqual(self.error_of(lambda: frit.tensor([300], dtype=frit.uint8))[0], RuntimeError)

    def test_copies(self):
        x = frit.ones(2)
        y = frit.tensor(x)
        y += 1
        self.assert_tensor(x, [1.0, 1.0])
        self.assertIs(frit.as_tensor(x), x)

    def test_has_pytorchs_factories(self):
        self.assert_tensor(frit.zeros(2), [0.0, 0.0], frit.float32)
        self.assert_tensor(frit.ones((1, 2), dtype=frit.int64), [[1, 1]], frit.int64)
        self.assert_tensor(frit.full((2,), True), [True, True], frit.bool)
        self.assert_tensor(frit.arange(1, 7, 2), [1, 3, 5], frit.int64)
        self.assert_tensor(frit.arange(2.0), [0.0, 1.0], frit.float32)
        self.assert_tensor(frit.linspace(0, 1, 3), [0.0, 0.5, 1.0])
        self.assert_tensor(frit.eye(2, 3), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        self.assert_tensor(frit.ones(2).new_zeros(1), [0.0], frit.float32)
        self.assert_tensor(frit.full_like(frit.tensor([1]), 5), [5], frit.int64)
        self.assertEqual(frit.empty(2, 3, device="cpu", requires_grad=False).shape, (2, 3))
        self.assertTrue(frit.ones(1, requires_grad=True).requires_grad)
        self.assertEqual(self.error_of(lambda: frit.ones(1, dtype=frit.int64, requires_grad=True))[0],
                         RuntimeError)
        self.assertEqual(frit.Tensor(2, 3).shape, (2, 3))
        self.assert_tensor(frit.Tensor([1, 2]), [1.0, 2.0], frit.float32)


class Facts(TestCase):
    def test_are_pytorchs(self):
        x = frit.zeros(2, 3, 4).transpose(0, 2)
        self.assertEqual(x.shape, frit.Size([4, 3, 2]))
        self.assertEqual((x.size(0), x.size(-1), x.dim(), x.ndim), (4, 2, 3, 3))
        self.assertEqual((x.stride(), x.stride(0)), ((1, 4, 12), 1))
        self.assertEqual((x.numel(), x.element_size(), x.nbytes, x.itemsize), (24, 4, 96, 4))
        self.assertEqual((x.is_contiguous(), x.storage_offset()), (False, 0))
        self.assertEqual((str(x.device), x.is_cuda, x.requires_grad, x.grad), ("cpu", False, False, None))
        self.assertEqual((x.T.shape, x.mT.shape), ((2, 3, 4), (4, 2, 3)))
        self.assertTrue(frit.is_tensor(x) and x.is_floating_point() and not x.is_complex())

    def test_sizes_are_a_tuple_that_multiplies(self):
        size = frit.ones(2, 3).shape
        self.assertIsInstance(size, tuple)
        self.assertEqual((repr(size), size.numel(), repr(size[1:])), ("frit.Size([2, 3])", 6, "frit.Size([3])"))
        self.assertEqual(size + (4,), (2, 3, 4))

    def test_dtypes_have_names_and_limits(self):
        self.assertEqual((repr(frit.float), str(frit.long)), ("frit.float32", "frit.int64"))
        self.assertTrue(frit.bfloat16.is_floating_point and not frit.uint8.is_signed)
        self.assertEqual(frit.finfo(frit.float32).eps, 2.0 ** -23)
        self.assertEqual(frit.finfo(frit.float16).max, 65504.0)
        self.assertEqual((frit.iinfo(frit.int8).min, frit.iinfo(frit.uint8).max), (-128, 255))
        self.assertIs(pickle.loads(pickle.dumps(frit.int16)), frit.int16)


class Objects(TestCase):
    def test_hash_by_identity(self):
        x, y = frit.ones(1), frit.ones(1)
        self.assertEqual(len({x: 1, y: 2}), 2)
        self.assertEqual({x: 1}[x], 1)

    def test_can_be_referred_to_weakly(self):
        x = frit.ones(1)
        reference = weakref.ref(x)
        self.assertIs(reference(), x)
        del x
        self.assertIsNone(reference())

    def test_iterate_over_rows(self):
        self.assertEqual([row.tolist() for row in frit.arange(4).reshape(2, 2)], [[0, 1], [2, 3]])
        a, b = frit.tensor([5, 6])
        self.assertEqual((a.item(), b.item(), len(frit.ones(3, 2))), (5, 6, 3))
        self.assertTrue(5 in frit.tensor([5, 6]) and 7 not in frit.tensor([5, 6]))
        for function in (iter, len):
            self.assertEqual(self.error_of(lambda: function(frit.tensor(1)))[0], TypeError)

    def test_are_copied_and_pickled(self):
        x = frit.arange(6, dtype=frit.float16).reshape(2, 3).t()
        for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            self.assertIsNot(y, x)
            self.assert_tensor(y, x.tolist(), frit.float16)

    def test_stand_for_another_view_in_place(self):
        x = frit.arange(6).reshape(2, 3)
        y = x.view(2, 3)
        self.assertIs(y.t_(), y)
        y[0, 1] = 30
        self.assertEqual((y.shape, y.unsqueeze_(0).shape), ((3, 2), (1, 3, 2)))
        self.assert_tensor(x, [[0, 1, 2], [30, 4, 5]])


class Modes(TestCase):
    def test_have_no_effect(self):
        with frit.no_grad(), frit.inference_mode():
            self.assertFalse(frit.is_grad_enabled())

        @frit.no_grad()
        def decorated(x):
            return x + 1

        @frit.inference_mode
        def bare(x):
            return x + 2

        self.assert_tensor(decorated(frit.zeros(1)) + bare(frit.zeros(1)), [3.0])


if __name__ == "__main__":
    main()
