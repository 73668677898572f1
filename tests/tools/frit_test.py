"""The frit command writes every output, and says what is wrong with an exit code that is not 0."""

import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
FLOAT = 1

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def varint(value):
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes(data) + bytes([value])


def field(number, value):
    """A field of a protocol buffer: an integer, or text or a message with its length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def value_info(name, sizes):
    dims = b"".join(field(1, field(1, size)) for size in sizes)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, dims)))


def unary_model(sizes, nodes):
    """A model with an input x; nodes are pairs of an op and the name of its output."""
    graph = b"".join(field(1, field(1, "x") + field(2, output) + field(4, op)) for op, output in nodes)
    graph += field(2, "g") + field(11, value_info("x", sizes))
    graph += b"".join(field(12, value_info(output, sizes)) for _, output in nodes)
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))


def run(*arguments, **options):
    options = {"stdout": subprocess.PIPE, **options}
    done = subprocess.run([PROGRAM, *arguments], stderr=subprocess.PIPE, text=True, timeout=60, **options)
    check(done.returncode >= 0, f"{arguments} died of signal {-done.returncode}")
    return done


def check_outputs_of_like_names(directory):
    model = directory / "like.onnx"
    model.write_bytes(unary_model([2], [("Relu", "a/b"), ("Neg", "a:b"), ("Abs", "a_b_2")]))
    done = run("run", str(model), "--output-dir", str(directory / "out"))
    check(done.returncode == 0, done.stderr)
    names = [pathlib.Path(line).name for line in done.stdout.splitlines()]
    check(names == ["a_b.npy", "a_b_2.npy", "a_b_2_2.npy"], f"files: {names}")
    contents = {(directory / "out" / name).read_bytes() for name in names}
    check(len(contents) == 3, "outputs were written over each other")


def check_output_that_cannot_be_written(directory):
    model = directory / "relu.onnx"
    model.write_bytes(unary_model([2], [("Relu", "y")]))
    for arguments in (["run", str(model)], ["explain", str(model)], ["ops"], ["flags"], ["help"]):
        check(run(*arguments).returncode == 0, f"{arguments} fails")
        with open("/dev/full", "w") as full:
            done = run(*arguments, stdout=full)
        check(done.returncode == 1 and "cannot write" in done.stderr, f"{arguments} to a full disk: {done.returncode} {done.stderr}")


def check_inputs_beyond_memory(directory):
    for sizes in ([1 << 45], [1 << 33, 1 << 33]):
        model = directory / "huge.onnx"
        model.write_bytes(unary_model(sizes, [("Relu", "y")]))
        done = run("run", str(model))
        check(done.returncode == 1 and 'input "x"' in done.stderr, f"{sizes}: {done.returncode} {done.stderr}")


def check_explanation_as_data(directory):
    model = directory / "relu.onnx"
    model.write_bytes(unary_model([2], [("Relu", "y")]))
    plans = json.loads(run("explain", str(model), "--json").stdout)["plans"]
    check(len(plans) == 1 and plans[0]["entries"] > 0 and plans[0]["last_exit"] == {}, f"plans: {plans}")
    kinds = {guard["kind"] for guard in plans[0]["guards"]}
    check(kinds == {"layout", "environment"}, f"guards: {plans[0]['guards']}")
    check("relu" in plans[0]["forms"][0]["captured"], f"forms: {plans[0]['forms']}")


def check_arguments():
    for arguments in ([], ["flags", "x"], ["ops", "x"], ["run"], ["run", "--json", "x.onnx"], ["bench"], ["fly"]):
        done = run(*arguments)
        check(done.returncode == 2 and "usage:" in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        check_outputs_of_like_names(directory)
        check_output_that_cannot_be_written(directory)
        check_inputs_beyond_memory(directory)
        check_explanation_as_data(directory)
    check_arguments()
    sys.exit(1 if failures else 0)


main()
