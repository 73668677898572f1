"""Apple's devices, which are not there."""


def is_available():
    return False


def is_built():
    return False
