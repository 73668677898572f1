"""Settings that PyTorch's programs make. Those without a meaning here are kept, so that they read back."""
from frit import _core

__all__ = ["_assert", "are_deterministic_algorithms_enabled", "broadcast_shapes", "can_cast", "clear_autocast_cache",
           "get_float32_matmul_precision", "get_num_interop_threads", "get_rng_state", "initial_seed",
           "is_anomaly_enabled", "is_autocast_enabled", "is_deterministic_algorithms_warn_only_enabled", "is_storage",
           "manual_seed", "promote_types", "result_type", "seed", "set_anomaly_enabled",
           "set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal",
           "set_num_interop_threads", "set_rng_state", "use_deterministic_algorithms"]

_kept = {"deterministic": False, "warn_only": False, "precision": "highest", "interop_threads": 1}


def _assert(condition, message):
    """assert, as a function."""
    assert condition, message


def manual_seed(seed):
    """Starts PyTorch's sequence of random numbers of that seed; returns the generator."""
    generator = _core.default_generator.manual_seed(seed)
    bits = generator.initial_seed()
    _core.manual_seed(bits - 2**64 if bits >= 2**63 else bits)  # those of devices, too
    return generator


def seed():
    """Starts a sequence of random numbers that nobody can guess; returns its seed."""
    return _core.default_generator.seed()


def initial_seed():
    """The seed of the random numbers."""
    return _core.default_generator.initial_seed()


def get_rng_state():
    """The state of the random numbers, as uint8, in PyTorch's form."""
    return _core.default_generator.get_state()


def set_rng_state(new_state):
    """Goes on from what get_rng_state() gave."""
    _core.default_generator.set_state(new_state)


def use_deterministic_algorithms(mode, *, warn_only=False):
    """All of Frit is deterministic; the setting is kept."""
    _kept.update(deterministic=bool(mode), warn_only=warn_only)


def are_deterministic_algorithms_enabled():
    """What use_deterministic_algorithms() was told."""
    return _kept["deterministic"]


def is_deterministic_algorithms_warn_only_enabled():
    """What use_deterministic_algorithms() was told."""
    return _kept["warn_only"]


def set_deterministic_debug_mode(debug_mode):
    """use_deterministic_algorithms() under another name."""
    use_deterministic_algorithms(debug_mode not in (0, "default"))


def set_float32_matmul_precision(precision):
    """float32 products are always computed in float32; the setting is kept."""
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"Invalid float32 matmul precision: {precision}")
    _kept["precision"] = precision


def get_float32_matmul_precision():
    """What set_float32_matmul_precision() was told."""
    return _kept["precision"]


def set_num_interop_threads(count):
    """Kept, without effect."""
    _kept["interop_threads"] = count


def get_num_interop_threads():
    """What set_num_interop_threads() was told."""
    return _kept["interop_threads"]


def set_flush_denormal(mode):
    """Small numbers are never flushed: False where that is asked for."""
    return not mode


def is_autocast_enabled(device_type=None):
    """Whether autocast() is on: never."""
    return False


def clear_autocast_cache():
    """Does nothing."""


def is_anomaly_enabled():
    """Whether gradients are watched: never."""
    return False


def set_anomaly_enabled(mode, check_nan=True):
    """Does nothing: there are no gradients."""


def is_storage(obj):
    """Whether the object is a storage: tensors have none that could be held."""
    return False


def _sample(value):
    """A small tensor, or the number, that takes part in promotion as the value does."""
    return _core.zeros((1,) * min(value.dim(), 1), dtype=value.dtype) if isinstance(value, _core.Tensor) else value


def result_type(tensor1, tensor2):
    """The dtype of an operation on both."""
    a, b = _sample(tensor1), _sample(tensor2)
    if not isinstance(a, _core.Tensor):
        a, b = b, a
    if not isinstance(a, _core.Tensor):
        a = _core.tensor(a)
    return _core.add(a, b).dtype


def promote_types(type1, type2):
    """The dtype that both dtypes become."""
    return _core.add(_core.zeros(1, dtype=type1), _core.zeros(1, dtype=type2)).dtype


def can_cast(from_, to):
    """Whether results of one dtype may be written to a tensor of the other."""
    def category(dtype):
        return 2 if dtype.is_floating_point else 0 if dtype is _core.bool else 1
    return category(from_) <= category(to)


def broadcast_shapes(*shapes):
    """The shape that all of them stretch to."""
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    result = [1] * max((len(s) for s in shapes), default=0)
    for shape in shapes:
        for d, n in enumerate(reversed(shape)):
            if n != 1 and result[-1 - d] not in (1, n):
                raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
            result[-1 - d] = n if n != 1 else result[-1 - d]
    return _core.Size(result)
