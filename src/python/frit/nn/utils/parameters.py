"""All parameters as one vector."""
from frit import _core


def parameters_to_vector(parameters):
    """One after the other, as a vector."""
    return _core.cat([parameter.data.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec, parameters):
    """Gives the parameters the values of such a vector."""
    begin = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[begin:begin + count].view(parameter.shape)
        begin += count
