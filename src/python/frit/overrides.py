"""Classes that act like tensors: none are asked."""


def has_torch_function(relevant_args):
    """Whether an object has a __torch_function__ of its own: never."""
    return False


def has_torch_function_unary(obj):
    """Whether an object has a __torch_function__ of its own: never."""
    return False


def has_torch_function_variadic(*args):
    """Whether an object has a __torch_function__ of its own: never."""
    return False


def is_tensor_like(inp):
    """Whether an object is a Tensor."""
    from frit._core import Tensor
    return isinstance(inp, Tensor)
