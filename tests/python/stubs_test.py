"""The package's type stubs: mypy finds nothing wrong in them, takes good programs, and finds what is wrong in others.

The argument is one file of the built package.
"""
import ast
import importlib
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
sys.path.insert(0, PACKAGE)
sys.dont_write_bytecode = True

import frit  # noqa: E402

# A line with a comment is an error of that kind; the others are none.
PROGRAM = '''
import frit
import frit.nn.functional as F
from frit import Tensor, nn

x = frit.tensor([1.0, 2.0])
y: Tensor = 2 - (x + 1) * x.sum(dim=0, keepdim=True)
y[0] = -x[1]
y += frit.add(x, 1, alpha=2).clamp_(min=0)
rows: list[Tensor] = [row.relu() for row in frit.zeros(2, 3, dtype=frit.float32)]
sizes: frit.Size = x.size()
length: int = x.size(0) + x.shape[0] + len(x) + int(x.item())
values, indices = x.max(dim=0)
values = x.topk(1).values
q: Tensor = frit.linalg.qr(frit.eye(2)).Q
is_float: bool = x.is_floating_point() and x.dtype.is_floating_point
lists = x.int().tolist()
parts: tuple[Tensor, ...] = frit.split(x, 1)
frit.set_num_threads(frit.get_num_threads())
x.data = y
spectrum: Tensor = frit.fft.rfft(x)
program: frit.Program = frit.freeze(frit.relu, [x])


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 3)

    def forward(self, x: Tensor) -> Tensor:
        return F.softmax(F.linear(x, self.layer.weight), dim=-1)


net = Net().eval()
result: Tensor = net(x)
sizes_by_name: dict[str, frit.Size] = {name: weight.shape for name, weight in net.named_parameters()}

frit.add(x, "1")  # arg-type
frit.ad(x, 1)  # attr-defined
frit.zeros(2, dtype="float32")  # arg-type
number: int = frit.sum(x)  # assignment
x.rleu()  # attr-defined
frit.softmax(x)  # call-arg
F.conv2d(x, 3)  # arg-type
x.sum(dims=3)  # call-arg
x.view("a")  # arg-type
x.ndim = 3  # misc
nn.Liner(2, 3)  # attr-defined
nn.Linear(2)  # call-arg
nn.Conv2d(1, 2, "3")  # arg-type
net.register_buffer("counts", 3)  # arg-type
F.embedding(x, 3)  # arg-type
frit.compile(3, fullgraf=True)  # call-arg
frit.linalg.qr(x).q  # attr-defined
'''


def names_in(stub):
    """The public names that a stub gives its module."""
    names = set()
    for node in ast.parse(stub).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.asname and alias.asname == alias.name}
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in names if not name.startswith("_")}


def is_of_package(thing):
    return not inspect.ismodule(thing) or thing.__name__.startswith("frit")


class Stubs(unittest.TestCase):
    def stub_of(self, module):
        with open(os.path.splitext(module.__file__)[0] + ".pyi", encoding="utf-8") as file:
            return file.read()

    def test_have_the_names_of_the_package(self):
        for module in (frit, frit.nn, frit.nn.functional, frit.linalg, frit.fft, frit.special):
            written = names_in(self.stub_of(module))
            names = {name for name in dir(module) if not name.startswith("_") and is_of_package(getattr(module, name))}
            if "from frit.nn.modules import *" not in self.stub_of(module):
                self.assertEqual(names - written, set(), module.__name__)
            self.assertEqual(written - names, set(), module.__name__)

    def test_have_the_methods_of_tensors(self):
        body = next(node.body for node in ast.parse(self.stub_of(frit._core)).body
                    if isinstance(node, ast.ClassDef) and node.name == "Tensor")
        written = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        self.assertEqual({name for name in dir(frit.Tensor) if not name.startswith("_")} - written, set())
        self.assertGreater(len(written), 500)

    def test_are_there_for_each_module(self):
        for found in pkgutil.walk_packages(frit.__path__, "frit."):
            module = importlib.import_module(found.name)
            self.assertTrue(self.stub_of(module), found.name)
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "frit", "py.typed")))

    def test_say_how_functions_are_called(self):
        stub = self.stub_of(frit._core)
        for line in ("def narrow(input: frit.Tensor, dim: _int, start: _int, length: _int, *, out: frit.Tensor | None = None) "
                     "-> frit.Tensor: ...", "    def uniform_(self, from_: _float = 0.0, to: _float = 1.0"):
            self.assertTrue(line in stub, line)


@unittest.skipUnless(shutil.which("mypy") or os.environ.get("CI") == "true", "mypy is not installed")
class Checked(unittest.TestCase):
    def mypy(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            run = subprocess.run(["mypy", "--cache-dir", cache, "--python-version", "3.11", "--no-error-summary", *arguments],
                                 capture_output=True, text=True, cwd=PACKAGE)
        return run.stdout + run.stderr

    def test_are_right_in_themselves(self):
        stubs = [os.path.join(parent, file) for parent, _, files in os.walk(os.path.join(PACKAGE, "frit"))
                 for file in files if file.endswith(".pyi")]
        self.assertGreater(len(stubs), 100)
        self.assertEqual(self.mypy(*stubs), "")

    def test_tell_good_lines_from_wrong_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            found = re.findall(r"program\.py:(\d+): error: .*\[([a-z-]+)\]", self.mypy("--follow-imports=silent", path))
        expected = [(str(number), line.split("# ")[1]) for number, line in enumerate(PROGRAM.split("\n"), 1) if "# " in line]
        self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
