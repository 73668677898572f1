"""Fourier transforms, windows and frames: values that PyTorch gives, and what is refused."""
from harness import TestCase, frit, main


class SignalTestCase(TestCase):
    def assert_near(self, tensor, shape, values, tolerance=2e-6):
        self.assertEqual(tuple(tensor.shape), shape)
        for number, (got, value) in enumerate(zip(tensor.flatten().tolist(), values)):
            self.assertTrue(abs(got - value) <= tolerance * max(1, abs(value)),
                            f"element {number}: {got} is not {value}")


REAL = [1., 2, 0, -1, 3]
PAIRS = [[1., 2], [0, -1], [3, 1]]
MATRIX = [[1., 2, 3], [4, 0, -1]]


class Transforms(SignalTestCase):
    def test_of_real_numbers_give_half_of_the_pairs(self):
        x = frit.tensor(REAL)
        self.assert_near(frit.fft.rfft(x), (3, 2), [5, 0, 3.354102, 0.363271, -3.354102, 1.538842])
        self.assert_near(frit.fft.rfft(x, 3, norm="ortho"), (2, 2), [1.732051, 0, 0, -1])
        self.assert_near(frit.fft.rfft(x, 8, norm="forward"), (5, 2),
                         [0.625, 0, 0.015165, -0.088388, 0.5, -0.375, -0.515165, -0.088388, 0.375, 0])

    def test_take_integers_as_f32(self):
        y = frit.fft.rfft(frit.tensor([1, 2, 0, -1, 3]))
        self.assertEqual(y.dtype, frit.float32)
        self.assert_near(y, (3, 2), [5, 0, 3.354102, 0.363271, -3.354102, 1.538842])

    def test_of_pairs(self):
        z = frit.tensor(PAIRS)
        self.assert_near(frit.fft.fft(z), (3, 2), [4, 2, -2.232051, 4.598076, 1.232051, -0.598076])
        self.assert_near(frit.fft.ifft(z), (3, 2), [1.333333, 0.666667, 0.410684, -0.199359, -0.744017, 1.532692])
        self.assert_near(frit.fft.irfft(z), (4,), [1, 0, 1, -1])
        self.assert_near(frit.fft.irfft(z, 5), (5,), [1.4, -0.625512, 1.186357, -0.044716, -0.916129])

    def test_of_several_dimensions(self):
        m = frit.tensor(MATRIX)
        spectrum = frit.fft.rfft2(m)
        self.assert_near(spectrum, (2, 2, 2), [9, 0, 3, 0, 3, 0, -6, 1.732051])
        self.assert_near(frit.fft.irfft2(spectrum, (2, 3)), (2, 3), [1, 2, 3, 4, 0, -1])
        pairs = frit.stack([m, m.flip(0)], -1)
        along = [5, 5, 2, 2, 2, 2, -3, 3, 2, -2, 4, -4]
        self.assert_near(frit.fft.fftn(pairs, dim=(0,)), (2, 3, 2), along)
        self.assert_near(frit.fft.fft(pairs, dim=0), (2, 3, 2), along)
        self.assert_near(frit.fft.ifft2(frit.fft.fft2(pairs)), (2, 3, 2), pairs.flatten().tolist())

    def test_keep_double_precision(self):
        y = frit.fft.rfft(frit.tensor(REAL, dtype=frit.float64))
        self.assertEqual(y.dtype, frit.float64)
        self.assert_near(y[1], (2,), [3.354101966249684, 0.3632712640026803], 1e-15)

    def test_come_back_for_a_large_prime_length(self):
        x = frit.arange(10007, dtype=frit.float64).sin()
        back = frit.fft.irfft(frit.fft.rfft(x), 10007)
        self.assertLess((back - x).abs().max().item(), 1e-13)

    def test_of_what_is_no_pair_say_so(self):
        kind, text = self.error_of(lambda: frit.fft.fft(frit.ones(5)))
        self.assertEqual(kind, RuntimeError)
        self.assertEqual(text, "fft(f32[5]): expected pairs of real and imaginary parts: a last dimension of size 2 "
                               "(rfft takes real numbers)")

    def test_refuse_what_pytorch_refuses(self):
        x = frit.ones(3, 4)
        for call, kind in ((lambda: frit.fft.rfft(frit.zeros(0)), RuntimeError),
                           (lambda: frit.fft.rfft(frit.tensor(1.)), IndexError),
                           (lambda: frit.fft.rfft(x, 0), RuntimeError),
                           (lambda: frit.fft.rfft(x, dim=2), IndexError),
                           (lambda: frit.fft.rfft(x, norm="both"), RuntimeError),
                           (lambda: frit.fft.rfftn(x, dim=(0, 0)), RuntimeError),
                           (lambda: frit.fft.rfftn(x, (1, 2, 3)), RuntimeError),
                           (lambda: frit.fft.rfft(x.half()), RuntimeError)):
            self.assertEqual(self.error_of(call)[0], kind)


class Frequencies(SignalTestCase):
    def test_are_in_the_order_of_the_pairs(self):
        self.assert_near(frit.fft.fftfreq(5, 0.5), (5,), [0, 0.4, 0.8, -0.8, -0.4])
        self.assert_near(frit.fft.rfftfreq(4), (3,), [0, 0.25, 0.5])

    def test_are_shifted_and_back(self):
        x = frit.arange(5)
        self.assert_tensor(frit.fft.fftshift(x), [3, 4, 0, 1, 2])
        self.assert_tensor(frit.fft.ifftshift(frit.fft.fftshift(x)), [0, 1, 2, 3, 4])
        self.assert_tensor(frit.fft.fftshift(frit.tensor(MATRIX), 1), [[3.0, 1.0, 2.0], [-1.0, 4.0, 0.0]])


class Windows(SignalTestCase):
    def test_are_periodic_unless_told_otherwise(self):
        for window, periodic, symmetric in (
                (frit.hann_window, [0, 0.25, 0.75, 1, 0.75, 0.25], [0, 0.5, 1, 0.5, 0]),
                (frit.hamming_window, [0.08, 0.31, 0.77, 1, 0.77, 0.31], [0.08, 0.54, 1, 0.54, 0.08]),
                (frit.blackman_window, [0, 0.13, 0.63, 1, 0.63, 0.13], [0, 0.34, 1, 0.34, 0]),
                (frit.bartlett_window, [0, 0.333333, 0.666667, 1, 0.666667, 0.333333], [0, 0.5, 1, 0.5, 0]),
                (frit.kaiser_window, [5.3e-05, 0.054759, 0.518845, 1, 0.518845, 0.054759],
                 [5.3e-05, 0.215673, 1, 0.215673, 5.3e-05])):
            self.assert_near(window(6), (6,), periodic)
            self.assert_near(window(5, False), (5,), symmetric)
            self.assert_tensor(window(1), [1.0])
            self.assertEqual(window(0).numel(), 0)
            self.assertEqual(window(3, dtype=frit.float64).dtype, frit.float64)
            self.assertEqual(self.error_of(lambda: window(-1))[0], RuntimeError)


class Frames(SignalTestCase):
    def test_are_transformed(self):
        s = frit.arange(10.)
        self.assert_near(frit.stft(s, 4, 2, window=frit.hann_window(4), return_complex=False), (3, 6, 2),
                         [1, 0, 4, 0, 8, 0, 12, 0, 16, 0, 16, 0, 0, 0, -2, 1, -4, 1, -6, 1, -8, 1, -8, -1, -1, 0,
                          0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        self.assert_near(s.stft(4, 3, center=False, onesided=False, normalized=True), (4, 3, 2),
                         [3, 0, 9, 0, 15, 0, -1, 1, -1, 1, -1, 1, -1, 0, -1, 0, -1, 0, -1, -1, -1, -1, -1, -1])

    def test_come_back(self):
        s = frit.stack([frit.arange(40.).sin(), frit.arange(40.).cos()])
        for options in ({}, {"hop_length": 3}, {"normalized": True}, {"onesided": False}):
            window = frit.hann_window(8)
            pairs = frit.stft(s, 8, window=window, **options)
            back = frit.istft(pairs, 8, window=window, **options)
            self.assert_near(back, (2, back.size(1)), s[:, :back.size(1)].flatten().tolist())
        self.assert_near(frit.istft(pairs, 8, window=window, onesided=False, length=5), (2, 5),
                         s[:, :5].flatten().tolist())

    def test_that_windows_do_not_cover_do_not_come_back(self):
        pairs = frit.stft(frit.arange(40.), 8, 8)
        kind, text = self.error_of(lambda: frit.istft(pairs, 8, 8, window=frit.zeros(8)))
        self.assertEqual(kind, RuntimeError)
        self.assertIn("the windows leave a gap between frames", text)

    def test_are_no_complex_numbers(self):
        kind, text = self.error_of(lambda: frit.stft(frit.arange(40.), 8, return_complex=True))
        self.assertEqual(kind, NotImplementedError)
        self.assertIn("complex is no dtype here", text)

    def test_are_whole_where_there_are_as_many_frequencies(self):
        pairs = frit.stft(frit.arange(40.), 8, window=frit.hann_window(8), onesided=False)
        both = [frit.istft(pairs, 8, window=frit.hann_window(8), **options) for options in ({}, {"onesided": False})]
        self.assertEqual(both[0].tolist(), both[1].tolist())

    def test_must_fit(self):
        s = frit.arange(10.)
        for call in (lambda: frit.stft(s, 0), lambda: frit.stft(s, 4, 0), lambda: frit.stft(s, 4, win_length=5),
                     lambda: frit.stft(s, 4, window=frit.ones(3)), lambda: frit.stft(s, 12, center=False),
                     lambda: frit.istft(s, 4), lambda: frit.istft(frit.ones(5, 3, 2), 4)):
            self.assertEqual(self.error_of(call)[0], RuntimeError)


class Plans(SignalTestCase):
    def test_give_the_same_bits(self):
        def spectra(x):
            return frit.fft.irfft(frit.fft.rfft(x * 2).square() + 1, 30).sum(0)

        compiled, x = frit.compile(spectra), frit.arange(90.).sin().reshape(3, 30)
        wanted = spectra(x).tolist()
        for _ in range(4):
            self.assertEqual(compiled(x).tolist(), wanted)


if __name__ == "__main__":
    main()
