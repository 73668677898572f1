"""What PyTorch says of the CPU."""
from frit import amp


def is_available():
    """True."""
    return True


def device_count():
    """1: the CPU."""
    return 1


def current_device():
    """The name of the CPU: "cpu", as always."""
    return "cpu"


def synchronize(device=None):
    """Does nothing: every op is done where anybody can tell."""
