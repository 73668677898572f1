"""Gradients of convolutions: there are none."""
from frit._refuse import refusing

conv1d_input, conv1d_weight, conv2d_input, conv2d_weight, conv3d_input, conv3d_weight = (
    refusing(name) for name in ("conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input",
                                "conv3d_weight"))
