"""docs/core_ops.md is what `frit ops --core` prints."""
import difflib
import subprocess
import sys

printed = subprocess.run([sys.argv[1], "ops", "--core"], capture_output=True, text=True, check=True, timeout=60).stdout
with open("docs/core_ops.md") as page:
    shown = page.read()
print("\n".join(difflib.unified_diff(shown.splitlines(), printed.splitlines(), "docs/core_ops.md", "frit ops --core", lineterm="")))
if shown != printed:
    print("make it anew: frit ops --core > docs/core_ops.md")
sys.exit(0 if shown == printed else 1)
