"""The wheel that tools/build_wheel makes: installed by pip without an index into a fresh environment, it runs there.

Arguments: tools/build_wheel, and one file of the built package.
"""
import base64
import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD_WHEEL, MODULE = sys.argv[1:3]
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(MODULE)))

PROGRAM = """
import sys
import frit

@frit.compile
def step(x, w):
    return frit.tanh(x @ w) * 0.5

net = frit.nn.Sequential(frit.nn.Linear(3, 2), frit.nn.ReLU())
for _ in range(4):
    y = step(frit.ones(2, 3), frit.eye(3))
print(y.tolist() == (frit.tanh(frit.ones(2, 3)) * 0.5).tolist(), net(y).shape, "numpy" in sys.modules)
print(frit.__file__)
"""


def output_of(*command):
    run = subprocess.run(command, capture_output=True, text=True, cwd="/")
    if run.returncode != 0:
        raise AssertionError(f"{command}: {run.stdout}{run.stderr}")
    return run.stdout


def build(out):
    return output_of(sys.executable, os.path.abspath(BUILD_WHEEL), "--package", PACKAGE, "--out", out).strip()


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.wheel = build(os.path.join(cls.folder.name, "first"))
        environment = os.path.join(cls.folder.name, "environment")
        output_of(sys.executable, "-m", "venv", environment)
        cls.python = os.path.join(environment, "bin", "python")
        output_of(cls.python, "-m", "pip", "--isolated", "install", "--no-index", "--disable-pip-version-check", cls.wheel)

    def run_there(self, program):
        return output_of(self.python, "-I", "-c", program)

    def test_runs_programs_where_it_is_installed(self):
        values, place = self.run_there(PROGRAM).splitlines()
        self.assertEqual(values, "True frit.Size([2, 2]) False")
        self.assertTrue(place.startswith(self.folder.name), place)

    def test_brings_the_libraries_that_a_plain_linux_lacks(self):
        maps = self.run_there("import frit; print(open('/proc/self/maps').read())")
        loaded = {line.split()[-1] for line in maps.splitlines() if "libabsl" in line}
        self.assertTrue(loaded)
        for path in loaded:
            self.assertIn("/site-packages/frit.libs/", path)

    def test_is_known_to_pip(self):
        self.assertIn("Version: 2.6.0+frit", output_of(self.python, "-m", "pip", "--isolated", "show", "frit"))
        self.assertRegex(os.path.basename(self.wheel), r"^frit-2\.6\.0\+frit-cp311-cp311-manylinux_2_\d+_x86_64\.whl$")

    def test_lists_all_of_its_files_with_their_digests(self):
        with zipfile.ZipFile(self.wheel) as archive:
            record = next(name for name in archive.namelist() if name.endswith("/RECORD"))
            rows = {row[0]: row[1] for row in csv.reader(archive.read(record).decode().splitlines())}
            self.assertEqual(sorted(rows), sorted(archive.namelist()))
            for name, expected in rows.items():
                digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).decode().rstrip("=")
                self.assertEqual(expected, "" if name == record else f"sha256={digest}", name)

    def test_is_the_same_from_the_same_package(self):
        with open(self.wheel, "rb") as first, open(build(os.path.join(self.folder.name, "second")), "rb") as second:
            self.assertEqual(first.read(), second.read())

    def test_is_imported_within_50_ms(self):
        program = "import time; t = time.process_time(); import frit; print(time.process_time() - t)"
        self.assertLess(min(float(self.run_there(program)) for _ in range(10)), 0.05)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
