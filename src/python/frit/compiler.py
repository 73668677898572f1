"""torch.compiler's names: what it asks of a compiler that must be told, Frit does unasked."""
from frit._compile import compile


def is_compiling():
    """False: programs run, they are not traced."""
    return False


def is_dynamo_compiling():
    """False: programs run, they are not traced."""
    return False


def is_exporting():
    """False: programs run, they are not traced."""
    return False


def disable(fn=None, recursive=True, **kwargs):
    """Gives the function back: its ops are compiled where they repeat."""
    return fn if fn is not None else lambda function: function


def allow_in_graph(fn):
    """Gives the function back."""
    return fn


def assume_constant_result(fn):
    """Gives the function back."""
    return fn


def cudagraph_mark_step_begin():
    """Does nothing."""


def reset():
    """Does nothing: plans fit their calls."""
