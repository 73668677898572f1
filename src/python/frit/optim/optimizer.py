"""The base class of optimizers, which refuse."""
from frit._refuse import refusing_class

Optimizer = refusing_class("optim.Optimizer")
