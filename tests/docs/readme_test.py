"""What the README shows is what the programs print. With FRIT_BLESS=1, prints the text to paste."""

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
print("\n".join(failures))
sys.exit(1 if failures else 0)
