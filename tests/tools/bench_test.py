"""frit bench measures, reports as text and as JSON, and says what is wrong."""

import json
import os
import subprocess
import sys

PROGRAM = sys.argv[1]
SHORT = ["--time", "0.05"]

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def bench(*arguments, **environment):
    done = subprocess.run([PROGRAM, "bench", *arguments], capture_output=True, text=True, timeout=100, env={**os.environ, **environment})
    check(done.returncode >= 0, f"{arguments} died of signal {-done.returncode}: {done.stderr}")
    return done


def report(*arguments, **environment):
    done = bench(*arguments, "--json", *SHORT, **environment)
    check(done.returncode == 0, f"{arguments}: {done.stderr}")
    return json.loads(done.stdout or "{}")


def check_json():
    result = report("gelu(x + b) * sigmoid(x) + b", "--x", "f32[16,32]", "--b=f32[32]", "--threads", "1", "--seed", "7", "--asm")
    check(result["inputs"] == {"b": "f32[32]", "x": "f32[16,32]"} and result["result"] == "f32[16,32]", f"types: {result}")
    check(result["seed"] == 7 and result["machine"]["threads"] == 1, f"options: {result}")
    check(result["bytes"] == 4 * (16 * 32 + 32 + 16 * 32), f"bytes: {result['bytes']}")
    check(result["flops"] == 9 * 16 * 32, f"flops: {result['flops']}")
    check("gelu" in result["graph"] and "erf" in result["normalized"], "graphs")
    for side in ("eager", "hot"):
        time = result[side]["time"]
        check(0 < time["low_ns"] <= time["median_ns"] <= time["high_ns"], f"{side}: {time}")
        rate = result["bytes"] / time["median_ns"]
        check(abs(result[side]["gb_per_s"] - rate) < 1e-6 * rate, f"{side}: {result[side]}")
        check(result[side]["cycles_per_element"] > 0, f"{side}: {result[side]}")
    check(result["compile"]["median_ns"] > 0, "compiling takes time")
    check(result["plan_share"] > 0.9, f"plans serve hot calls: {result['plan_share']}")
    check(result["machine"]["core_ghz"] > 0.2 and result["machine"]["copy_gb_per_s"] > 0.1, f"machine: {result['machine']}")
    check(isinstance(result["noisy"], bool) and result["noisy"] == bool(result["noise"]), "noise")
    plans = result["plans"]
    check(len(plans) == 1 and len(plans[0]["kernels"]) == 1 and "erf" in plans[0]["kernels"][0], f"kernels: {plans}")
    native = plans[0]["writers"][0].startswith("native")
    check(not native or "vaddps" in plans[0]["listings"][0], f"listing: {plans[0]['listings']}")


def check_text():
    done = bench("relu(x * 2 + 1)", "--x", "f32[4,8]{1,4}", *SHORT)
    for text in ("expression  relu(x * 2 + 1)", "x: f32[4,8]{1,4} (seed 1)", "the same bits", "eager", "hot", "compiling", "times as fast as eager", "store %out0"):
        check(text in done.stdout, f"{text!r} is not in {done.stdout}{done.stderr}")


def check_more_dtypes():
    for dtype in ("f64", "f16", "bf16", "i64", "i32", "i16", "i8", "u8"):
        check(report("x * 2 + x", "--x", f"{dtype}[100]")["plan_share"] > 0.9, f"{dtype} runs in plans")
    result = report("where(c, x, 0.5)", "--c", "bool[3,5]", "--x", "f32[3,5]")
    check(result["result"] == "f32[3,5]", f"where: {result}")
    result = report("x @ x", "--x", "f32[0,0]")
    check(result["flops"] == 0, "an empty product has no arithmetic")


def check_without_machine_code():
    result = report("x + 1", "--x", "f32[64]", "--asm", FRIT_ISA="baseline")
    check(result["machine"]["isa"] == "baseline" and result["plans"][0]["writers"][0].startswith("blocks"), f"baseline: {result['plans']}")


def check_errors():
    for arguments, code, text in (
        ([], 2, "no expression"),
        (["x", "y"], 2, "more than one expression"),
        (["x+1", "--x"], 2, "a value is missing"),
        (["x+1", "--x", "f32[2]", "--x", "f32[2]"], 2, "given twice"),
        (["x+1", "--x-y", "f32[2]"], 2, "unknown option"),
        (["x+1", "--threads", "0"], 2, "--threads 0"),
        (["x+1", "--seed", "1.5"], 2, "--seed 1.5"),
        (["x+1", "--time", "nan"], 2, "--time nan"),
        (["x+1", "--x", "f32"], 1, "expected '['"),
        (["x+1", "--x", "f64"], 1, "expected a tensor"),
        (["x+1", "--x", "f33[2]"], 1, "expected a dtype"),
        (["x+1", "--x", "f32[2] y"], 1, "expected the end"),
        (["x+1", "--x", "f32[-1]"], 1, "--x"),
        (["x+1", "--x", "f32[9223372036854775807,9223372036854775807]"], 1, "--x"),
        (["x+1", "--x", "f32[99999999999999]"], 1, "memory"),
        (["x+1", "--x", "f32[2,2]{99999999999999,1}"], 1, "memory"),
        (["x+y", "--x", "f32[2]"], 1, "column 3: no input 'y'"),
        (["index_select(x, i, dim=0)", "--x", "f32[1]", "--i", "i64[64]"], 1, "index"),
    ):
        done = bench(*arguments)
        check(done.returncode == code and text in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")


check_json()
check_text()
check_more_dtypes()
check_without_machine_code()
check_errors()
sys.exit(1 if failures else 0)
