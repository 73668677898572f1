"""Tensors that modules register as theirs."""
from frit import _core
from frit._core import Tensor


def _rebuild_parameter(cls, data, requires_grad, attributes):
    parameter = cls(data, requires_grad)
    parameter.__dict__.update(attributes)
    return parameter


class _Named(type(Tensor)):
    """isinstance() also knows Tensors of other classes that were marked as such."""

    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) or (
            isinstance(instance, Tensor) and getattr(instance, cls._mark, False))


class Parameter(Tensor, metaclass=_Named):
    """A Tensor that becomes a parameter of the module that it is assigned to.

    It shares `data`'s memory. requires_grad is kept; there are no gradients.
    """

    _mark = "_is_param"

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _core.empty(0)
        self = _core._make_subclass(cls, data)
        self.requires_grad = requires_grad
        return self

    def __deepcopy__(self, memo):
        copy = type(self)(self.data.clone(), self.requires_grad)
        copy.__dict__.update(self.__dict__)
        memo[id(self)] = copy
        return copy

    def __copy__(self):
        return _rebuild_parameter(type(self), self.data, self.requires_grad, self.__dict__)

    def __repr__(self):
        if type(self) is Parameter:
            return "Parameter containing:\n" + _core._print(self, "tensor")
        return f"Parameter containing:\nParameter({super().__repr__()})"

    def __reduce_ex__(self, protocol):
        return _rebuild_parameter, (type(self), self.data, self.requires_grad, dict(self.__dict__))


class Buffer(Tensor, metaclass=_Named):
    """A Tensor that becomes a buffer of the module that it is assigned to.

    persistent: whether it is part of the module's state_dict.
    """

    _mark = "_is_buffer"

    def __repr__(self):
        return _core._print(self, "tensor")

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _core.empty(0)
        self = _core._make_subclass(cls, data)
        self.persistent = persistent
        return self

    def __deepcopy__(self, memo):
        copy = type(self)(self.data.clone(), persistent=self.persistent)
        memo[id(self)] = copy
        return copy

    def __reduce_ex__(self, protocol):
        return _rebuild_buffer, (type(self), self.data, self.persistent)


def _rebuild_buffer(cls, data, persistent):
    return cls(data, persistent=persistent)


class UninitializedParameter:
    """PyTorch's parameters without a shape: Frit has none, so lazy modules are refused."""

    def __new__(cls, *args, **kwargs):
        raise NotImplementedError("UninitializedParameter: lazy modules are not supported: give the sizes")


class UninitializedBuffer(UninitializedParameter):
    """As UninitializedParameter."""


def is_lazy(parameter):
    """Whether a parameter has no shape yet: never."""
    return False
