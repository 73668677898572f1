"""state_dict() and load_state_dict(): a module's tensors by name, out and in."""
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from frit._core import Tensor

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict() gives: the keys that the module or the dict alone had."""

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _defines(module, method):
    from frit.nn.modules.module import Module
    return getattr(type(module), method) is not getattr(Module, method)


def save_members(self, destination, prefix, keep_vars):
    """Puts the module's own tensors into the dict."""
    for name, parameter in self._parameters.items():
        if parameter is not None:
            destination[prefix + name] = parameter if keep_vars else parameter.detach()
    for name, buffer in self._buffers.items():
        if buffer is not None and name not in self._non_persistent_buffers_set:
            destination[prefix + name] = buffer if keep_vars else buffer.detach()
    if _defines(self, "get_extra_state"):
        destination[prefix + EXTRA_STATE] = self.get_extra_state()


def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
    """The parameters and persistent buffers by name, as tensors that share the module's memory.

    keep_vars: the Parameters themselves.
    """
    if args:  # the positions that these arguments once had
        destination = args[0]
        prefix = args[1] if len(args) > 1 else prefix
        keep_vars = args[2] if len(args) > 2 else keep_vars
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    metadata = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in self._state_dict_pre_hooks.values():
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
    for hook in self._state_dict_hooks.values():
        replaced = hook(self, destination, prefix, metadata)
        if not getattr(hook, "_from_public_api", False):
            destination = destination if replaced is None else replaced
        elif replaced is not None:
            raise RuntimeError("state_dict post-hook must return None")
    return destination


def load_members(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
    """Takes the module's own tensors from the dict."""
    for hook in self._load_state_dict_pre_hooks.values():
        hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    own = dict(self._parameters)
    own.update((name, b) for name, b in self._buffers.items() if name not in self._non_persistent_buffers_set)
    for name, target in own.items():
        if target is None:
            continue
        key = prefix + name
        if key in state_dict:
            _load_one(self, name, key, target, state_dict[key], local_metadata, error_msgs)
        elif strict:
            missing_keys.append(key)
    _load_extra_state(self, state_dict, prefix, strict, missing_keys, unexpected_keys)
    if strict:
        _add_unexpected(self, state_dict, prefix, own, unexpected_keys)


def _load_one(module, name, key, target, value, local_metadata, error_msgs):
    if not isinstance(value, Tensor):
        error_msgs.append(f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
                          f"from checkpoint but received {type(value)}")
        return
    if target.dim() == 0 and value.dim() == 1 and value.numel() == 1:
        value = value[0]  # as very old checkpoints have them
    if value.shape != target.shape:
        error_msgs.append(f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                          f"the shape in current model is {target.shape}.")
        return
    try:
        if local_metadata.get("assign_to_params_buffers", False):
            _assign(module, name, target, value)
        else:
            target.copy_(value)
    except Exception as error:
        error_msgs.append(f'While copying the parameter named "{key}", whose dimensions in the model are '
                          f"{target.size()} and whose dimensions in the checkpoint are {value.size()}, "
                          f"an exception occurred : {error.args}.")


def _assign(module, name, target, value):
    from frit.nn.parameter import Parameter
    if isinstance(target, Parameter) and not isinstance(value, Parameter):
        value = Parameter(value, requires_grad=target.requires_grad)
    setattr(module, name, value)


def _load_extra_state(module, state_dict, prefix, strict, missing_keys, unexpected_keys):
    key = prefix + EXTRA_STATE
    if _defines(module, "set_extra_state"):
        if key in state_dict:
            module.set_extra_state(state_dict[key])
        elif strict:
            missing_keys.append(key)
    elif strict and key in state_dict:
        unexpected_keys.append(key)


def _add_unexpected(module, state_dict, prefix, own, unexpected_keys):
    for key in state_dict:
        if key.startswith(prefix) and key != prefix + EXTRA_STATE:
            first, *rest = key[len(prefix):].split(".", 1)
            known = first in module._modules if rest else first in own or first in module._modules
            if not known:
                unexpected_keys.append(key)


def load_state_dict(self, state_dict, strict=True, assign=False):
    """Copies tensors by name into the parameters and buffers.

    strict: missing and unexpected names are errors. assign: takes the tensors over instead of copying.
    Returns (missing_keys, unexpected_keys).
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing, unexpected, errors = [], [], []
    metadata = getattr(state_dict, "_metadata", None)
    state_dict = OrderedDict(state_dict)
    if metadata is not None:
        state_dict._metadata = metadata

    def load(module, local, prefix):
        local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
        if assign:
            local_metadata = dict(local_metadata, assign_to_params_buffers=True)
        module._load_from_state_dict(local, prefix, local_metadata, True, missing, unexpected, errors)
        for name, child in module._modules.items():
            if child is not None:
                path = prefix + name + "."
                load(child, {k: v for k, v in local.items() if k.startswith(path)}, path)
        incompatible = _IncompatibleKeys(missing, unexpected)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, incompatible) is not None:
                raise RuntimeError("Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                                   "return new values, if incompatible_keys need to be modified, it should be done "
                                   "inplace.")

    load(self, state_dict, "")
    if strict:
        if unexpected:
            errors.insert(0, "Unexpected key(s) in state_dict: " + _quoted(unexpected) + ". ")
        if missing:
            errors.insert(0, "Missing key(s) in state_dict: " + _quoted(missing) + ". ")
    if errors:
        text = "\n\t".join(errors)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}")
    return _IncompatibleKeys(missing, unexpected)


def _quoted(keys):
    return ", ".join(f'"{key}"' for key in keys)
