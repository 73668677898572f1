"""Functions with a gradient of their own, of which the forward part runs."""
import inspect


class FunctionCtx:
    """What forward() is given; what it saves is kept for the call."""

    saved_tensors = ()
    needs_input_grad = ()

    def save_for_backward(self, *tensors):
        """Keeps tensors in saved_tensors."""
        self.saved_tensors = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *tensors):
        """Does nothing."""

    def mark_non_differentiable(self, *tensors):
        """Does nothing."""

    def set_materialize_grads(self, value):
        """Does nothing."""


class Function(FunctionCtx):
    """A subclass defines forward(ctx, ...); apply(...) calls it. backward() is never called."""

    @classmethod
    def apply(cls, *args, **kwargs):
        """Runs forward()."""
        ctx = FunctionCtx()
        ctx.needs_input_grad = (False,) * len(args)
        if "setup_context" in cls.__dict__:
            output = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, output)
            return output
        return cls.forward(ctx, *args, **kwargs)


def once_differentiable(fn):
    """Gives the function back."""
    return fn
