"""Schedules of learning rates: each refuses."""
from frit._refuse import refusing_class

LRScheduler = _LRScheduler = refusing_class("optim.lr_scheduler.LRScheduler")
for _name in ("CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LambdaLR", "LinearLR",
              "MultiStepLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR"):
    globals()[_name] = refusing_class("optim.lr_scheduler." + _name, bases=(LRScheduler,))
