"""Settings of cuDNN, which is not there: kept, without effect."""
import contextlib

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True


def is_available():
    """False: there is only the CPU."""
    return False


def version():
    """None: there is only the CPU."""
    return None


def flags(*args, **kwargs):
    """A scope without effect."""
    return contextlib.nullcontext()
