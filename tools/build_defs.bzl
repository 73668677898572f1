"""The two shapes of target that need more than a plain cc_library: code for one instruction set, and tests."""

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

def frit_test(name, srcs = None, deps = [], size = "small", **kwargs):
    """A GoogleTest: main() included, sources are name.cc unless given."""
    native.cc_test(
        name = name,
        srcs = srcs or [name + ".cc"],
        size = size,
        deps = deps + ["//third_party:gtest_main"],
        **kwargs
    )
