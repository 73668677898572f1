"""The commands in docs/bench.md run, and the keys that it lists are those of the report."""

import json
import re
import shlex
import subprocess
import sys

PROGRAM = sys.argv[1]
failures = []

with open("docs/bench.md") as page:
    text = page.read()
commands = re.findall(r"^frit (bench .*)$", text, re.MULTILINE)
if not commands:
    failures.append("docs/bench.md shows no command")

keys = set()
for command in commands:
    arguments = [a for a in shlex.split(command) if a != "--json"]
    done = subprocess.run([PROGRAM, *arguments, "--time", "0.05", "--json"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        failures.append(f"{command}: {done.stderr}")
    else:
        keys |= set(json.loads(done.stdout))

listed = set(re.findall(r"`(\w+)`", text[text.index("Its keys:"):]))
if keys - listed:
    failures.append(f"docs/bench.md does not list {sorted(keys - listed)}")
if listed - keys:
    failures.append(f"no report has {sorted(listed - keys)}")
print("\n".join(failures))
sys.exit(1 if failures else 0)
