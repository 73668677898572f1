"""Runs NumPy's accuracy tables: (type, input bits, output bits, tolerance) lines of 20 functions.

    numpy_accuracy_test.py [--repeat N]

Each result must be within its own line's tolerance, counted as NumPy's test counts: in floats
between the two, NaN being NaN and a zero's sign nothing. With --repeat, each function is compiled
and called so often: plans must have run, and left the bits as they were.
"""
import argparse
import pathlib
import sys

import numpy

sys.path.insert(0, "src/python")

import frit

TABLES = pathlib.Path(numpy.__file__).parent / "core/tests/data"
# Where PyTorch's name is not NumPy's.
NAMES = {"arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh",
         "arctan": "atan", "arctanh": "atanh"}
FUNCTIONS, LINES = 20, 26692
TYPES = {"np.float32": (numpy.float32, numpy.uint32), "np.float64": (numpy.float64, numpy.uint64)}


def read(table):
    """{type: (inputs, outputs, tolerances)}, and how many lines there are, comments too."""
    lines = table.read_text().splitlines()
    rows = {}
    for line in lines[1:]:
        if line[0] not in "#$":
            kind, *row = line.split(",")
            rows.setdefault(kind.strip(), []).append(row)
    columns = {}
    for kind, values in rows.items():
        floats, bits = TYPES[kind]
        x, y = (numpy.array([int(row[i], 16) for row in values], bits).view(floats) for i in (0, 1))
        columns[kind] = x, y, numpy.array([int(row[2]) for row in values])
    return columns, len(lines)


def place(x):
    """A number's place among all floats of its type, with NaN beyond all."""
    x = numpy.where(numpy.isnan(x), numpy.abs(numpy.full_like(x, numpy.nan)), x)
    bits = x.view(numpy.dtype(f"i{x.itemsize}"))
    return [int(b) if b >= 0 else int(numpy.iinfo(bits.dtype).min) - int(b) for b in bits]


def distances(got, want):
    return numpy.array([abs(g - w) for g, w in zip(place(got), place(want))], dtype=object)


def results(function, x, repeat):
    """What the last of several calls gives, and whether its bits are those of the first."""
    x = frit.from_numpy(x)
    first = function(x).numpy()
    last = first
    for _ in range(repeat - 1):
        last = function(x).numpy()
    return last, first.tobytes() == last.tobytes()


def run(table, repeat):
    """(lines, failures) of a table."""
    name = table.stem.split("-")[-1]
    name = NAMES.get(name, name)
    columns, lines = read(table)
    failures = 0
    for kind, (x, want, tolerance) in columns.items():
        op = getattr(frit, name)
        # In a function of its own: one op alone is not worth a plan.
        function = frit.compile(lambda x: op(x).neg().neg()) if repeat > 1 else op
        got, same = results(function, x, repeat)
        far = distances(got, want)
        wrong = far > tolerance
        failures += int(wrong.sum()) + (not same)
        if not same:
            print(f"{name} {kind}: a later call gave other bits")
        for i in numpy.flatnonzero(wrong)[:8]:
            print(f"{name} {kind}: {x[i].hex()} gives {got[i].hex()}, expected {want[i].hex()}: "
                  f"{far[i]} floats apart, allowed {tolerance[i]}")
    return lines, failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=1)
    repeat = parser.parse_args().repeat
    tables = sorted(TABLES.glob("umath-validation-set-*.csv"))
    entries = frit.stats()["plan_entries"]
    outcomes = [run(table, repeat) for table in tables]
    entries = frit.stats()["plan_entries"] - entries
    lines, failures = (sum(column) for column in zip(*outcomes))
    print(f"{len(tables)} functions, {lines} lines, {failures} failures, {entries} plan entries")
    if len(tables) != FUNCTIONS or lines != LINES:
        print(f"expected {FUNCTIONS} functions, {LINES} lines in {TABLES}")
        return 1
    return 1 if failures or (repeat > 1) != (entries > 0) else 0


if __name__ == "__main__":
    sys.exit(main())
