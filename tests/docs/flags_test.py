"""The switches that docs/debugging.md names are those that `frit flags` lists."""

import re
import subprocess
import sys

listed = subprocess.run([sys.argv[1], "flags"], capture_output=True, text=True, check=True, timeout=60).stdout
exist = set(re.findall(r"^(FRIT_\w+)=", listed, re.MULTILINE))
with open("docs/debugging.md") as page:
    named = set(re.findall(r"FRIT_\w+", page.read()))
failures = [f"docs/debugging.md names {name}, which is no switch" for name in sorted(named - exist)]
if not exist:
    failures.append("frit flags lists no switch")
print("\n".join(failures))
sys.exit(1 if failures else 0)
