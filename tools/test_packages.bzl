"""The packages with tests; //:fast runs the suite `fast` of each. tools/build_defs.bzl holds tests to it."""

TEST_PACKAGES = [
    "tests/base",
    "tests/capture",
    "tests/codegen",
    "tests/contraction",
    "tests/docs",
    "tests/eager",
    "tests/eager/blocks",
    "tests/engine",
    "tests/examples",
    "tests/fuzz",
    "tests/graph",
    "tests/io",
    "tests/normalize",
    "tests/onnx",
    "tests/ops",
    "tests/ops/math",
    "tests/schedule",
    "tests/sweep",
    "tests/tensor",
    "tests/tools",
]
