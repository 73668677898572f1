"""Names of training, which refuse: there are no gradients."""


def _refuse(name):
    def refused(*args, **kwargs):
        raise NotImplementedError(f"{name}(): there are no gradients: Frit runs models, it does not train them")

    refused.__name__ = name
    refused.__doc__ = "Refused: there are no gradients."
    return refused


clip_grad_norm_ = _refuse("clip_grad_norm_")
clip_grad_norm = _refuse("clip_grad_norm")
clip_grad_value_ = _refuse("clip_grad_value_")
