"""Devices besides the CPU: there are none."""


def is_available():
    """False: there is only the CPU."""
    return False


def current_accelerator(check_available=False):
    """None: there is only the CPU."""
    return None


def device_count():
    """0: there is only the CPU."""
    return 0


def synchronize(device=None):
    """Refused: there is no accelerator."""
    raise RuntimeError("accelerator.synchronize(): not available: there is only cpu")
