"""Loops without end hold no more memory after a while than before."""
import gc

from harness import TestCase, frit, main


def page_bytes():
    """What the process holds in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def step(x, k=2.0):
    return ((x * k + 1).tanh() - 0.5).relu()


class Memory(TestCase):
    def flat(self, work, rounds):
        """Runs so many rounds; the second half must not need more memory than the first."""
        for _ in range(rounds // 2):
            work()
        gc.collect()
        before = page_bytes()
        for _ in range(rounds // 2):
            work()
        gc.collect()
        self.assertLess(page_bytes() - before, 1 << 20)

    def test_stays_flat_over_100_000_iterations(self):
        x = frit.arange(64.0)
        state = [frit.zeros(64)]

        def work():
            state[0] = state[0] * 0.5 + step(x)
        self.flat(work, 100_000)

    def test_stays_flat_with_values_read_and_shapes_that_change(self):
        xs = [frit.arange(float(n)) for n in range(1, 40)]
        turn = iter(range(1 << 62))

        def work():
            n = next(turn)
            y = step(xs[n % 39])
            if n % 2:
                y.sum().item()
        self.flat(work, 40_000)

    def test_stays_flat_where_functions_are_compiled_anew(self):
        x = frit.arange(64.0)

        def work():
            compiled = frit.compile(lambda x: step(x))
            for _ in range(4):
                compiled(x).sum().item()
        for _ in range(5_000):  # until there are as many plans as are kept
            work()
        self.flat(work, 2_000)


if __name__ == "__main__":
    main()
