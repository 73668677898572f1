"""The shapes of target that need more than a plain cc_library: code for one instruction set, and tests."""

load("//tools:test_packages.bzl", "TEST_PACKAGES")

# One entry per level that FRIT_ISA knows. Baseline is what the compiler does when it is told nothing.
_ISA_COPTS = {
    "avx2": ["-mavx2", "-mfma", "-mf16c"],
    "avx512": ["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx2", "-mfma", "-mf16c"],
    "baseline": [],
}

def isa_library(name, isa, copts = [], **kwargs):
    """A cc_library whose sources may use one instruction set.

    Its code must stand in a namespace named for that set, or the linker may keep the wrong copy of an inline function.
    """
    native.cc_library(name = name, copts = _ISA_COPTS[isa] + copts, **kwargs)

# Puts the package's tests into its suite `fast`. A package that //:fast does not know does not load, so none is forgotten.
def _join_fast():
    if native.package_name() not in TEST_PACKAGES:
        fail("//:fast would miss these tests: add \"%s\" to tools/test_packages.bzl" % native.package_name())
    if not native.existing_rule("fast"):
        # Without a list, a suite holds all tests of its package.
        native.test_suite(name = "fast", tags = ["-slow"], visibility = ["//:__pkg__"])

def frit_test(name, srcs = None, deps = [], size = "small", **kwargs):
    """A GoogleTest: main() included, sources are name.cc unless given."""
    _join_fast()
    native.cc_test(
        name = name,
        srcs = srcs or [name + ".cc"],
        size = size,
        deps = deps + ["//third_party:gtest_main"],
        **kwargs
    )

def frit_python_test(name, script = None, args = [], data = [], **kwargs):
    """A test of programs: name.py unless given, which ends with 0 when all is well."""
    _join_fast()
    script = script or name + ".py"
    native.sh_test(
        name = name,
        srcs = ["//tests:run_python.sh"],
        args = ["$(location %s)" % script] + args,
        data = [script] + data,
        **kwargs
    )
