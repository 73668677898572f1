"""Memory shared with NumPy and the buffer protocol: both ways, for as long as somebody needs it."""
import array
import gc
import threading
import weakref

import numpy

from harness import TestCase, frit, main


class Owner(numpy.ndarray):
    """An array that can be referred to weakly."""


def tracked(values):
    """(array, a function that says whether its memory is still held)"""
    owner = numpy.array(values, dtype=numpy.float32).view(Owner)
    reference = weakref.ref(owner)
    return owner, lambda: (gc.collect(), reference() is not None)[1]


class ToNumpy(TestCase):
    def test_shares_memory(self):
        x = frit.arange(6, dtype=frit.float32).reshape(2, 3).t()
        a = x.numpy()
        self.assertEqual((a.shape, a.strides, a.dtype), ((3, 2), (4, 12), numpy.float32))
        a[0, 1] = 30
        x[2, 0] = -1
        self.assertEqual((x[0, 1].item(), a[2, 0]), (30.0, -1.0))

    def test_keeps_the_memory_alive(self):
        a = frit.full((1000,), 7.0).numpy()
        frit.zeros(1000)
        self.assertTrue((a == 7).all())

    def test_has_every_dtype_that_numpy_has(self):
        for name in ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"):
            a = frit.ones(2, dtype=getattr(frit, name)).numpy()
            self.assertEqual((a.dtype.name, a.tolist()), (name, [1, 1]))

    def test_refuses_bfloat16_with_a_hint(self):
        kind, text = self.error_of(lambda: frit.ones(1, dtype=frit.bfloat16).numpy())
        self.assertEqual(kind, TypeError)
        self.assertIn(".float()", text)
        self.assertEqual(self.error_of(lambda: numpy.asarray(frit.ones(1, dtype=frit.bfloat16)))[0], TypeError)

    def test_serves_numpys_functions(self):
        x = frit.arange(4.0)
        self.assertEqual(numpy.sum(numpy.asarray(x)), 6)
        self.assertEqual(numpy.array(x, dtype=numpy.int32).tolist(), [0, 1, 2, 3])
        self.assertEqual(memoryview(x).tolist(), [0.0, 1.0, 2.0, 3.0])
        self.assertEqual(numpy.asarray(frit.tensor(2.5)).shape, ())
        self.assertEqual(numpy.asarray(frit.zeros(2, 0)).shape, (2, 0))

    def test_buffers_survive_a_change_of_the_view(self):
        x = frit.arange(6).reshape(2, 3)
        a = x.numpy()
        x.t_()
        self.assertEqual(a.tolist(), [[0, 1, 2], [3, 4, 5]])


class FromNumpy(TestCase):
    def test_shares_memory(self):
        a = numpy.arange(6.0)[::2]
        x = frit.from_numpy(a)
        a[1] = 10
        x[0] = -1
        self.assert_tensor(x, [-1.0, 10.0, 4.0], frit.float64)
        self.assertEqual(a[0], -1)
        self.assert_tensor(frit.as_tensor(a, dtype=frit.int32), [-1, 10, 4], frit.int32)

    def test_copies_where_a_tensor_is_made(self):
        a = numpy.ones(2, dtype=numpy.float32)
        x = frit.tensor(a)
        a[0] = 5
        self.assert_tensor(x, [1.0, 1.0], frit.float32)

    def test_holds_the_array_as_long_as_a_view_lives(self):
        owner, held = tracked([1, 2, 3])
        view = frit.from_numpy(owner)[1:]
        del owner
        self.assertTrue(held())
        self.assert_tensor(view, [2.0, 3.0])
        del view
        frit.ones(1)
        self.assertFalse(held())

    def test_lets_go_where_the_last_tensor_dies_on_another_thread(self):
        owner, held = tracked([1, 2])
        box = [frit.from_numpy(owner)]
        del owner
        thread = threading.Thread(target=box.clear)
        thread.start()
        thread.join()
        self.assertFalse(held())

    def test_lets_go_after_compiled_calls(self):
        double = frit.compile(lambda x: (x * 2 + 1).sum())
        for _ in range(6):
            owner, held = tracked([1, 2])
            x = frit.from_numpy(owner)
            self.assertEqual(double(x).item(), 8.0)
            del owner, x
        frit.ones(1).item()
        self.assertFalse(held())

    def test_refuses_what_no_tensor_can_be(self):
        self.assertEqual(self.error_of(lambda: frit.from_numpy(numpy.arange(3)[::-1]))[0], ValueError)
        self.assertEqual(self.error_of(lambda: frit.from_numpy(numpy.zeros(2, dtype=complex)))[0], TypeError)
        self.assertEqual(self.error_of(lambda: frit.from_numpy(numpy.zeros(2, dtype=">f4")))[0], TypeError)
        self.assertEqual(self.error_of(lambda: frit.from_numpy([1]))[0], TypeError)

    def test_takes_other_buffers(self):
        memory = array.array("i", [1, 2, 3])
        x = frit.frombuffer(memory, dtype=frit.int32)
        memory[0] = 9
        self.assert_tensor(x, [9, 2, 3], frit.int32)
        self.assert_tensor(frit.frombuffer(memory, dtype=frit.int32, count=1, offset=4), [2])


class Together(TestCase):
    def test_numbers_of_numpy_are_numbers(self):
        x = frit.tensor([1, 2], dtype=frit.float32)
        for number in (numpy.float32(2), numpy.float64(2), numpy.int64(2), numpy.uint8(2)):
            with self.subTest(type(number).__name__):
                self.assert_tensor(x * number, [2.0, 4.0], frit.float32)
                self.assert_tensor(number * x, [2.0, 4.0], frit.float32)
        self.assert_tensor(frit.tensor([1]) + numpy.bool_(True), [2], frit.int64)
        self.assert_tensor(frit.full((1,), numpy.float32(0.5)), [0.5], frit.float32)
        self.assertEqual(frit.ones(numpy.int64(2)).shape, (2,))

    def test_arrays_are_operands(self):
        x = frit.ones(2)
        self.assert_tensor(x + numpy.ones(2), [2.0, 2.0], frit.float64)
        self.assert_tensor(numpy.ones(2, dtype=numpy.float32) - x, [0.0, 0.0], frit.float32)

    def test_writes_of_the_host_are_seen_by_compiled_code(self):
        x = frit.ones(4)
        a = x.numpy()
        step = frit.compile(lambda t: t * 2 + 1)
        for value in range(8):
            a[:] = value
            y = step(x)
            a[:] = -1
            self.assert_tensor(y, [2.0 * value + 1] * 4)


if __name__ == "__main__":
    main()
