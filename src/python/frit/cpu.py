"""What PyTorch says of the CPU."""
from frit import amp


def is_available():
    return True


def device_count():
    return 1


def current_device():
    return "cpu"


def synchronize(device=None):
    """Does nothing: every op is done where anybody can tell."""
