"""Elementwise functions and losses: values that PyTorch gives, forms in place, errors."""
import math

from harness import TestCase, frit, main

F = frit.nn.functional
INF, NAN = math.inf, math.nan


class PointwiseTestCase(TestCase):
    def assert_near(self, tensor, values, tolerance=1e-6):
        got = tensor.flatten().tolist()
        self.assertEqual(len(got), len(values))
        for number, (g, v) in enumerate(zip(got, values)):
            self.assertTrue(g == v or (g != g and v != v) or abs(g - v) <= tolerance * max(1, abs(v)),
                            f"element {number}: {g} is not {v}")


class Shifts(PointwiseTestCase):
    def test_have_operators(self):
        x = frit.tensor([1, 5, -8])
        self.assert_tensor(x << 2, [4, 20, -32], frit.int64)
        self.assert_tensor(x >> frit.tensor([0, 1, 2]), [1, 2, -2])
        self.assert_tensor(1 << frit.tensor([0, 3]), [1, 8])
        x <<= 1
        x >>= frit.tensor([0, 0, 3])
        self.assert_tensor(x, [2, 10, -2])

    def test_leave_nothing_beyond_the_width(self):
        for dtype, width in ((frit.int64, 64), (frit.int32, 32), (frit.int16, 16), (frit.int8, 8), (frit.uint8, 8)):
            x = frit.tensor([1, 3], dtype=dtype)
            self.assert_tensor(x << width, [0, 0], dtype)
            self.assert_tensor(x >> width, [0, 0], dtype)
        minus = frit.tensor([-5], dtype=frit.int8)
        self.assert_tensor(minus >> 100, [-1])
        self.assert_tensor(minus >> -1, [-1])
        self.assert_tensor(minus << -1, [0])

    def test_are_of_integers(self):
        for x in (frit.ones(2), frit.tensor([True])):
            self.assertTrue(issubclass(self.error_of(lambda: x << x)[0], RuntimeError))


class Parameters(PointwiseTestCase):
    x = frit.tensor([-2.0, -0.5, 0.0, 0.5, 2.0, INF, NAN])

    def test_shape_activations(self):
        self.assert_near(F.elu(self.x, 2.0), [-1.7293294, -0.7869387, 0, 0.5, 2, INF, NAN])
        self.assert_near(F.celu(self.x, 2.0), [-1.2642411, -0.4423984, 0, 0.5, 2, INF, NAN])
        self.assert_near(F.softplus(self.x, 2.0, 3.0), [0.0090749, 0.1566308, 0.3465736, 0.6566308, 2, INF, NAN])
        self.assert_tensor(F.hardtanh(self.x, -1, 1), [-1.0, -0.5, 0.0, 0.5, 1.0, 1.0, NAN])
        self.assert_tensor(F.threshold(self.x, 0.5, 9), [9.0, 9.0, 9.0, 9.0, 2.0, INF, NAN])
        self.assert_tensor(F.hardshrink(self.x), [-2.0, 0.0, 0.0, 0.0, 2.0, INF, NAN])
        self.assert_tensor(F.softshrink(self.x), [-1.5, 0.0, 0.0, 0.0, 1.5, INF, NAN])
        self.assert_tensor(F.relu6(self.x * 4), [0.0, 0.0, 0.0, 2.0, 6.0, 6.0, NAN])
        self.assert_near(F.glu(self.x[:4]), [-1.0, -0.3112297])

    def test_of_prelu_are_one_or_one_a_channel(self):
        x = frit.tensor([[-1.0, -2.0], [3.0, -4.0]])
        self.assert_tensor(F.prelu(x, frit.tensor([0.5])), [[-0.5, -1.0], [3.0, -2.0]])
        self.assert_tensor(F.prelu(x, frit.tensor([0.5, 0.25])), [[-0.5, -0.5], [3.0, -1.0]])
        self.assertEqual(self.error_of(lambda: F.prelu(x, frit.ones(3)))[0], RuntimeError)

    def test_activations_work_in_place(self):
        x = frit.tensor([-1.0, 7.0])
        self.assertIs(F.relu6(x, inplace=True), x)
        self.assert_tensor(x, [0.0, 6.0])
        self.assertIs(F.hardtanh(x, 1.0, 2.0, True), x)
        self.assert_tensor(x, [1.0, 2.0])

    def test_choose_how_to_divide_and_round(self):
        a, b = frit.tensor([-7, 7, -8]), frit.tensor([2, -2, 4])
        self.assert_tensor(frit.div(a, b, rounding_mode="trunc"), [-3, -3, -2], frit.int64)
        self.assert_tensor(a.div(b, rounding_mode="floor"), [-4, -4, -2], frit.int64)
        self.assert_tensor(frit.div(frit.tensor([-7.5]), 2, rounding_mode="trunc"), [-3.0])
        self.assertEqual(self.error_of(lambda: a.div(b, rounding_mode="up"))[0], RuntimeError)
        zero = frit.zeros(3, dtype=frit.int64)
        self.assertEqual(self.error_of(lambda: a.div(zero, rounding_mode="trunc"))[0], RuntimeError)
        self.assert_near(frit.round(frit.tensor([1.2345, -0.005]), decimals=2), [1.23, 0.0])
        self.assert_tensor(frit.tensor([1250.0, 1350.0]).round(decimals=-2), [1200.0, 1400.0])

    def test_of_mixtures(self):
        x, y = frit.tensor([1.0, 2.0]), frit.tensor([3.0, 8.0])
        self.assert_tensor(frit.addcmul(x, y, y, value=0.5), [5.5, 34.0])
        self.assert_tensor(frit.addcdiv(x, y, x, value=2), [7.0, 10.0])
        self.assert_tensor(frit.addcmul(frit.tensor([1]), frit.tensor([2]), frit.tensor([3]), value=2), [13], frit.int64)
        self.assert_tensor(frit.lerp(x, y, 0.25), [1.5, 3.5])
        self.assert_tensor(x.lerp(y, frit.tensor([1.0, 0.5])), [3.0, 5.0])
        x.addcmul_(y, y).lerp_(y, 0.5)
        self.assert_tensor(x, [6.5, 37.0])
        one = frit.ones(1, dtype=frit.int64)
        self.assertTrue(issubclass(self.error_of(lambda: frit.addcdiv(one, one, one))[0], RuntimeError))
        self.assertEqual(self.error_of(lambda: frit.lerp(x, y.double(), 0.5))[0], RuntimeError)

    def test_mixtures_round_once(self):
        third = frit.tensor([0.333], dtype=frit.bfloat16)
        wide = third.float()
        self.assert_tensor(frit.addcmul(third, third, third, value=0.1),
                           (wide + wide * 0.1 * wide).bfloat16().tolist(), frit.bfloat16)

    def test_of_what_is_no_number(self):
        self.assert_tensor(frit.nan_to_num(self.x)[-2:], [3.4028234663852886e+38, 0.0])
        self.assert_tensor(frit.tensor([NAN, INF, -INF], dtype=frit.float16).nan_to_num(1.0), [1.0, 65504.0, -65504.0])
        self.assert_tensor(frit.nan_to_num(frit.tensor([1, 2]), 9), [1, 2])
        self.assert_near(frit.logit(frit.tensor([0.25, 2.0])), [-1.0986123, NAN])
        self.assert_near(frit.logit(frit.tensor([0.0, 2.0]), 0.25), [-1.0986123, 1.0986123])

    def test_of_closeness(self):
        a, b = frit.tensor([1.0, NAN, INF, 1.0]), frit.tensor([1.000001, NAN, INF, 1.1])
        self.assert_tensor(frit.isclose(a, b), [True, False, True, False])
        self.assert_tensor(a.isclose(b, equal_nan=True), [True, True, True, False])
        self.assertIs(frit.allclose(a[:1], b[:1]), True)
        self.assertIs(a.equal(a), False)
        self.assertIs(frit.equal(a[2:], a[2:]), True)
        self.assertIs(frit.equal(a[2:], a[:1]), False)
        self.assertEqual(self.error_of(lambda: frit.isclose(a, b.double()))[0], RuntimeError)

    def test_of_sets(self):
        x = frit.tensor([[1, 2], [3, 4]])
        self.assert_tensor(frit.isin(x, frit.tensor([2, 3])), [[False, True], [True, False]])
        self.assert_tensor(frit.isin(x, 2, invert=True), [[True, False], [True, True]])
        self.assert_tensor(frit.isin(3, x), True)

    def test_of_powers(self):
        self.assert_tensor(frit.float_power(frit.tensor([2, 3]), -1), [0.5, 1 / 3], frit.float64)
        self.assert_tensor(frit.float_power(2, frit.tensor([3, 0])), [8.0, 1.0], frit.float64)
        self.assert_tensor(frit.ldexp(frit.tensor([1.5]), frit.tensor([3])), [12.0])


class Special(PointwiseTestCase):
    def test_functions_have_these_values(self):
        x = frit.tensor([0.5, 3.0])
        for function, values in ((frit.atan, [0.4636476, 1.2490458]), (frit.sinh, [0.5210953, 10.0178749]),
                                 (frit.lgamma, [0.5723649, 0.6931472]), (frit.digamma, [-1.9635100, 0.9227843]),
                                 (frit.erfc, [0.4795001, 2.209050e-05]), (frit.special.i0, [1.0634834, 4.8807926]),
                                 (frit.special.i1, [0.2578943, 3.9533702]), (frit.special.ndtr, [0.6914625, 0.9986501]),
                                 (frit.special.erfcx, [0.6156903, 0.1790012]), (frit.special.gammaln, [0.5723649, 0.6931472]),
                                 (frit.sinc, [0.6366197, 0.0]), (frit.acosh, [NAN, 1.7627472])):
            with self.subTest(function.__name__):
                self.assert_near(function(x), values)
        self.assert_near(frit.erfinv(frit.tensor([0.5, -1.0, 2.0])), [0.4769363, -INF, NAN])

    def test_names_are_where_pytorch_has_them(self):
        for name in ("arcsin", "arctanh", "sgn", "signbit", "isposinf", "hypot", "logaddexp", "xlogy", "heaviside",
                     "deg2rad", "frac"):
            self.assertTrue(callable(getattr(frit.Tensor, name)), name)
        for name in ("hardswish", "mish", "logsigmoid"):
            self.assertFalse(hasattr(frit, name), name)
            self.assertTrue(callable(getattr(F, name)), name)


class Losses(PointwiseTestCase):
    x = frit.tensor([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]])
    y = frit.tensor([[0.5, 2.5, 0.5], [2.0, -1.0, 0.0]])

    def test_are_reduced(self):
        self.assert_near(F.mse_loss(self.x, self.y, reduction="none"), [0.25, 0.25, 0.0, 4.0, 0.0, 9.0])
        self.assert_near(F.mse_loss(self.x, self.y), [2.25])
        self.assert_near(F.l1_loss(self.x, self.y, reduction="sum"), [6.0])
        self.assert_near(F.smooth_l1_loss(self.x, self.y), [0.7083333])
        self.assert_near(F.huber_loss(self.x, self.y, delta=2.0), [1.0416667])
        self.assertEqual(self.error_of(lambda: F.mse_loss(self.x, self.y, reduction="max"))[0], ValueError)

    def test_of_probabilities(self):
        p, q = frit.tensor([0.25, 0.0]), frit.tensor([1.0, 0.5])
        self.assert_near(F.binary_cross_entropy(p, q, reduction="none"), [1.3862944, 50.0])
        self.assertEqual(self.error_of(lambda: F.binary_cross_entropy(p - 1, q))[0], RuntimeError)
        self.assert_near(F.binary_cross_entropy_with_logits(p, q, reduction="none"), [0.5759393, 0.6931472])
        weighted = F.binary_cross_entropy_with_logits(p, q, pos_weight=frit.tensor([2.0, 2.0]), reduction="none")
        self.assert_near(weighted, [1.1518786, 1.0397208])
        self.assert_near(F.kl_div(frit.log(q), q, reduction="sum"), [0.0])

    def test_of_classes(self):
        target = frit.tensor([1, 2])
        self.assert_near(F.cross_entropy(self.x, target), [0.2651263], 1e-5)
        self.assert_near(F.cross_entropy(self.x, target, reduction="none"), [0.4643688, 0.0658839], 1e-5)
        self.assert_near(F.cross_entropy(self.x, frit.tensor([1, -100])), [0.4643688], 1e-5)
        self.assert_near(F.nll_loss(self.x, target, frit.tensor([1.0, 3.0, 1.0])), [-2.25])
        self.assert_tensor(F.nll_loss(self.x, frit.tensor([-100, -100])), NAN)
        self.assertEqual(self.error_of(lambda: F.cross_entropy(self.x, frit.tensor([1, 3])))[0], IndexError)
        probabilities = frit.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        self.assert_near(F.cross_entropy(self.x, probabilities), [0.2651263], 1e-5)
        smooth = F.cross_entropy(self.x, target, label_smoothing=0.3)
        self.assert_near(smooth, [F.cross_entropy(self.x, probabilities * 0.7 + 0.1).item()], 1e-5)


if __name__ == "__main__":
    main()
