"""Runs the programs of cases.jsonl: small PyTorch programs at which others failed, with PyTorch's results.

    cases_test.py cases.jsonl [--only ID]

Each runs in a process of its own, so that a crash is a result, as written, with the module under
the name `torch`, and leaves its result in `out`. Shapes, dtypes and bits are compared (any NaN
equals any NaN), or a tolerance where the case has one. A program that needs a name that the module
lacks is counted by that name.
"""
import collections
import json
import math
import os
import re
import subprocess
import sys

MODES = ({"FRIT_JIT": "off"}, {}, {"FRIT_HOT": "1"})
CHUNK = 8  # programs that are started together


def load(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


# In the process of a program.


def flat(values):
    if not isinstance(values, list):
        return [values]
    return [v for inner in values for v in flat(inner)]


def text_of(value):
    if isinstance(value, float) and math.isfinite(value):
        return value.hex()
    return str(value)


def record(tensor):
    return {"shape": list(tensor.shape), "dtype": str(tensor.dtype).split(".")[-1],
            "values": [text_of(v) for v in flat(tensor.tolist())]}


def missing_name(frit, error):
    """The name that the module lacks and the program needs, or None."""
    text = str(error)
    if isinstance(error, NotImplementedError):
        return text.split(":")[0]
    attribute = re.search(r"has no attribute '(\w+)'", text)
    if isinstance(error, AttributeError) and attribute:
        return attribute[1]
    operator = re.search(r"unsupported operand type\(s\) for (<<|>>)", text)
    names = {"<<": "__lshift__", ">>": "__rshift__"}
    if operator and not hasattr(frit.Tensor, names[operator[1]]):
        return operator[1]
    return None


def run_one(program):
    sys.path.insert(0, os.path.abspath("src/python"))
    import frit

    scope = {"torch": frit, "__name__": "__case__"}
    try:
        exec(compile(program, "<case>", "exec"), scope)
        out = scope["out"]
        outs = out if isinstance(out, (tuple, list)) else (out,)
        return {"kind": "tensors", "tensors": [record(t) for t in outs]}
    except Exception as error:
        classes = [c.__name__ for c in type(error).__mro__]
        return {"kind": "error", "classes": classes, "text": str(error)[:200],
                "missing": missing_name(frit, error)}


# In the process of the test.


def number(text):
    return float.fromhex(text) if "x" in text else float(text)


def near(a, b, expected):
    if "rtol" not in expected:
        return False
    x, y = number(a), number(b)
    return math.isfinite(x) and math.isfinite(y) and \
        abs(x - y) <= expected.get("atol", 0) + expected["rtol"] * abs(y)


def tensors_differ(got, want, expected):
    """None, or a text."""
    if len(got) != len(want):
        return f"{len(got)} results, expected {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if (g["shape"], g["dtype"]) != (w["shape"], w["dtype"]):
            return f"out[{i}]: {g['dtype']}{g['shape']}, expected {w['dtype']}{w['shape']}"
        for k, (a, b) in enumerate(zip(g["values"], w["values"])):
            if a != b and not (w["dtype"].startswith(("f", "bf")) and near(a, b, expected)):
                return f"out[{i}] element {k}: {a}, expected {b}"
    return None


def differs(got, expected):
    kind = expected["kind"]
    if got["kind"] == "died":
        return f"died: {got['text']}"
    if kind == "error":
        if got["kind"] == "error" and set(expected["any_of"]) & set(got["classes"]):
            return None
        return f"no error of {expected['any_of']}, but {got['kind']}: {got.get('text', '')}"
    if got["kind"] == "error":
        return None if kind == "no-crash" else f"{got['classes'][0]}: {got['text']}"
    accepted = ([expected["tensors"]] if "tensors" in expected else []) + expected.get("accept", [])
    found = [tensors_differ(got["tensors"], want, expected) for want in accepted]
    return None if not found or None in found else found[0]


def start(path, case, mode):
    environment = {**os.environ, **mode}
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), path, "--only", case["id"]],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def result_of(process):
    try:
        out, errors = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        return {"kind": "died", "text": "time-out"}
    if process.returncode != 0:
        return {"kind": "died", "text": f"exit {process.returncode}: {errors.decode()[-300:]}"}
    return json.loads(out.decode().splitlines()[-1])


def run_all(path, cases, mode):
    """(passed, missing names, failures)"""
    passed, missing, failures = 0, collections.Counter(), []
    for begin in range(0, len(cases), CHUNK):
        chunk = cases[begin:begin + CHUNK]
        processes = [start(path, case, mode) for case in chunk]
        for case, process in zip(chunk, processes):
            got = result_of(process)
            text = differs(got, case["expected"])
            if text is None:
                passed += 1
            elif got.get("missing"):
                missing[got["missing"]] += 1
            else:
                failures.append(f"{case['id']} ({case['title']}): {text}")
    return passed, missing, failures


def main():
    path = sys.argv[1]
    cases = load(path)
    if "--only" in sys.argv:
        [case] = [c for c in cases if c["id"] == sys.argv[-1]]
        print(json.dumps(run_one(case["program"])))
        return 0
    cases = [case for case in cases if not case.get("heavy")]
    well = True
    for mode in MODES:
        passed, missing, failures = run_all(path, cases, mode)
        names = ", ".join(f"{name} {count}" for name, count in sorted(missing.items()))
        print(f"{mode or 'by default'}: {passed} passed, {sum(missing.values())} need what is missing ({names})")
        for failure in failures:
            print(f"  failed: {failure}")
        well &= not failures and passed > 0
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
