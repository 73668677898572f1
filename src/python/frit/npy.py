"""NumPy's files .npy and .npz as tensors, without NumPy.

    frit.npy.save("x.npy", x)
    frit.npy.load("x.npy")
"""
import mmap
import os
import zipfile

from frit import _core


def load(file):
    """The tensor of an .npy file, or a dict of those of an .npz file."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return {name.removesuffix(".npy"): _core._parse_npy(archive.read(name), name)
                    for name in archive.namelist()}
    path = os.fspath(file)
    with open(path, "rb") as opened:
        if os.fstat(opened.fileno()).st_size == 0:
            raise ValueError(f"load({path}): the file is empty")
        with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            return _core._parse_npy(mapped, path)


def save(file, tensor):
    """Writes a tensor as an .npy file."""
    with open(file, "wb") as opened:
        opened.write(_core._print_npy(tensor))


def savez(file, *tensors, **named):
    """Writes tensors as an .npz file, under arr_0, arr_1, ... and their names."""
    named.update((f"arr_{i}", tensor) for i, tensor in enumerate(tensors))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, tensor in named.items():
            archive.writestr(name + ".npy", _core._print_npy(tensor))
