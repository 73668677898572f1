"""FRIT_PROFILE writes a trace that viewers take: events of every kind, lying within each other."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
KEYS = {"op": {"call"}, "plan": {"plan", "ops"}, "kernel": {"kernel", "writer", "elements", "bytes"}, "compile": {"plan", "ops", "backend", "kernels"}}

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def bench(profile, *arguments):
    command = [PROGRAM, "bench", "softmax(x * 2 + 1, dim=-1)", "--x", "f32[8,16]", "--time", "0.01", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, "FRIT_PROFILE": profile})


def check_event(event):
    check(event["ph"] in "XMi" and isinstance(event["name"], str) and event["pid"] > 0, f"event: {event}")
    if event["ph"] != "X":
        return
    check(event["ts"] >= 0 and event["dur"] >= 0 and event["tid"] > 0, f"times: {event}")
    check(set(event["args"]) >= KEYS[event["cat"]], f"notes: {event}")


def check_nesting(events):
    """A slice ends before the one that it began in; what viewers draw would be nonsense otherwise."""
    open_until = []
    for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        begin, end = round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        check(not open_until or end <= open_until[-1], f"{event} sticks out")
        open_until.append(end)


def check_profile(directory):
    path = directory / "profile.json"
    done = bench(str(path))
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    profile = json.loads(path.read_text())
    check(profile["otherData"]["dropped"] == 0, f"dropped: {profile['otherData']}")
    threads = collections.defaultdict(list)
    for event in profile["traceEvents"]:
        check_event(event)
        if event["ph"] == "X":
            threads[event["tid"]].append(event)
    events = [event for thread in threads.values() for event in thread]
    check({event["cat"] for event in events} == set(KEYS), f"kinds: {sorted({event['cat'] for event in events})}")
    check(any(event["args"].get("call") == "softmax(f32[8,16], dim=-1)" for event in events), "calls say their shapes")
    for thread in threads.values():
        check_nesting(thread)


def check_path_that_cannot_be_written(directory):
    done = bench(str(directory / "none" / "profile.json"))
    check(done.returncode == 0 and "FRIT_PROFILE: write_profile" in done.stderr, f"{done.returncode} {done.stderr}")


with tempfile.TemporaryDirectory() as name:
    check_profile(pathlib.Path(name))
    check_path_that_cannot_be_written(pathlib.Path(name))
sys.exit(1 if failures else 0)
