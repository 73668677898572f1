"""Tools around tensors and modules, loaded at their first use."""
_MODULES = ("checkpoint", "data", "dlpack", "hooks", "model_zoo")


def __getattr__(name):
    if name in _MODULES:
        import importlib
        return importlib.import_module("frit.utils." + name)
    raise AttributeError(f"frit has no torch.utils.{name}")
