"""Handles of registered hooks."""
import itertools
import weakref

_numbers = itertools.count()


class RemovableHandle:
    """What a registration returns: remove() takes the hook away again. Also a context manager."""

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.id = next(_numbers)
        self._dicts = [weakref.ref(hooks_dict)]
        if extra_dict is not None:
            others = extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict]
            self._dicts.extend(weakref.ref(other) for other in others)

    def remove(self):
        """Takes the hook away."""
        for reference in self._dicts:
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


class Hooks(dict):
    """A dict of hooks by number that handles can point to weakly, in order of registration."""

    __slots__ = ("__weakref__",)

    def add(self, hook, prepend=False, extra=()):
        """Registers the hook and gives its handle."""
        handle = RemovableHandle(self, extra_dict=list(extra))
        if prepend:
            others = list(self.items())
            self.clear()
            self[handle.id] = hook
            self.update(others)
        else:
            self[handle.id] = hook
        return handle

    def __reduce__(self):
        return Hooks, (dict(self),)
