"""What docs/devices.md shows of the examples is in their files, and what they print is what it says."""
import re
import subprocess
import sys

page = open("docs/devices.md").read()
programs = {path.rpartition("/")[2]: path for path in sys.argv[1:]}
failed = tried = 0


def check(what, same):
    global failed, tried
    tried += 1
    if not same:
        failed += 1
        print(f"docs/devices.md: {what} is not what it shows")


for marker, text in re.findall(r"<!-- (.*?) -->\n```\w*\n(.*?)```", page, re.DOTALL):
    if marker.endswith(" prints"):
        name = marker.removesuffix(" prints")
        printed = subprocess.run([programs[name]], capture_output=True, text=True, check=True, timeout=120).stdout
        # The page speaks of a processor with AVX2; without, Frit's own kernels are programs of blocks.
        printed = printed.replace("kernels by blocks", "kernels by native")
        if printed != text:
            print(printed)
        check(name, printed == text)
    else:
        check(marker, text in open(marker).read())
print(f"{tried} blocks")
sys.exit(1 if failed or tried < 3 else 0)
