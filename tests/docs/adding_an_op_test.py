"""docs/adding_an_op.md shows all places of the ops that it takes as examples, and they are as it says."""
import pathlib
import re
import sys
import unittest

# The sources themselves, which no target could list; so this test runs each time.
ROOT = pathlib.Path("docs/adding_an_op.md").resolve().parent.parent
TEXT = (ROOT / "docs/adding_an_op.md").read_text()
COUNTS = {"three": 3, "four": 4, "six": 6}
# What makes an op: its row, its functions, and what asks for it by its enumerator.
PLACE = r"Op::{0}\b|FRIT_[A-Z_]+\({0}\b|^(?:FRIT_MATH_INLINE )?(?:Tensor|Value|ResultTypes|V) {0}\("
# Front ends, which name ops in their own words.
FRONTS = ("src/python", "src/onnx")


def examples():
    """Of each section with a number of files: the op, the number, and the files with the lines they show."""
    for section in re.split(r"^## ", TEXT, flags=re.M)[1:]:
        title = re.match(r".*: (\w+) files\n", section)
        if title:
            op = re.search(r"^`(\w+)`", section, re.M).group(1)
            yield op, COUNTS[title.group(1)], re.findall(r"^`(\S+)`\n```\n(.*?)```", section, re.M | re.S)


def sources():
    for top in ("src", "include"):
        for path in (ROOT / top).rglob("*"):
            name = str(path.relative_to(ROOT))
            if path.suffix in (".cc", ".h", ".def", ".inc") and not name.startswith(FRONTS):
                yield name, path.read_text()


class AddingAnOp(unittest.TestCase):
    def test_there_is_an_example_of_each_kind(self):
        self.assertEqual([number for _, number, _ in examples()], [3, 4, 6])

    def test_files_hold_what_is_shown(self):
        for op, number, places in examples():
            self.assertEqual(len(places), number, op)
            for path, lines in places:
                self.assertIn(lines, (ROOT / path).read_text(), path)

    def test_an_op_is_nowhere_else(self):
        files = dict(sources())
        self.assertGreater(len(files), 300)
        for op, _, places in examples():
            pattern = re.compile(PLACE.format(op), re.M)
            found = {path for path, text in files.items() if pattern.search(text)}
            self.assertEqual(found, {path for path, _ in places}, op)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
