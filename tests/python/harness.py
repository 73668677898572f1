"""What the Python tests share: the module from the runfiles, and unittest's runner.

    from harness import frit, main, TestCase
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.abspath("src/python"))
sys.dont_write_bytecode = True

import frit  # noqa: E402


class TestCase(unittest.TestCase):
    def assert_tensor(self, tensor, values, dtype=None):
        """All of it: the values, nested as they are, and the dtype if given. NaN equals NaN."""
        self.assertEqual(repr(tensor.tolist()), repr(values))
        if dtype is not None:
            self.assertEqual(tensor.dtype, dtype)

    def error_of(self, function):
        """The class and text of the error that the function raises."""
        try:
            result = function()
        except Exception as error:
            return type(error), str(error)
        self.fail(f"no error was raised, but {result} returned")


def main():
    unittest.main(argv=sys.argv[:1])
