"""Optimizers: each refuses, since there are no gradients."""
from frit._refuse import refusing_class
from frit.optim import lr_scheduler
from frit.optim.optimizer import Optimizer

for _name in ("ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "NAdam", "RAdam",
              "RMSprop", "Rprop", "SGD", "SparseAdam"):
    globals()[_name] = refusing_class("optim." + _name, bases=(Optimizer,))
