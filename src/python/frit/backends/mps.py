"""Apple's devices, which are not there."""


def is_available():
    """False: there is only the CPU."""
    return False


def is_built():
    """False: there is only the CPU."""
    return False
