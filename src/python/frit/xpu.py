"""Intel's GPUs: not available."""


def is_available():
    return False


def device_count():
    return 0


def empty_cache():
    """Does nothing."""
