"""What docs/extending.md shows in Python is what happens."""
import doctest
import os
import sys

sys.path.insert(0, os.path.abspath("src/python"))

failed, tried = doctest.testfile(os.path.abspath("docs/extending.md"), module_relative=False)
if tried == 0:
    print("docs/extending.md shows nothing")
sys.exit(1 if failed or tried == 0 else 0)
