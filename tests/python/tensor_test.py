"""Tensors in Python: arithmetic, numbers as operands, shapes, conversion."""
from harness import TestCase, frit, main


class Arithmetic(TestCase):
    def test_runs_pytorch_style_code(self):
        self.assert_tensor(frit.tensor([1.0, 2.0]) * 2 + 1, [3.0, 5.0], frit.float32)


if __name__ == "__main__":
    main()
