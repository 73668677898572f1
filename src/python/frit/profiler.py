"""Marks in profiles: without effect. frit.start_profile() records where time goes."""
from frit._refuse import refusing_class
from frit.autograd.profiler import record_function

profile = refusing_class("profiler.profile", "use frit.start_profile()")
