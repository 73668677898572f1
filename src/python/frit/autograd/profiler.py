"""Marks in profiles: without effect. frit.start_profile() records where time goes."""


class record_function:
    """A named scope, without effect."""

    def __init__(self, name, args=None):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __call__(self, function):
        return function
