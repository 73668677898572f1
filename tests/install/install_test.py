"""What tools/install lays out is all that programs need to be built with Frit, by CMake, by pkg-config and by hand."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = os.path.abspath("examples")
PAGE = "docs/extending.md"
LIBC = ["sys/single_threaded.h"]  # in glibc, which Frit needs


def block(marker):
    """The fenced block after <!-- marker --> of the page."""
    with open(PAGE) as page:
        return re.search(rf"<!-- {marker} -->\n```\w*\n(.*?)```\n", page.read(), re.DOTALL).group(1)


def output_of(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(*arguments, **environment):
    command = ["tools/install", "--built=tools/library", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        done = install(f"--prefix={cls.folder}/there")
        assert done.returncode == 0, done.stderr
        # The tree may be moved.
        cls.prefix = f"{cls.folder}/moved"
        os.rename(f"{cls.folder}/there", cls.prefix)

    def work(self, name):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        return path

    def pkg_config(self, *arguments):
        environment = {**os.environ, "PKG_CONFIG_PATH": f"{self.prefix}/lib/pkgconfig"}
        return output_of("pkg-config", *arguments, "frit", env=environment).split()

    def check_classifier(self, program, **environment):
        lines = output_of(program, cwd=os.path.dirname(program), env={**os.environ, **environment}).splitlines()
        self.assertEqual(lines[3:6], [f"point {i} lies in quadrant {i + 1}" for i in range(3)])
        self.assertEqual(len(lines), 7, lines)
        self.assertRegex(lines[6], r"f32\[3,2\].*f32\[3,3\]|f32\[3,3\].*f32\[3,2\]")

    def test_each_header_needs_only_the_standard_library(self):
        headers = sorted(os.listdir(f"{self.prefix}/include/frit"))
        self.assertIn("frit.h", headers)
        self.assertEqual(headers, sorted(name for name in os.listdir("include/frit") if name.endswith(".h")))
        for header in headers:
            source = f'#include "frit/{header}"\n'
            output_of("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{self.prefix}/include", "-xc++",
                      "-", input=source)
            with open(f"{self.prefix}/include/frit/{header}") as file:
                text = file.read()
            for name in re.findall(r"#include [<\"]([^>\"]*)[>\"]", text):
                self.assertTrue(name.startswith("frit/") or re.fullmatch(r"[a-z_]+(\.h)?", name) or name in LIBC,
                                f"{header}: {name}")

    def test_the_header_of_plugins_is_c(self):
        output_of("gcc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-xc",
                  f"{self.prefix}/include/frit/plugin.h")

    def test_the_library_needs_only_the_compilers_own(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", f"{self.prefix}/lib/libfrit.so"))
        self.assertLessEqual(set(needed), {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"})
        self.assertIn("[libfrit.so.0]", output_of("readelf", "-d", f"{self.prefix}/lib/libfrit.so"))

    def test_only_the_public_names_are_visible(self):
        for listing in (("nm", "-DC", "--defined-only", f"{self.prefix}/lib/libfrit.so"),
                        ("nm", "-C", "--defined-only", "--extern-only", f"{self.prefix}/lib/libfrit.a")):
            names = re.findall(r"^[0-9a-f]+ . (.*)$", output_of(*listing), re.M)
            self.assertTrue(any(name.startswith("frit::Tensor::sum(") for name in names))
            for name in names:
                self.assertRegex(name, r"\bfrit::")
                self.assertNotRegex(name, r"^frit::(base|capture|codegen|contraction|engine|normalize|schedule|runtime)::")

    def test_the_library_is_small_and_stripped(self):
        self.assertLessEqual(os.path.getsize(f"{self.prefix}/lib/libfrit.so"), 6 << 20)
        self.assertNotIn(".symtab", output_of("readelf", "-SW", f"{self.prefix}/lib/libfrit.so"))

    def test_a_program_is_built_by_pkg_config(self):
        program = self.work("pkg_config") + "/classify"
        source = f"{EXAMPLES}/embed_cmake/main.cc"
        output_of("g++", "-std=c++20", "-o", program, source, *self.pkg_config("--cflags", "--libs"))
        self.check_classifier(program, LD_LIBRARY_PATH=f"{self.prefix}/lib")

    def test_a_program_holds_all_of_it(self):
        program = self.work("static") + "/classify"
        source = f"{EXAMPLES}/embed_cmake/main.cc"
        library = self.pkg_config("--variable=static_library")
        output_of("g++", "-std=c++20", "-o", program, source, *self.pkg_config("--cflags"), *library)
        self.check_classifier(program)

    def test_a_program_is_built_by_cmake(self):
        if not shutil.which("cmake"):
            if os.environ.get("CI") == "true":
                self.fail("cmake is missing")
            self.skipTest("cmake is missing; tools/setup installs it")
        build = self.work("cmake")
        output_of("cmake", "-S", f"{EXAMPLES}/embed_cmake", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        output_of("cmake", "--build", build)
        self.check_classifier(f"{build}/classify")
        self.check_classifier(f"{build}/classify_static")
        self.assertNotIn("libfrit", output_of("ldd", f"{build}/classify_static"))

    def test_cmake_is_told_the_version(self):
        if not shutil.which("cmake"):
            self.skipTest("cmake is missing; tools/setup installs it")  # test_a_program_is_built_by_cmake insists on it
        folder = self.work("versions")
        for version, fits in (("", True), ("0", True), ("0.1", True), ("0.1.0", True), ("0.0.9", False), ("0.2", False), ("1", False)):
            with open(f"{folder}/CMakeLists.txt", "w") as file:
                file.write(f"cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nfind_package(frit {version} REQUIRED)\n")
            done = subprocess.run(["cmake", "-S", folder, "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode == 0, fits, f"{version}: {done.stderr}")

    def build_plugin(self, source, to):
        output_of("gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", to, source, *self.pkg_config("--cflags"))
        needed = output_of("readelf", "-d", to)
        self.assertLessEqual(set(re.findall(r"\(NEEDED\).*\[(.*)\]", needed)), {"libc.so.6"})

    def run_program(self, source, folder, **environment):
        output_of("g++", "-std=c++20", "-o", f"{folder}/program", "-xc++", "-", *self.pkg_config("--cflags", "--libs"), input=source)
        environment = {**os.environ, "LD_LIBRARY_PATH": f"{self.prefix}/lib", **environment}
        return output_of(f"{folder}/program", cwd=folder, env=environment)

    def test_the_page_is_right(self):
        folder = self.work("page")
        self.assertEqual(self.run_program(block("backend"), folder), block("backend prints"))
        with open(f"{folder}/negate.c", "w") as file:
            file.write(block("plug-in"))
        self.build_plugin(f"{folder}/negate.c", f"{folder}/negate.so")
        self.assertEqual(self.run_program(block("program"), folder, FRIT_PLUGINS="./negate.so", FRIT_HOT="1"), block("program prints"))
        self.assertEqual(self.run_program(block("writer"), folder, FRIT_HOT="1"), block("writer prints"))
        with open(f"{folder}/scale.c", "w") as file:
            file.write(block("op plug-in"))
        self.build_plugin(f"{folder}/scale.c", f"{folder}/scale.so")
        self.assertEqual(self.run_program(block("op program"), folder, FRIT_PLUGINS="./scale.so", FRIT_HOT="1"), block("op program prints"))

    def test_the_example_of_a_plugin_serves_an_installed_frit(self):
        folder = self.work("plugin")
        self.build_plugin(f"{EXAMPLES}/plugin_backend/toy_backend.c", f"{folder}/toy.so")
        program = block("program").replace('"negate"', '"toy"').replace("return -x", "return relu(x * 2) + 1")
        printed = self.run_program(program, folder, FRIT_PLUGINS="./toy.so", FRIT_HOT="1")
        self.assertEqual(printed, "toy accelerator 0.1\n" + "tensor([3., 1.])\n" * 3 + "plans that ran: 2\n")

    def test_a_package_is_laid_out_below_another_root(self):
        done = install("--prefix", "/usr", DESTDIR=f"{self.folder}/root")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.readlink(f"{self.folder}/root/usr/lib/libfrit.so"), "libfrit.so.0")

    def test_headers_of_an_older_version_go(self):
        prefix = self.work("again")
        os.makedirs(f"{prefix}/include/frit")
        open(f"{prefix}/include/frit/old.h", "w").close()
        self.assertEqual(install(f"--prefix={prefix}").returncode, 0)
        self.assertFalse(os.path.exists(f"{prefix}/include/frit/old.h"))

    def test_what_is_wrong_is_said(self):
        for arguments, text in ((["--prefix="], "--prefix is missing"), (["--prefix"], "--prefix needs a folder"),
                                (["--colour=red"], "unknown argument: --colour=red"),
                                (["--prefix=/proc/nowhere"], "cannot write below /proc/nowhere"),
                                ([f"--prefix={self.folder}/x", "--built=/nowhere"], "/nowhere/libfrit.so is missing")):
            done = install(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"install: {text}", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
