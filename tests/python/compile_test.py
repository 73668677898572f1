"""Compiled functions, what is told of them, threads and forks."""
import os
import sys
import threading
import time

from harness import TestCase, frit, main


def model(x, w):
    h = (x @ w) * 0.5 + 1
    return frit.softmax(frit.relu(h), -1)


class Compile(TestCase):
    def test_gives_eagers_bits(self):
        x, w = frit.linspace(-1, 1, 32).reshape(4, 8), frit.linspace(-2, 2, 64).reshape(8, 8)
        frit.set_jit_mode("off")
        expected = model(x, w).tolist()
        frit.set_jit_mode("on")
        fast = frit.compile(model)
        before = frit.stats()["plan_entries"]
        for _ in range(5):
            self.assert_tensor(fast(x, w), expected)
        self.assertGreater(frit.stats()["plan_entries"], before)

    def test_is_a_decorator_with_and_without_options(self):
        @frit.compile
        def bare(x):
            """Adds one."""
            return x + 1

        @frit.compile(fullgraph=True, dynamic=True)
        def optioned(x, *, by=2):
            return x * by

        self.assertEqual((bare.__name__, bare.__doc__), ("bare", "Adds one."))
        for _ in range(3):
            self.assert_tensor(optioned(bare(frit.ones(1)), by=3), [6.0])

    def test_works_on_methods(self):
        class Module:
            def __init__(self):
                self.w = frit.full((2,), 3.0)

            @frit.compile
            def forward(self, x):
                return x * self.w

        module = Module()
        for _ in range(4):
            self.assert_tensor(module.forward(frit.ones(2)), [3.0, 3.0])

    def test_passes_exceptions_on_and_goes_on(self):
        @frit.compile
        def picky(x, fail):
            y = x * 2 + 1
            if fail:
                raise KeyError("mine")
            return y

        for fail in (False, False, False, True, False, True, False):
            if fail:
                self.assertEqual(self.error_of(lambda: picky(frit.ones(2), True))[0], KeyError)
            else:
                self.assert_tensor(picky(frit.ones(2), False), [3.0, 3.0])

    def test_breaks_are_errors_where_asked(self):
        @frit.compile(fullgraph=True)
        def reads(x):
            y = x + 1
            return y * 2 if y.sum().item() > 0 else y

        kind, text = self.error_of(lambda: [reads(frit.ones(2)) for _ in range(4)])
        self.assertEqual(kind, RuntimeError)
        self.assertIn("graph break", text)

    def test_follows_numbers_and_sizes_that_change(self):
        for options in ({}, {"dynamic": True}, {"dynamic": False}, {"asynchronous": True}):
            scale = frit.compile(lambda x, s: x * s + s, **options)
            for n in range(1, 7):
                for s in (2, 3.5, -1):
                    self.assert_tensor(scale(frit.ones(n), s), [2.0 * s] * n)

    def test_tensors_made_in_a_loop_are_freed(self):
        step = frit.compile(lambda x: frit.tanh(x * 0.5) + x)
        x = frit.ones(1 << 16)
        for _ in range(4):
            x = step(x)
        before = frit.stats()["pool_live_bytes"]
        for _ in range(50):
            x = step(x)
        x.sum().item()
        self.assertLessEqual(frit.stats()["pool_live_bytes"], before + (4 << 16) * 4)


class Reports(TestCase):
    def test_explain_shows_graphs_and_kernels(self):
        report = frit.explain(lambda x: (x * 3).sum())(frit.ones(8))
        self.assertIn("mul %x0", str(report))
        self.assertEqual(len(report.data["plans"]), 1)
        self.assertIn("plans", frit.explain().data)

    def test_stats_count(self):
        before = frit.stats()["eager_ops"]
        frit.ones(3).exp().log()
        self.assertGreater(frit.stats()["eager_ops"], before)

    def test_modes_are_set_and_read(self):
        frit.set_jit_mode("record")
        self.assertEqual(frit.jit_mode(), "record")
        frit.set_jit_mode("on")
        self.assertEqual(self.error_of(lambda: frit.set_jit_mode("fast"))[0], ValueError)
        self.assertEqual(self.error_of(lambda: frit.set_default_backend("nobody"))[0], ValueError)
        self.assertIn("native", frit.list_backends())
        threads = frit.get_num_threads()
        frit.set_num_threads(1)
        self.assertEqual(frit.get_num_threads(), 1)
        frit.set_num_threads(threads)
        frit.trim()


class Threads(TestCase):
    def test_share_tensors_and_compiled_functions(self):
        fast = frit.compile(model)
        x, w = frit.linspace(-1, 1, 32).reshape(4, 8), frit.linspace(-2, 2, 64).reshape(8, 8)
        expected, wrong = model(x, w).tolist(), []

        def work():
            for _ in range(100):
                if fast(x, w).tolist() != expected:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_take_over_pending_values(self):
        results = []
        step = [None]
        for _ in range(6):
            step[0] = frit.ones(64) * 2 + 1
            thread = threading.Thread(target=lambda: results.append(step[0].sum().item()))
            thread.start()
            thread.join()
        self.assertEqual(results, [192.0] * 6)

    def test_run_python_while_an_op_runs(self):
        a = frit.ones(700, 700)
        ticks, done = [0], threading.Event()

        def tick():
            while not done.is_set():
                ticks[0] += 1
                time.sleep(0)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # the lock changes hands only where it is given away
        thread = threading.Thread(target=tick)
        try:
            thread.start()
            before = ticks[0]
            for _ in range(3):
                a @ a
            during = ticks[0] - before
        finally:
            done.set()
            thread.join()
            sys.setswitchinterval(interval)
        self.assertGreater(during, 0)


class Forks(TestCase):
    def test_child_computes_and_compiles(self):
        fast = frit.compile(model)
        x, w = frit.linspace(-1, 1, 32).reshape(4, 8), frit.linspace(-2, 2, 64).reshape(8, 8)
        expected = [fast(x, w).tolist() for _ in range(3)][0]
        pending = x * 2 + 1
        child = os.fork()
        if child == 0:
            well = all(fast(x, w).tolist() == expected for _ in range(4))
            well = well and frit.compile(lambda t: t * 5)(x).tolist() == (x * 5).tolist()
            os._exit(0 if well and pending.tolist() == (x * 2 + 1).tolist() else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assert_tensor(fast(x, w), expected)


if __name__ == "__main__":
    main()
