"""Intel's GPUs: not available."""


def is_available():
    """False: there is only the CPU."""
    return False


def device_count():
    """0: there is only the CPU."""
    return 0


def empty_cache():
    """Does nothing."""
