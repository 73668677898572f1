"""Devices besides the CPU: there are none."""


def is_available():
    return False


def current_accelerator(check_available=False):
    return None


def device_count():
    return 0


def synchronize(device=None):
    """Refused: there is no accelerator."""
    raise RuntimeError("accelerator.synchronize(): not available: there is only cpu")
