"""Programs as they are written: generators, exceptions, cells that are run again, lists that keep results, and Ctrl-C at
any time. Nothing breaks."""
import random
import signal

from harness import TestCase, frit, main


def step(x, k=2.0):
    return ((x * k + 1).tanh() - 0.5).relu()


def expected(x, k=2.0):
    """The same with nothing compiled."""
    frit.set_jit_mode("off")
    try:
        return step(x, k).tolist()
    finally:
        frit.set_jit_mode("on")


class Programs(TestCase):
    def test_generators_may_rest_between_any_two_ops(self):
        def parts(x):
            y = x * 2
            yield y
            y = (y + 1).tanh()
            yield y
            yield y - 0.5
        x = frit.arange(40.0) / 10
        wanted = [y.tolist() for y in parts(x)]
        for _ in range(60):
            first, second = parts(x), parts(x)
            got = [(next(first), next(second)) for _ in range(3)]
            for (a, b), values in zip(got, wanted):
                self.assertEqual((a.tolist(), b.tolist()), (values, values))
        for _ in range(60):  # left in the middle
            rest = parts(x)
            self.assertEqual(next(rest).tolist(), wanted[0])
            rest.close()

    def test_exceptions_in_the_middle_leave_values_right(self):
        x = frit.arange(40.0) / 10
        wanted = expected(x)

        def work(n):
            y = x * 2 + 1
            if n % 7 == 3:
                y.view(3, 3)
            if n % 11 == 5:
                raise ZeroDivisionError
            return (y.tanh() - 0.5).relu()
        failed = 0
        for n in range(300):
            try:
                self.assertEqual(work(n).tolist(), wanted)
            except (RuntimeError, ZeroDivisionError):
                failed += 1
        self.assertEqual(failed, sum(n % 7 == 3 or n % 11 == 5 for n in range(300)))

    def test_cells_may_be_run_again_with_other_bodies(self):
        x = frit.arange(40.0) / 10
        bodies = ["x * 2 + 1", "x * 3 - 1", "(x * 2 + 1).tanh()", "x.sum() + x"]
        wanted = [eval(body, {"x": x}).tolist() for body in bodies]
        for n in range(80):
            cell = {"frit": frit}
            exec(f"@frit.compile\ndef cell(x):\n    return {bodies[n // 10 % 4]}", cell)
            for _ in range(3):
                self.assertEqual(cell["cell"](x).tolist(), wanted[n // 10 % 4])

    def test_results_that_lists_keep_stay_as_they_were(self):
        x = frit.arange(40.0) / 10
        kept = []
        for n in range(400):
            y = step(x, n % 5)
            kept.append((n % 5, y))
            if n % 3 == 0:
                kept.append((n % 5, y))
            if len(kept) > 60:
                del kept[:random.Random(n).randrange(30)]
        wanted = [expected(x, float(k)) for k in range(5)]
        for k, y in kept:
            self.assertEqual(y.tolist(), wanted[k])


class Interrupts(TestCase):
    def setUp(self):
        self.before = signal.signal(signal.SIGALRM, self.interrupt)

    def tearDown(self):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)

    @staticmethod
    def interrupt(*_):
        raise KeyboardInterrupt

    def test_at_any_time_break_nothing(self):
        x = frit.arange(4000.0) / 1000
        wanted = expected(x)
        compiled = frit.compile(step)
        draw, interrupted = random.Random(3), 0
        for _ in range(400):
            total = frit.zeros(4000)
            try:
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-5, 2e-3))
                for _ in range(100):
                    total += compiled(x) * 0.5
                    step(x).sum().item()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
            # Whole steps are in the sum, or the last one is not.
            steps = (total[-1] / (0.5 * wanted[-1])).item()
            self.assertAlmostEqual(steps, round(steps), places=3)
            self.assertEqual(compiled(x).tolist(), wanted)
            self.assertEqual(step(x).tolist(), wanted)
        self.assertGreater(interrupted, 200)


if __name__ == "__main__":
    main()
