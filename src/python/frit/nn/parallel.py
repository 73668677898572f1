"""Modules on several devices, of which there is one."""
from frit._refuse import refusing_class
from frit.nn import DataParallel, Module

DistributedDataParallel = refusing_class("nn.parallel.DistributedDataParallel", "not available: there is one process",
                                         (Module,))
