"""CUDA: not available. What asks says so, what sets does nothing, what needs a device refuses."""
from frit._refuse import refusing, refusing_class
from frit.cuda import amp

_WHY = "not available: there is only cpu"


def is_available():
    """False: there is only the CPU."""
    return False


def is_initialized():
    """False: there is only the CPU."""
    return False


def is_bf16_supported(including_emulation=True):
    """False: there is only the CPU."""
    return False


def device_count():
    """0: there is only the CPU."""
    return 0


def init():
    """Does nothing."""


def empty_cache():
    """Does nothing."""


def manual_seed(seed):
    """Does nothing: there are no random numbers of a device."""


def manual_seed_all(seed):
    """Does nothing: there are no random numbers of a device."""


def seed_all():
    """Does nothing: there are no random numbers of a device."""


def max_memory_allocated(device=None):
    """0: there is only the CPU."""
    return 0


def memory_allocated(device=None):
    """0: there is only the CPU."""
    return 0


def memory_reserved(device=None):
    """0: there is only the CPU."""
    return 0


def reset_peak_memory_stats(device=None):
    """Does nothing."""


for _name in ("current_device", "get_device_name", "get_device_properties", "get_device_capability", "set_device",
              "synchronize", "current_stream", "default_stream", "mem_get_info", "get_rng_state", "set_rng_state"):
    globals()[_name] = refusing("cuda." + _name, _WHY)
for _name in ("Event", "Stream", "CUDAGraph", "FloatTensor", "LongTensor", "HalfTensor", "ByteTensor", "BoolTensor"):
    globals()[_name] = refusing_class("cuda." + _name, _WHY)


class device:
    """A scope that chooses a device: there is nothing to choose."""

    def __init__(self, device):
        self.idx = device

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
