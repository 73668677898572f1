"""Tools around modules."""
from frit.nn.utils import parametrizations, parametrize, rnn, stateless
from frit.nn.utils.parameters import parameters_to_vector, vector_to_parameters
from frit.nn.utils.training import clip_grad_norm, clip_grad_norm_, clip_grad_value_
from frit.nn.utils.fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
from frit.nn.utils.weight_norm import remove_weight_norm, weight_norm
from frit.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm


def skip_init(module_cls, *args, **kwargs):
    """A module of that class."""
    return module_cls(*args, **kwargs)
