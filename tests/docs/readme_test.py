"""What the README shows is what the programs print. With FRIT_BLESS=1, prints the text to paste."""

import os
import re
import subprocess
import sys

tour, frit = sys.argv[1:3]
failures = []


def shown(marker):
    """The fenced block after <!-- marker --> in the README."""
    with open("README.md") as readme:
        match = re.search(rf"<!-- {marker} -->\n```\w*\n(.*?)```\n", readme.read(), re.DOTALL)
    return match.group(1) if match else None


def compare(marker, command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        failures.append(f"{command}: exit code {done.returncode}: {done.stderr}")
    if shown(marker) != done.stdout:
        failures.append(f"README.md shows for {marker}:\n{shown(marker)}\nbut {command} prints:\n{done.stdout}")


compare("tour", [tour])
for arguments in (["ops"], ["flags"]):
    if subprocess.run([frit, *arguments], capture_output=True, timeout=60).returncode != 0:
        failures.append(f"frit {arguments} fails")
# What `bazel run` does: it starts the program elsewhere, and says where it was called.
environment = {**os.environ, "BUILD_WORKING_DIRECTORY": os.getcwd()}
done = subprocess.run([os.path.abspath(frit), "explain", "README.md"], cwd="/", env=environment, capture_output=True, text=True, timeout=60)
if "README.md" not in done.stderr or "cannot open" in done.stderr:
    failures.append(f"frit explain does not look where bazel run was called: {done.stderr}")
print("\n".join(failures))
sys.exit(1 if failures else 0)
