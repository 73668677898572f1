"""Gives Debian's PyTorch the BLAS that it is meant to be run with: its default one is the reference implementation."""
import os
import pathlib
import sys

FOLDER = "/usr/lib/x86_64-linux-gnu/openblas-pthread"
WITHOUT = "PyTorch has no OpenBLAS here (package libopenblas0-pthread)"


def loaded(torch):
    """Whether PyTorch multiplies by it, or by a BLAS that is built into it."""
    torch.ones(2, 2) @ torch.ones(2, 2)
    return "mkl" in torch.__config__.show().lower() or "openblas" in pathlib.Path("/proc/self/maps").read_text()


def start_again_with(folder, threads):
    """Replaces this process by one with OpenBLAS from that folder and so many threads, if it is not that already."""
    variables = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    path = os.environ.get("LD_LIBRARY_PATH", "")
    if pathlib.Path(folder).is_dir() and folder not in path.split(":"):
        variables["LD_LIBRARY_PATH"] = f"{folder}:{path}".strip(":")
    if any(os.environ.get(name) != value for name, value in variables.items()):
        os.environ.update(variables)
        os.execv(sys.executable, [sys.executable, *sys.argv])
