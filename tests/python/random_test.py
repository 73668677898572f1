"""Random numbers: PyTorch's, after the same seed."""
from harness import TestCase, frit, main

# torch.manual_seed(7) and then these calls, in this order, with PyTorch 1.13.
CALLS = (
    ("torch.rand(3)",
     [0.5349225401878357, 0.19880318641662598, 0.6592116951942444]),
    ("torch.randn(3)",
     [-0.032551974058151245, 1.0110543966293335, 1.7714937925338745]),
    ("torch.randn(2, 2)",
     [0.4299081265926361, -1.2119221687316895, 0.7962812781333923, 0.9328507781028748]),
    ("torch.randn(18)",
     [-0.3300117254257202, 0.19844505190849304, -0.6618675589561462, -0.8284520506858826, -0.6056802868843079,
      -0.13543689250946045, 0.7471182346343994, 0.6118157505989075, 1.867783546447754, 2.5116028785705566,
      -0.25013262033462524, 0.501121461391449, 0.2600362002849579, -1.6370213031768799, 0.1577119082212448,
      0.39574092626571655, -1.3677396774291992, -0.10073431581258774]),
    ("torch.randint(10, (5,))",
     [3.0, 0.0, 7.0, 0.0, 5.0]),
    ("torch.randint(-5, 2**40, (2,))",
     [825026015309.0, 508861866665.0]),
    ("torch.rand(2, dtype=torch.float64)",
     [0.08854561505483138, 0.6438431507341131]),
    ("torch.randn(16, dtype=torch.float64)",
     [1.2846434528276631, -0.5582364888444304, -0.3366956410756757, 0.11198907026783235, 0.15963283549858176,
      0.5752081016394445, -0.5666304095051928, -0.9616368217950791, -0.9371728653301284, 0.728059044268923,
      0.04465671124864567, 0.6396328665384338, 0.3172150575968318, -1.5290464222497286, 0.7319577984300885,
      -0.4155986456482291]),
    ("torch.randperm(6)",
     [1.0, 3.0, 4.0, 0.0, 2.0, 5.0]),
    ("torch.rand(2, dtype=torch.bfloat16)",
     [0.5703125, 0.08203125]),
    ("torch.randn(40, dtype=torch.bfloat16)",
     [-0.97265625, 0.65625, -1.734375, -0.470703125, -0.04443359375, -0.326171875, -0.29296875, -0.9453125,
      0.55078125, -0.416015625, -0.3828125, 1.5390625, 0.6328125, 0.15234375, -0.1044921875, 0.08984375,
      0.2001953125, 0.1318359375, 1.703125, 1.265625, 0.173828125, 0.267578125, 0.58984375, 0.095703125,
      0.30078125, -1.21875, 0.275390625, 1.2421875, 1.0078125, 0.2255859375, -1.0234375, -0.1845703125,
      -0.38671875, -0.2099609375, -0.6328125, -0.734375, -0.4375, -1.7109375, 0.83984375, -0.5859375]),
    ("torch.normal(2.0, 3.0, (3,))",
     [-0.8237138390541077, 0.714431881904602, 4.130320072174072]),
    ("torch.randn(3, dtype=torch.float64)",
     [-0.4121112464526305, -2.001549754575592, 0.11602772691731893]),
)


# Of torch.manual_seed(11), torch.randn(100003).
BITS = -119555951429343754


class Random(TestCase):
    def test_numbers_are_pytorchs_after_a_seed(self):
        frit.manual_seed(7)
        for call, values in CALLS:
            with self.subTest(call):
                got = eval(call, {"torch": frit}).double().flatten().tolist()
                self.assertEqual(got, values)

    def test_a_seed_starts_anew(self):
        frit.manual_seed(3)
        first = frit.randn(3).tolist()
        frit.manual_seed(3)
        self.assertEqual(frit.randn(3).tolist(), first)

    def test_many_normal_numbers_are_pytorchs_bits(self):
        frit.manual_seed(11)
        x = frit.randn(100003)
        # Each number's bits times its place, which no two different sequences are likely to share.
        bits = x.view(frit.int32).to(frit.int64)
        self.assertEqual((bits * frit.arange(1, 100004)).sum().item(), BITS)

    def test_normal_numbers_that_pytorch_1_makes_otherwise_are_those_of_2(self):
        # torch.manual_seed(5) and torch.manual_seed(3) with PyTorch 2.11.
        frit.manual_seed(5)
        self.assertEqual(frit.randn(16, dtype=frit.float16).tolist(), [
            -1.0478515625, -0.296142578125, 2.015625, 1.8837890625, 0.352783203125, -0.429931640625, -0.7177734375,
            0.16064453125, -0.025604248046875, 0.3525390625, -2.349609375, -0.384033203125, 1.1005859375, 1.203125,
            1.365234375, -0.2161865234375])
        frit.manual_seed(3)
        self.assertEqual([x.hex() for x in frit.randn(8, dtype=frit.float64).tolist()], [
            "0x1.9b47008a2a7adp-1", "0x1.660f0cd30f452p-3", "0x1.6c744b8324fcfp-4", "-0x1.3a393f2853e66p-1",
            "0x1.7a539ef4531b4p-5", "-0x1.5e463bc486fa1p+0", "0x1.599850aafe9b0p-2", "0x1.02d87d09481cfp+0"])

    def test_a_generator_has_its_own_sequence(self):
        g, h = frit.Generator(), frit.Generator()
        self.assertEqual(g.initial_seed(), 67280421310721)
        self.assertIs(g.manual_seed(5), g)
        frit.manual_seed(5)
        expected = [frit.rand(2), frit.randint(9, (3,)), frit.randperm(4), frit.ones(3).bernoulli(0.5),
                    frit.ones(2).multinomial(1), frit.normal(0.0, 2.0, (2,)), frit.empty(3).normal_(1, 2)]
        frit.manual_seed(6)
        other = frit.get_rng_state()
        got = [frit.rand(2, generator=g), frit.randint(9, (3,), generator=g), frit.randperm(4, generator=g),
               frit.ones(3).bernoulli(0.5, generator=g), frit.ones(2).multinomial(1, generator=g),
               frit.normal(0.0, 2.0, (2,), generator=g), frit.empty(3).normal_(1, 2, generator=g)]
        self.assertEqual([t.tolist() for t in got], [t.tolist() for t in expected])
        self.assertTrue(frit.equal(frit.get_rng_state(), other))
        self.assertNotEqual(frit.rand(1, generator=h).item(), got[0][0].item())
        self.assertEqual(str(g.device), "cpu")
        error = self.error_of(lambda: frit.rand(1, generator=3))
        self.assertEqual(error[0], TypeError)
        self.assertIn("generator", error[1])

    def test_a_state_is_gone_on_from(self):
        frit.manual_seed(1)
        frit.randn(3)
        state = frit.get_rng_state()
        self.assertEqual((state.dtype, state.shape), (frit.uint8, (5056,)))
        expected = [frit.randn(2).tolist(), frit.rand(700).tolist()]
        with frit.random.fork_rng():
            frit.rand(9)
        frit.set_rng_state(state)
        self.assertEqual([frit.randn(2).tolist(), frit.rand(700).tolist()], expected)
        self.assertEqual(frit.initial_seed(), 1)
        for bad in (frit.zeros(5056, dtype=frit.uint8), frit.zeros(3, dtype=frit.uint8), frit.zeros(5056)):
            self.assertEqual(self.error_of(lambda: frit.set_rng_state(bad))[0], RuntimeError)
        self.assertGreaterEqual(frit.Generator().seed(), 0)

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
