"""Frit as one object that holds all it needs, which libfrit.so and libfrit.a are made of."""

# In every C library, or named by whoever links the result.
_SYSTEM_FLAGS = ["-ldl", "-lm", "-lpthread", "-lrt", "-pthread"]

def _merged_object_impl(ctx):
    archives = []
    flags = []
    for dep in ctx.attr.deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            for library in linker_input.libraries:
                archives.append(library.pic_static_library or library.static_library)
            flags += [flag for flag in linker_input.user_link_flags if flag not in _SYSTEM_FLAGS]
    arguments = ctx.actions.args()
    arguments.add_all(["-r", "-nostdlib", "-o", ctx.outputs.out])
    # Each template is there once, in a section like any other, so that its symbol may become local.
    arguments.add_all(["-Wl,--force-group-allocation"] + ctx.attr.linkopts)
    arguments.add("-Wl,--whole-archive")  # files that register themselves are asked for by nobody
    arguments.add_all(depset(archives))
    arguments.add_all(["-Wl,--no-whole-archive", "-Wl,-Bstatic", "-Wl,--start-group"])
    arguments.add_all(depset(flags))
    arguments.add("-Wl,--end-group")
    ctx.actions.run(
        executable = "g++",
        arguments = [arguments],
        inputs = archives,
        outputs = [ctx.outputs.out],
        mnemonic = "MergeObject",
        use_default_shell_env = True,
    )

merged_object = rule(
    implementation = _merged_object_impl,
    doc = """One relocatable object of all code behind `deps`, other people's static libraries included.

    What only the C and C++ libraries define stays undefined.""",
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "linkopts": attr.string_list(),
        "out": attr.output(mandatory = True),
    },
)
