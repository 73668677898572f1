"""Gradients: there are none. Forward parts run; what needs a gradient refuses."""
from frit._modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from frit._refuse import refusing
from frit.autograd import function, profiler
from frit.autograd.function import Function

backward = refusing("autograd.backward")
grad = refusing("autograd.grad")
gradcheck = refusing("autograd.gradcheck")


def Variable(data, requires_grad=False, volatile=None):
    """Gives the tensor back."""
    data.requires_grad = requires_grad
    return data


class detect_anomaly:
    """A scope without effect."""

    def __init__(self, check_nan=True):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


class set_detect_anomaly(detect_anomaly):
    """A scope without effect."""

    def __init__(self, mode, check_nan=True):
        pass
