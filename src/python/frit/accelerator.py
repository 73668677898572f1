"""Devices besides the CPU: those that plug-ins have registered."""
from frit import _core
from frit._types import device as _device


def is_available():
    """Whether there is one."""
    return len(_core._devices()) > 1


def current_accelerator(check_available=False):
    """The type of the current one; None where there is none."""
    current = _core._accelerator()
    return current and _device(current.type)


def device_count():
    """How many there are of the current type."""
    current = _core._accelerator()
    return _core._device_count(current.type) if current else 0


def current_device_index():
    """Which of them new tensors go to where only the type is named."""
    return _current("current_device_index").index


def set_device_index(device):
    """Makes one the current one of this thread: an index, a device or its name."""
    if isinstance(device, int):
        device = f"{_current('set_device_index').type}:{device}"
    _core._set_accelerator(device)


def synchronize(device=None):
    """Waits until what was queued on it is done."""
    _core._synchronize(device if device is not None else _current("synchronize"))


def memory_allocated(device=None):
    """The bytes of tensors on it."""
    return _core._memory_allocated(device if device is not None else _current("memory_allocated"))


def _current(what):
    current = _core._accelerator()
    if current is None:
        raise RuntimeError(f"accelerator.{what}(): not available: there is only cpu")
    return current
