"""tools/run builds targets that exist and shows the tour, then a detection in a recording that exists.

Bazel inside Bazel would wait for itself, so the script runs in a tree of its own: tools/setup does nothing there, and `bazel`
only looks whether the programs of the targets are among this test's data.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = sys.argv[1]
HERE = pathlib.Path.cwd()

BAZEL = """#!/bin/bash
[[ $1 == build ]] || { echo "bazel: cannot $1" >&2; exit 2; }
for word in "${@:2}"; do
  [[ $word == --* ]] && continue
  package=${word#//} && package=${package%:*}
  name=${word##*[/:]}
  [[ -x bazel-bin/$package/$name ]] || { echo "bazel: no target $word" >&2; exit 1; }
  echo "built $word"
done
"""

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def write_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def make_tree(root, script):
    write_script(root / "tools/run", script)
    write_script(root / "tools/setup", "#!/bin/bash\n")
    write_script(root / "path/bazel", BAZEL)
    for name in ("tests", "models"):
        (root / name).symlink_to(HERE / name)
    (root / "bazel-bin").symlink_to(HERE)


def run(script, *arguments):
    with tempfile.TemporaryDirectory() as root:
        make_tree(pathlib.Path(root), script)
        environment = {**os.environ, "PATH": f"{root}/path:{os.environ['PATH']}"}
        return subprocess.run([f"{root}/tools/run", *arguments], env=environment, capture_output=True, text=True, timeout=120)


def check_shows_both(script):
    done = run(script)
    check(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    for text in ("built //examples/tour", "built //examples/wakeword", "1. Capture hands on", "detected", "best="):
        check(text in done.stdout, f"{text!r} is not in the output:\n{done.stdout}")


def check_arguments_replace_the_recording(script):
    done = run(script, "--model=hey_jarvis_v0.1", "tests/data/wakeword/hey_jarvis.wav")
    check(done.returncode == 0 and "best=0.99" in done.stdout, f"with arguments: {done.stdout[-300:]}{done.stderr}")


def check_notices(script, was, becomes):
    """This test would fail if tools/run named something that is not there."""
    check(was in script, f"tools/run does not say {was}")
    done = run(script.replace(was, becomes))
    check(done.returncode != 0, f"{becomes} instead of {was} goes unnoticed")


def main():
    if not os.path.exists("models/embedding_model.onnx"):
        print("SKIPPED: the models are missing; tools/setup fetches them")
        sys.exit(1 if os.environ.get("CI") == "true" else 0)
    script = pathlib.Path(SCRIPT).read_text()
    check_shows_both(script)
    check_arguments_replace_the_recording(script)
    check_notices(script, "alexa.wav", "alexander.wav")
    check_notices(script, "//examples/wakeword", "//examples/wakewords")
    sys.exit(1 if failures else 0)


main()
