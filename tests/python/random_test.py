"""Random numbers: PyTorch's, after the same seed."""
from harness import TestCase, frit, main

# torch.manual_seed(7) and then these calls, in this order, with PyTorch 1.13.
CALLS = (
    ("torch.rand(3)",
     [0.5349225401878357, 0.19880318641662598, 0.6592116951942444], True),
    ("torch.randn(3)",
     [-0.032551974, 1.011054397, 1.771493793], False),
    ("torch.randn(2, 2)",
     [0.429908127, -1.211922169, 0.796281278, 0.932850778], False),
    ("torch.randn(18)",
     [-0.330011725, 0.198445052, -0.661867559, -0.828452051, -0.605680287, -0.135436893,
      0.747118235, 0.611815751, 1.867783546, 2.511602879, -0.25013262, 0.501121461,
      0.2600362, -1.637021303, 0.157711908, 0.395740926, -1.367739677, -0.100734316], False),
    ("torch.randint(10, (5,))",
     [3.0, 0.0, 7.0, 0.0, 5.0], True),
    ("torch.randint(-5, 2**40, (2,))",
     [825026015309.0, 508861866665.0], True),
    ("torch.rand(2, dtype=torch.float64)",
     [0.08854561505483138, 0.6438431507341131], True),
    ("torch.randn(16, dtype=torch.float64)",
     [1.284643453, -0.558236489, -0.336695641, 0.11198907, 0.159632835, 0.575208102,
      -0.56663041, -0.961636822, -0.937172865, 0.728059044, 0.044656711, 0.639632867,
      0.317215058, -1.529046422, 0.731957798, -0.415598646], False),
    ("torch.randperm(6)",
     [1.0, 3.0, 4.0, 0.0, 2.0, 5.0], True),
    ("torch.rand(2, dtype=torch.bfloat16)",
     [0.5703125, 0.08203125], True),
)


class Random(TestCase):
    def test_numbers_are_pytorchs_after_a_seed(self):
        frit.manual_seed(7)
        for call, values, exact in CALLS:
            with self.subTest(call):
                got = eval(call, {"torch": frit}).double().flatten().tolist()
                if exact:
                    self.assertEqual(got, values)
                else:
                    self.assertTrue(all(abs(a - b) < 1e-6 for a, b in zip(got, values)))

    def test_a_seed_starts_anew(self):
        frit.manual_seed(3)
        first = frit.randn(3).tolist()
        frit.manual_seed(3)
        self.assertEqual(frit.randn(3).tolist(), first)

    def test_tensors_are_filled_in_place(self):
        x = frit.zeros(1000).uniform_(2, 3)
        self.assertTrue(2 <= x.min().item() and x.max().item() < 3)
        y = frit.empty(1000).normal_(5.0, 0.5)
        self.assertTrue(4.9 < y.mean().item() < 5.1)

    def test_has_pytorchs_errors(self):
        self.assertEqual(self.error_of(lambda: frit.randint(3, 3, (1,)))[0], RuntimeError)
        self.assertTrue(issubclass(self.error_of(lambda: frit.rand(1, dtype=frit.int64))[0], RuntimeError))
        self.assertEqual(frit.rand_like(frit.ones(2, 3)).shape, (2, 3))


if __name__ == "__main__":
    main()
