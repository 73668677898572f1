"""The functions of neural networks, under PyTorch's names."""
from frit import _core

globals().update(_core._neural)

from frit.nn._attention import multi_head_attention_forward  # noqa: E402
from frit.nn._losses import (cosine_embedding_loss, ctc_loss, multi_margin_loss,  # noqa: E402
                             multilabel_margin_loss, multilabel_soft_margin_loss, triplet_margin_loss,
                             triplet_margin_with_distance_loss)
from frit.nn._noise import (alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout,  # noqa: E402
                            fractional_max_pool2d, fractional_max_pool2d_with_indices, fractional_max_pool3d,
                            fractional_max_pool3d_with_indices, gumbel_softmax, rrelu)
from frit.nn._shapes import (adaptive_avg_pool2d, adaptive_avg_pool3d,  # noqa: E402
                             adaptive_max_pool1d_with_indices, adaptive_max_pool2d, adaptive_max_pool2d_with_indices,
                             adaptive_max_pool3d, adaptive_max_pool3d_with_indices, batch_norm, bilinear,
                             channel_shuffle, conv_tbc, embedding, local_response_norm, log_softmax, lp_pool1d,
                             lp_pool2d, lp_pool3d, max_pool1d_with_indices, max_pool2d_with_indices,
                             max_pool3d_with_indices, native_channel_shuffle, pdist, softmax, softmin)


def _in_place(name):
    function = globals()[name]

    def written(input, *args, **kwargs):
        return input.copy_(function(input, *args, **kwargs))

    written.__name__ = name + "_"
    written.__doc__ = f"{name}(), written to its argument."
    return written


for _name in ("celu", "elu", "hardtanh", "leaky_relu", "relu", "rrelu", "selu", "threshold"):
    globals()[_name + "_"] = _in_place(_name)
