"""Printed tensors against PyTorch's texts, from the file that generate_printing.py writes.

The argument is that file. Names of PyTorch's module are Frit's here, and lines break where PyTorch's do.
"""
import json
import sys

from harness import TestCase, frit, main

with open(sys.argv[1], encoding="utf-8") as lines:
    CASES = [json.loads(line) for line in lines]


def text_of(expression):
    value = eval(expression, {"torch": frit, "nan": float("nan"), "inf": float("inf")})
    return value if isinstance(value, str) else repr(value)


class Printing(TestCase):
    def tearDown(self):
        frit.set_printoptions(profile="default")

    def test_is_pytorchs(self):
        self.assertGreater(len(CASES), 1000)
        for options, expression, text in CASES:
            frit.set_printoptions(profile="default")
            frit.set_printoptions(**options)
            self.assertEqual(text_of(expression), text.replace("torch.", "frit."), (options, expression))

    # As PyTorch 2.6 has them; 1.13 fails, or prints other names.

    def test_shows_nothing_but_dots_where_there_are_no_edge_items(self):
        frit.set_printoptions(threshold=2, edgeitems=0)
        self.assertEqual(repr(frit.zeros(3)), "tensor([...])")
        self.assertEqual(repr(frit.zeros(3, 2)), "tensor([...])")
        self.assertEqual(repr(frit.zeros(2)), "tensor([0., 0.])")

    def test_names_subclasses(self):
        class Mask(frit.Tensor):
            pass

        class Weight(frit.nn.Parameter):
            pass

        self.assertEqual(repr(frit.arange(12.0).as_subclass(Mask).reshape(2, 6).as_subclass(Mask)),
                         "Mask([[ 0.,  1.,  2.,  3.,  4.,  5.],\n      [ 6.,  7.,  8.,  9., 10., 11.]])")
        self.assertEqual(repr(Weight(frit.ones(1))),
                         "Parameter containing:\nParameter(Weight([1.], requires_grad=True))")
        self.assertEqual(repr(frit.nn.Buffer(frit.ones(1))), "tensor([1.])")

    def test_has_options_until_the_end_of_a_scope(self):
        with frit._tensor_str.printoptions(precision=1, sci_mode=True):
            self.assertEqual(repr(frit.tensor(0.25)), "tensor(2.5e-01)")
            self.assertEqual(frit._tensor_str.get_printoptions(), {
                "precision": 1, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": True})
        self.assertEqual(repr(frit.tensor(0.25)), "tensor(0.2500)")

    def test_refuses_negative_numbers(self):
        self.assertEqual(self.error_of(lambda: frit.set_printoptions(precision=-1)),
                         (ValueError, "set_printoptions(): a number is negative"))
        self.assertEqual(repr(frit.tensor(0.25)), "tensor(0.2500)")


if __name__ == "__main__":
    main()
