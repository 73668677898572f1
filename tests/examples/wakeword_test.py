"""The wake-word detector gives onnxruntime's scores, the same with the JIT off and on, and clear errors for bad input."""

import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
RECORDINGS = "tests/data/wakeword"
MODELS = ["alexa_v0.1", "hey_jarvis_v0.1"]

# Scores of onnxruntime 1.30: streamed (best, at, hops) and over the whole file (best).
STREAMED = {("alexa_v0.1", "alexa"): (0.9548, "2.00s", 36), ("hey_jarvis_v0.1", "hey_jarvis"): (0.9945, "2.32s", 41)}
WHOLE = {("alexa_v0.1", "alexa"): 0.9682, ("hey_jarvis_v0.1", "hey_jarvis"): 0.9941}

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def run(*arguments):
    done = subprocess.run([PROGRAM, "--models=models", *arguments], capture_output=True, text=True, timeout=300)
    check(done.returncode >= 0, f"{arguments} died of signal {-done.returncode}")
    return done


def scores(*arguments):
    done = run(*arguments)
    check(done.returncode == 0, f"{arguments}: {done.stderr}")
    lines = done.stdout.splitlines()
    match = re.fullmatch(r"best=(\S+) (?:at=(\S+) )?hops=(\d+) hot_hop_us=(\S+) cold_hop_us=(\S+)", lines[-1] if lines else "")
    check(match is not None, f"{arguments}: last line {lines[-1:]}")
    return (match.groups() if match else ("none", None, "0", "", "")), [l for l in lines if l.startswith("detected")]


def check_scores():
    for model in MODELS:
        for path in sorted(glob.glob(f"{RECORDINGS}/*.wav")):
            name = os.path.basename(path)[:-4]
            (best, at, hops, _, _), detections = scores(f"--model={model}", path)
            expected = STREAMED.get((model, name))
            if expected:
                check(abs(float(best) - expected[0]) <= 1.5e-4, f"{model} {name}: best {best}, expected {expected[0]}")
                check((at, int(hops)) == expected[1:], f"{model} {name}: at {at} hops {hops}")
                check(detections, f"{model} {name}: no detection")
            else:
                check(float(best) <= 0.0005 and not detections, f"{model} {name}: best {best}")
            (whole, _, _, _, _), _ = scores(f"--model={model}", "--whole", path)
            limit = WHOLE.get((model, name))
            check(abs(float(whole) - limit) <= 1.5e-4 if limit else float(whole) < 0.001, f"{model} {name} whole: {whole}")


def check_jit():
    path = f"{RECORDINGS}/alexa.wav"
    off = run("--jit=off", path).stdout.splitlines()
    on = run("--repeat=3", path).stdout.splitlines()
    check(off[-1].split()[:3] == on[-1].split()[:3], f"JIT off {off[-1:]}, on {on[-1:]}")
    check([l for l in off if l.startswith("detected")] == [l for l in on if l.startswith("detected")], "detections differ")
    check("hot_hop_us=none" not in on[-1], f"no hot hops: {on}")


def wav(samples=b"", rate=16000, channels=1, bits=16, format_tag=1):
    block = channels * bits // 8
    fmt = struct.pack("<HHIIHH", format_tag, channels, rate, rate * block, block, bits)
    return b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + struct.pack("<I", 16) + fmt + b"data" + struct.pack("<I", len(samples)) + samples


def check_bad_input():
    with tempfile.TemporaryDirectory() as directory:
        def file(name, content):
            path = os.path.join(directory, name)
            with open(path, "wb") as out:
                out.write(content)
            return path

        bad = {
            "rate": wav(b"\0\0" * 100, rate=44100),
            "stereo": wav(b"\0\0" * 100, channels=2),
            "bits": wav(b"\0" * 100, bits=8),
            "truncated": wav(b"\0\0" * 100)[:60],
            "not a wav": b"hello",
            "empty file": b"",
        }
        for name, content in bad.items():
            done = run(file("bad.wav", content))
            check(done.returncode == 1 and "bad.wav" in done.stderr, f"{name}: {done.returncode} {done.stderr}")
        done = run(os.path.join(directory, "nobody.wav"))
        check(done.returncode == 1 and "nobody.wav" in done.stderr, f"missing file: {done.stderr}")
        check(run("--model=nobody", f"{RECORDINGS}/alexa.wav").returncode == 1, "missing model")
        check(run("--frobnicate", "x.wav").returncode == 2, "unknown option")
        for samples in (b"", b"\0\0" * 1000):
            (best, _, hops, _, _), _ = scores(file("short.wav", wav(samples)))
            check(best == "none" and hops == "0", f"short file: {best} {hops}")
            (best, _, _, _, _), _ = scores("--whole", file("short.wav", wav(samples)))
            check(best == "none", f"short file, whole: {best}")


def main():
    if not os.path.exists("models/embedding_model.onnx"):
        print("SKIPPED: the models are missing; tools/setup fetches them")
        sys.exit(1 if os.environ.get("CI") == "true" else 0)
    check_scores()
    check_jit()
    check_bad_input()
    sys.exit(1 if failures else 0)


main()
