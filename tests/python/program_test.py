"""Functions frozen into programs."""
import os
import tempfile

from harness import TestCase, frit, main


def mlp(x, w=frit.eye(2) * 2):
    return frit.relu(x @ w - 1)


class Freeze(TestCase):
    def test_gives_a_program_with_eagers_bits(self):
        program = frit.freeze(mlp, (frit.ones(3, 2),))
        x = frit.linspace(-1, 1, 6).reshape(3, 2)
        self.assert_tensor(program(x), mlp(x).tolist())
        out = frit.empty(3, 2)
        program.run((x,), (out,))
        self.assert_tensor(out, mlp(x).tolist())
        self.assertIn("relu", str(program))

    def test_takes_several_inputs_and_gives_several_outputs(self):
        program = frit.freeze(lambda a, b: (a + b, a - b), [frit.ones(2), frit.ones(2)])
        both = program(frit.tensor([5.0, 6.0]), frit.tensor([1.0, 2.0]))
        self.assertEqual([t.tolist() for t in both], [[6.0, 8.0], [4.0, 4.0]])

    def test_is_saved_and_loaded(self):
        program = frit.freeze(mlp, (frit.ones(1, 2),))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mlp.frit")
            program.save(path)
            loaded = frit.Program.load(path)
        self.assert_tensor(loaded(frit.ones(1, 2)), [[1.0, 1.0]])

    def test_refuses_what_cannot_be_frozen(self):
        kind, text = self.error_of(lambda: frit.freeze(lambda x: x * x.sum().item(), (frit.ones(2),)))
        self.assertTrue(issubclass(kind, Exception) and "item" in text)
        self.assertEqual(self.error_of(lambda: frit.freeze(mlp, frit.ones(2)))[0], TypeError)
        self.assertEqual(self.error_of(lambda: frit.freeze(lambda x: 3, (frit.ones(2),)))[0], TypeError)
        self.assertEqual(self.error_of(lambda: frit.Program())[0], TypeError)

    def test_passes_the_functions_exceptions_on(self):
        def fails(x):
            raise KeyError("mine")

        self.assertEqual(self.error_of(lambda: frit.freeze(fails, (frit.ones(1),)))[0], KeyError)
        self.assert_tensor(frit.ones(1) + 1, [2.0])

    def test_holds_inputs_to_what_they_were(self):
        program = frit.freeze(mlp, (frit.ones(1, 2),))
        self.assertEqual(self.error_of(lambda: program(frit.ones(2, 2)))[0], ValueError)


if __name__ == "__main__":
    main()
