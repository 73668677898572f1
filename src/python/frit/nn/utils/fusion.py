"""Batch normalization folded into the layer before it."""
import copy

from frit import _core
from frit.nn.parameter import Parameter


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """The weight and bias of a convolution that does the normalization too."""
    bias = _core.zeros_like(bn_rm) if conv_b is None else conv_b
    weight = _core.ones_like(bn_rm) if bn_w is None else bn_w
    shift = _core.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = weight * _core.rsqrt(bn_rv + bn_eps)
    sizes = [1] * conv_w.dim()
    sizes[1 if transpose else 0] = -1
    return (Parameter(conv_w * scale.reshape(sizes), conv_w.requires_grad),
            Parameter((bias - bn_rm) * scale + shift, bias.requires_grad))


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A copy of the convolution that does the normalization too; both in eval()."""
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps,
                                                    bn.weight, bn.bias, transpose)
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """The weight and bias of a linear map that does the normalization too."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def fuse_linear_bn_eval(linear, bn):
    """A copy of the linear map that does the normalization too; both in eval()."""
    return fuse_conv_bn_eval(linear, bn)
