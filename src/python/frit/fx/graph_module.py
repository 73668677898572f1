"""GraphModule, which is refused."""
from frit.fx import GraphModule


def _copy_attr(from_module, to_module, target):
    """Copies the attribute at a path, with the modules on the way."""
    *path, name = target.split(".")
    for item in path:
        source = getattr(from_module, item)
        if not hasattr(to_module, item):
            from frit.nn import Module
            setattr(to_module, item, Module())
        from_module, to_module = source, getattr(to_module, item)
    setattr(to_module, name, getattr(from_module, name))
